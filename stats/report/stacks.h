/*
 * The stacks of waiters, lock by lock.
 */
#ifndef RELOCK_STATS_REPORT_STACKS_H
#define RELOCK_STATS_REPORT_STACKS_H

#include "stats/report/screen.h"

struct stacks;

/* Sorts the waits by row of the view; `view` is by lock or by class. */
struct stacks *stacks_new(const struct model *model, const struct view *view);
void stacks_free(struct stacks *stacks);

/* The stacks that waited most for the locks of a row, each with all its frames. */
void stacks_print(const struct stacks *stacks, const struct report *report, size_t row);

#endif
