#include "cli/subject.h"
#include "cli/cli.h"
#include "cli/install.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

int subject_check(const struct program *program, bool force)
{
	switch (program->reach) {
	case PROGRAM_REACHED:
		return 0;
	case PROGRAM_MISSING:
		cli_say("%s", program->reason);
		return CLI_NOT_FOUND;
	case PROGRAM_NOT_RUNNABLE:
		cli_say("%s", program->reason);
		return CLI_NOT_EXECUTABLE;
	default:
		break;
	}
	if (force) {
		cli_say("%s; running it all the same, without effect on it", program->reason);
		return 0;
	}
	return cli_fail("%s; to run it all the same, add --force", program->reason);
}

void subject_process(const struct program *program, char *out, size_t size)
{
	char image[PATH_MAX];

	if (!realpath(program->image, image))
		snprintf(image, sizeof(image), "%s", program->image);
	snprintf(out, size, "%s", basename(image));
}

bool subject_respect_sanitizer(const struct program *program, struct conf *conf)
{
	size_t stacks = conf_find("record.stacks");
	struct conf_error error;

	if (!program->sanitizer)
		return true;
	if (!program->sanitizer_file[0])
		cli_say("%s is linked into '%s': its own hooks come before relock's, so that sites "
			"in the report may lie in its runtime",
			program->sanitizer, program->image);
	/* It sees libunwind's locking only in part, and would call that races. */
	if (strcmp(program->sanitizer, "ThreadSanitizer") != 0 ||
		conf->origins.origin[stacks] != FROM_DEFAULT)
		return true;
	cli_say("no stacks are recorded under ThreadSanitizer, which would report the unwinder as "
		"racing; --set record.stacks=on records them all the same");
	if (conf_set(conf, "record.stacks", "off", FROM_COMMAND_LINE, program->sanitizer, &error))
		return true;
	cli_say("%s", error.message);
	return false;
}

bool subject_library(char *library, char *out)
{
	return install_library(library, PATH_MAX) && install_preloadable(library, out, PATH_MAX);
}

void subject_run_id(char *out, size_t size)
{
	uint64_t bits = 0;

	if (getrandom(&bits, sizeof(bits), GRND_NONBLOCK) != sizeof(bits))
		bits = arch_monotonic_ns() ^ (uint64_t)getpid() << 40;
	snprintf(out, size, "%016llx", (unsigned long long)bits);
}
