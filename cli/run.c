/* relock run: runs a program under a policy, then reports what its locks cost. */
#include "cli/environment.h"
#include "cli/install.h"
#include "cli/launch.h"
#include "cli/output.h"
#include "cli/program.h"
#include "cli/reporting.h"
#include "cli/settings.h"
#include "stats/report/units.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/wait.h>
#include <unistd.h>

struct run {
	const struct cli_args *args;
	struct program program;
	struct conf conf;
	struct output output;
	struct launched launched;
	char run_id[24];
	char preloaded[PATH_MAX]; /* the library as LD_PRELOAD names it; "": none */
};

/* Returns 0, or the exit status of a refusal. */
static int check_program(const struct run *run)
{
	const struct program *program = &run->program;

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
	if (cli_has(run->args, "force")) {
		cli_say("%s; running it all the same, without effect on it", program->reason);
		return 0;
	}
	return cli_fail("%s; to run it all the same, add --force", program->reason);
}

static void make_run_id(char *out, size_t size)
{
	uint64_t bits = 0;

	if (getrandom(&bits, sizeof(bits), GRND_NONBLOCK) != sizeof(bits))
		bits = arch_monotonic_ns() ^ (uint64_t)getpid() << 40;
	snprintf(out, size, "%016llx", (unsigned long long)bits);
}

/* What a sanitizer's runtime makes of a library it does not know. */
static bool respect_sanitizer(struct run *run)
{
	const struct program *program = &run->program;
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
		run->conf.origins.origin[stacks] != FROM_DEFAULT)
		return true;
	cli_say("no stacks are recorded under ThreadSanitizer, which would report the unwinder as "
		"racing; --set record.stacks=on records them all the same");
	if (conf_set(&run->conf, "record.stacks", "off", FROM_COMMAND_LINE, program->sanitizer,
		    &error))
		return true;
	cli_say("%s", error.message);
	return false;
}

/* Everything that can go wrong before the program starts. Returns 0 or an exit status. */
static int prepare(struct run *run)
{
	const struct program *program = &run->program;
	struct environment wanted = {.conf = &run->conf, .first = program->sanitizer_file};
	char library[PATH_MAX], image[PATH_MAX];

	/* The library knows the program by the file that is mapped, not by a link to it. */
	if (!realpath(program->image, image))
		snprintf(image, sizeof(image), "%s", program->image);
	if (!settings_load(run->args, basename(image), &run->conf) || !respect_sanitizer(run) ||
		!install_library(library, sizeof(library)) ||
		!install_preloadable(library, run->preloaded, sizeof(run->preloaded)))
		return CLI_OURS;
	if (run->conf.settings.record && !output_decide(&run->conf, &run->output))
		return CLI_OURS;
	make_run_id(run->run_id, sizeof(run->run_id));
	wanted.output = run->output.pattern;
	wanted.run_id = run->run_id;
	/* Into musl's programs the library must not get: it would keep them from starting. */
	if (program->reach != PROGRAM_OTHER_LIBC)
		wanted.library = run->preloaded;
	if (run->conf.settings.verbose) {
		cli_say("preloading %s into %s", library, program->image);
		if (run->conf.settings.record)
			cli_say("recording to %s", run->output.pattern);
	}
	return environment_apply(&wanted) ? 0 : CLI_OURS;
}

/* Why there is nothing to report on. */
static void explain_no_recording(const struct run *run)
{
	const struct settings *settings = &run->conf.settings;
	const char *name = run->args->operands[0];

	if (run->program.reach != PROGRAM_REACHED)
		cli_say("no report: '%s' could not be reached", name);
	else if (!settings->enabled)
		cli_say("no report: a [process] section leaves '%s' out", run->conf.process);
	else if (!run->output.directory[0])
		cli_say("the recordings are where '%s' says; read them with 'relock report FILE'",
			run->output.pattern);
	else
		cli_say("no recording: '%s' never had a second thread nor waited for a lock, or it "
			"could not write to %s",
			name, run->output.directory);
}

static void say_others(const struct run *run, const struct report_found *found, size_t count)
{
	uint64_t waited = 0;
	char time[UNITS_MAX];

	for (size_t i = 1; i < count; i++)
		waited += found[i].waited_ns;
	units_duration(waited, true, &(struct style){0}, time, sizeof(time));
	if (count > 1)
		cli_say("%zu more process%s recorded, which waited %s in all; 'relock report %s' "
			"adds up all recordings there",
			count - 1, count == 2 ? " was" : "es were", time, run->output.directory);
}

static void report(const struct run *run)
{
	const struct launched *launched = &run->launched;
	struct report_options options;
	struct report_found *found = NULL;
	const char *path;
	size_t count = 0;

	if (run->output.directory[0])
		count = report_find_run(run->output.directory, run->run_id, &found);
	for (size_t i = 0; i < count; i++)
		if (found[i].pid == launched->pid)
			report_note_run(found[i].path, launched->status, &launched->usage,
				launched->wall_ns);
	if (!cli_has(run->args, "quiet")) {
		if (count == 0)
			explain_no_recording(run);
		else if (run->output.elsewhere)
			cli_say("the current directory is not writable, so the recording is in %s",
				run->output.directory);
		say_others(run, found, count);
		path = count ? found[0].path : NULL;
		if (count && reporting_options(run->args, stderr, &options))
			report_run(&path, 1, &options, stderr, stderr);
	}
	free(found);
}

int run_main(const struct cli_args *args)
{
	static struct run run;
	struct report_options options;
	int status;

	run.args = args;
	if (!reporting_options(args, stderr, &options))
		return CLI_OURS;
	program_examine(&run.program, args->operands[0]);
	status = check_program(&run);
	if (!status)
		status = prepare(&run);
	if (status)
		return status;
	status = launch(run.program.path, args->operands, &run.launched);
	if (status) {
		cli_say("'%s' could not be executed: %s", run.program.path, strerror(status));
		return status == ENOENT ? CLI_NOT_FOUND : CLI_NOT_EXECUTABLE;
	}
	if (run.conf.settings.record)
		report(&run);
	return launch_exit_status(run.launched.status);
}
