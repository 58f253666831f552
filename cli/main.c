/* The relock command: reads its arguments and hands them to a verb. */
#include "cli/cli.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

/* A caller may have closed a stream. What is opened here must not take its number and be written to
 * as if it were the stream; the program still finds it closed. */
static void keep_stream_numbers(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_RDWR | O_CLOEXEC) < 0)
			return;
}

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

	keep_stream_numbers();
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
