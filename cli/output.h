/*
 * Where a run's recordings go, decided before the program starts: programs change directory.
 */
#ifndef RELOCK_CLI_OUTPUT_H
#define RELOCK_CLI_OUTPUT_H

#include "conf/conf.h"

#include <limits.h>
#include <stdbool.h>

struct output {
	char pattern[CONF_PATH_MAX]; /* absolute name, still with %e, %p and kin */
	char directory[PATH_MAX];    /* where the recordings will be; "": depends on the process */
	bool elsewhere;              /* the current directory is not writable */
};

/* False: a message was printed. */
bool output_decide(const struct conf *conf, struct output *output);

#endif
