/*
 * One run of a candidate: the program alone, or a server and the client that measures it.
 *
 * Contract: as for cli/process.h; a struct measure belongs to one experiment.
 */
#ifndef RELOCK_CLI_MEASURE_H
#define RELOCK_CLI_MEASURE_H

#include "cli/candidates.h"
#include "cli/metrics.h"
#include "cli/program.h"

#include <limits.h>

struct measure {
	const struct program *program;
	char *const *argv;
	const struct candidates *candidates;
	const struct metrics *metrics;
	const char *library;        /* as LD_PRELOAD names it */
	const char *client, *ready; /* shell commands; NULL: none */
	const char *input;          /* file; NULL: nothing to read */
	uint64_t timeout_ns;        /* of a program, or of a client; 0: none */
	bool any_status;            /* an exit status other than 0 is no failure */
	char run_id[24];
	char directory[PATH_MAX]; /* for recordings; emptied after each run */
	struct capture output, client_output;
	struct watch watch;
};

/* For struct experiment_hooks; `measure` is a struct measure. */
void measure_run(void *measure, size_t candidate, struct experiment_run *run);

#endif
