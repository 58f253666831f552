/*
 * What compare compares: from -p, -c and --sweep to configurations.
 *
 * A candidate is written as
 *	POLICY[:key=value,…]        for all locks
 *	KIND=POLICY[:key=value,…]   for mutexes, spinlocks or rwlocks only, the others as by default
 *	FILE.ini                    a whole configuration
 *	-r RULE=POLICY[;…]          the default for all locks that no rule matches
 *	none                        the program without relock
 * and a sweep like the first two with several values after a key: each is a candidate.
 */
#ifndef RELOCK_CLI_CANDIDATES_H
#define RELOCK_CLI_CANDIDATES_H

#include "cli/cli.h"
#include "conf/conf.h"
#include "stats/experiment/experiment.h"

struct candidate {
	char *text; /* as written */
	char *name; /* the same; told apart by a number where one is there twice */
	bool file;  /* it names an INI file */
	bool rules; /* it is rules per lock */
	bool none;
	struct conf *conf;
	char *settings; /* canonical: equal texts do the same */
};

struct candidates {
	struct candidate candidate[EXPERIMENT_CANDIDATES_MAX];
	size_t count;
	size_t reference;
};

/* Reads them from the arguments and checks each; `process` as in settings_load(). False: a message
 * was printed. */
bool candidates_load(
	struct candidates *candidates, const struct cli_args *args, const char *process);
/* Turns off what need not be recorded, but for what the user asked for. `needed`: some metric comes
 * from the recording. False: a message was printed. */
bool candidates_record(struct candidates *candidates, bool needed);
void candidates_free(struct candidates *candidates);

#endif
