/*
 * What recording costs on this machine, so that a report can say how much of a run it was.
 */
#ifndef RELOCK_STATS_RECORD_COSTS_H
#define RELOCK_STATS_RECORD_COSTS_H

#include "stats/format.h"
#include "stats/record/shared.h"

/* Acquires and releases a lock of nobody's, as the C library does it and by the hooks. */
struct cost_probe {
	enum rlk_kind kind;
	const void *lock;
	/* Makes it anew: a child may find it as another thread of its parent's had it. */
	void (*reset)(void);
	void (*native)(void), (*hooked)(void);
};

/* Measures what is done for each acquisition and each hold, and fills the header's cost_ fields but
 * for that of waits, which are timed when there are some. NULL: what holds cost is not known. Some
 * 50 us; one thread at a time. */
void costs_measure(
	struct rlk_header *header, const struct cost_probe *mutex, const struct cost_probe *spin);

/* The clock's alone, once another is used. */
void costs_measure_clock(struct rlk_header *header);

/* Ticks, those of 4096 reads of the clock, some 30 us: what took longer was interrupted. */
static inline uint64_t cost_longest(const struct rlk_header *header)
{
	return load64(&header->cost_clock_1024) * (4096 / 1024);
}

#endif
