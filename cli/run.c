/* relock run: runs a program under a policy, then reports what its locks cost. */
#include "cli/environment.h"
#include "cli/launch.h"
#include "cli/output.h"
#include "cli/reporting.h"
#include "cli/resolve.h"
#include "cli/settings.h"
#include "cli/subject.h"
#include "stats/report/units.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
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

/* Everything that can go wrong before the program starts. Returns 0 or an exit status. */
static int prepare(struct run *run)
{
	const struct program *program = &run->program;
	struct environment wanted = {.conf = &run->conf, .first = program->sanitizer_file};
	char library[PATH_MAX], process[PATH_MAX];

	subject_process(program, process, sizeof(process));
	if (!settings_load(run->args, process, &run->conf) ||
		!subject_respect_sanitizer(program, &run->conf) ||
		!resolve_rules(program, &run->conf) || !subject_library(library, run->preloaded))
		return CLI_OURS;
	if (run->conf.settings.record && !output_decide(&run->conf, &run->output))
		return CLI_OURS;
	subject_run_id(run->run_id, sizeof(run->run_id));
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
	status = subject_check(&run.program, cli_has(args, "force"));
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
