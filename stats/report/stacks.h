/*
 * The stacks of waiters, lock by lock.
 */
#ifndef RELOCK_STATS_REPORT_STACKS_H
#define RELOCK_STATS_REPORT_STACKS_H

#include "stats/report/screen.h"

struct stacks;

/* What one context waited for the locks of one row of the view. */
struct stack_wait {
	uint32_t row, context; /* context 0: not known */
	uint64_t count, wait_ns;
};

/* Sorts the waits by row of the view; `view` is by lock or by class. */
struct stacks *stacks_new(const struct model *model, const struct view *view);
void stacks_free(struct stacks *stacks);

/* All waits, the caller may sort them; none is printed by row then. Valid until stacks_free(). */
struct stack_wait *stacks_waits(struct stacks *stacks, size_t *count);

/* The stacks that waited most for the locks of a row, each with all its frames. */
void stacks_print(const struct stacks *stacks, const struct report *report, size_t row);

#endif
