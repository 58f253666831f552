/*
 * Between the advice*.c files only.
 */
#ifndef RELOCK_STATS_REPORT_ADVICE_INTERNAL_H
#define RELOCK_STATS_REPORT_ADVICE_INTERNAL_H

#include "stats/report/advice.h"
#include "stats/report/busy.h"

struct advising {
	struct advices *list;
	const struct model *model;
	struct labels *labels;
	struct busy busy;
	uint32_t *pairs;      /* of the model, by the number of their class's row */
	uint32_t *first_pair; /* by that number; one more for the end */
};

/* One lock, or all locks of a class together. Locks left to glibc are not among them. */
struct subject {
	uint32_t class_row; /* row of list->classes */
	uint32_t lock;      /* NONE: all of the class */
	size_t locks;
	uint32_t kind; /* as in struct class */
	uint32_t run;
	double largest_share; /* of their waiting that is for one of them */
	struct figures figures;
};

/* A place that holds a lock while others wait for it. */
struct holder {
	uint32_t context;
	double waits, wait_ns;
	double share, waits_share; /* of all waiting, and of all waits, for the lock */
};

/* What is worth saying of waits for a subject. True: something was. */
bool advise_waits(struct advising *a, const struct subject *s);
void advise_written(struct advising *a, const struct subject *s);
void advise_bursts(struct advising *a);
void advise_churn(struct advising *a);
void advise_burnt(struct advising *a);
void advise_home_made(struct advising *a);

/* The place that was waited for longest, by its name. False: none is known. */
bool holder_find(const struct advising *a, const struct subject *s, struct holder *out);

struct advice *advice_add(struct advising *a, const struct advice *advice);
void advice_set(struct advice *advice, enum advice_number id, double value);
/* Whether so much time is worth a line. */
bool advice_matters(const struct advising *a, double ns);
double advice_percentile(
	const struct advising *a, const struct figures *f, enum percentile_of what, double share);

#endif
