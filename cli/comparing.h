/*
 * The parts of the verb compare: a comparison, what is seen of it while it runs, and what is saved.
 */
#ifndef RELOCK_CLI_COMPARING_H
#define RELOCK_CLI_COMPARING_H

#include "cli/measure.h"

#define SAVINGS_MAX 8

struct saving {
	const char *path;
	enum experiment_format format;
};

struct comparison {
	const struct cli_args *args;
	struct program program;
	struct candidates candidates;
	struct metrics metrics;
	struct measure measure;
	struct experiment_candidate named[EXPERIMENT_CANDIDATES_MAX];
	struct experiment_plan plan;
	struct experiment *experiment;
	char *subject;
	char preloaded[PATH_MAX];
	struct saving saving[SAVINGS_MAX];
	size_t savings;
	char own_file[PATH_MAX]; /* where results go unless an option names a file */
	bool progress;           /* a line is shown, and is there now */
	bool save_failed;        /* and that was said */
};

/* Where results go: -o, else a JSON file of their own. False: a message was printed. */
bool saving_choose(struct comparison *comparison);

/* Progress before each run, saving after each round. */
void comparing_hooks(struct comparison *comparison, struct experiment_hooks *hooks);
void progress_clear(struct comparison *comparison);
void comparing_save(struct comparison *comparison, const struct experiment_results *results);

/* The table, and what to do next. */
void comparing_print(struct comparison *comparison, const struct experiment_results *results);

#endif
