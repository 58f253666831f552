/*
 * Ticks to nanoseconds, by two moments on both clocks.
 */
#ifndef RELOCK_STATS_REPORT_CLOCK_H
#define RELOCK_STATS_REPORT_CLOCK_H

#include "stats/format.h"

#include <stdbool.h>

#define CLOCK_IN_NS 2 /* header.clock: the monotonic clock itself; above, in other units */

struct clock {
	uint64_t start_ticks;
	uint64_t ticks, ns; /* so many ticks last so many ns; ticks != 0 */
	uint64_t span_ns;   /* from the start to the latest moment known */
	bool known;         /* false: no two moments to compare, a tick is taken for a ns */
};

void clock_set(struct clock *clock, const struct rlk_header *header);

/* Rounded to the nearest ns; what does not fit is UINT64_MAX. */
uint64_t clock_ns(const struct clock *clock, uint64_t ticks);
/* The reverse. */
uint64_t clock_ticks(const struct clock *clock, uint64_t ns);
/* A moment, in ns since the start of the recording; earlier ones are 0. */
uint64_t clock_since_start(const struct clock *clock, uint64_t ticks);
/* Whether a tick of both lasts the same to within 0.1 %. */
bool clock_same(const struct clock *a, const struct clock *b);

#endif
