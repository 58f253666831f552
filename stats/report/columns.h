/*
 * The columns of every table, each described once, and the rows they read.
 */
#ifndef RELOCK_STATS_REPORT_COLUMNS_H
#define RELOCK_STATS_REPORT_COLUMNS_H

#include "stats/report/table.h"
#include "stats/report/view.h"

/* A row of locks or classes, or of one side of them. */
struct lock_line {
	const struct view *view;
	const struct view *classes; /* by class, for the number of a lock's class; may be NULL */
	const struct view_row *row; /* NULL: the rest that is not printed row by row */
	char rank[16];              /* text: "1", "…", "" for a side */
	char *label;                /* escaped for the text already shortened */
	char *rule, *policy;        /* made when asked for */
	const char *kind;
	struct figures figures;
	double share; /* of all waiting */
	char flags[160];
	char address[32];
	char endings[32];
};

extern const struct column lock_columns[], class_columns[], side_columns[];
extern const size_t lock_columns_count, class_columns_count, side_columns_count;

/* A row of sites. */
struct site_line {
	char rank[16];
	char *label;
	struct site_figures figures;
	double share; /* of all waiting */
};
extern const struct column site_columns[];
extern const size_t site_columns_count;

/* A row of threads. */
struct thread_line {
	char rank[16], tid[16];
	const char *name;
	const struct thread *thread;
};
extern const struct column thread_columns[];
extern const size_t thread_columns_count;

/* A row of who waited for whom. */
struct pair_line {
	char rank[16];
	struct pair pair; /* in a text: the sum of those that read the same */
	char *text;       /* "waiter ← holder" */
	const char *lock;
	double share; /* of all waiting */
};
extern const struct column pair_columns[];
extern const size_t pair_columns_count;

/* A row of home-made waiting. */
struct yield_line {
	const struct yield_site *site;
	const char *place;
};
extern const struct column yield_columns[];
extern const size_t yield_columns_count;

#endif
