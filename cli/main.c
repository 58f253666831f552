/* The relock command: reads its arguments and hands them to a verb. */
#include "cli/cli.h"

#include <errno.h>
#include <string.h>

/* Output that could not be written, to a full disk or so, must not look like success. */
static int flush_output(int status)
{
	if (fflush(stdout) == 0 && !ferror(stdout))
		return status;
	if (errno == EPIPE)
		return status;
	return cli_fail("writing to stdout failed: %s", strerror(errno));
}

static int global(const struct cli_args *args)
{
	if (cli_has(args, "version")) {
		printf("relock %s\n", RELOCK_VERSION);
	} else if (cli_has(args, "man")) {
		cli_man(stdout);
	} else if (cli_has(args, "help")) {
		cli_help(stdout);
	} else {
		cli_help(stderr);
		return CLI_OURS;
	}
	return 0;
}

int main(int argc, char **argv)
{
	struct cli_args args;

	if (!cli_parse(argc, argv, &args))
		return CLI_OURS;
	if (!args.verb || cli_has(&args, "version") || cli_has(&args, "man"))
		return flush_output(global(&args));
	if (cli_has(&args, "help")) {
		cli_help_verb(args.verb, stdout);
		return flush_output(0);
	}
	return flush_output(args.verb->main(&args));
}
