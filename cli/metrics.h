/*
 * What compare measures: figures of the process, of relock's recording, and numbers in the output.
 */
#ifndef RELOCK_CLI_METRICS_H
#define RELOCK_CLI_METRICS_H

#include "cli/cli.h"
#include "cli/process.h"
#include "cli/recorded.h"
#include "stats/experiment/experiment.h"

#include <regex.h>

/* One run, as far as it was measured. */
struct measured {
	uint64_t wall_ns;
	struct rusage usage;
	bool recorded;
	struct recorded recording;
	/* Searched in this order; NULL ends them. */
	const struct capture *output[3];
};

struct metrics {
	struct experiment_metric metric[EXPERIMENT_METRICS_MAX];
	size_t count;
	/* By metric: where it comes from. */
	double (*get[EXPERIMENT_METRICS_MAX])(const struct measured *measured);
	regex_t pattern[EXPERIMENT_METRICS_MAX]; /* used where there is no `get` */
	char *name[EXPERIMENT_METRICS_MAX];      /* of a pattern */
	bool recording;                          /* some come from the recording */
};

/* The metrics asked for, or all of the process and, with `recording`, of the recording. False: a
 * message was printed. */
bool metrics_choose(struct metrics *metrics, const struct cli_args *args, bool recording);
void metrics_free(struct metrics *metrics);

/* Fills in the figures of one run; those that are not there stay as they are. */
void metrics_read(const struct metrics *metrics, const struct measured *measured, double *values);

#endif
