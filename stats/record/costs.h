/*
 * What recording costs on this machine, so that a report can say how much of a run it was.
 */
#ifndef RELOCK_STATS_RECORD_COSTS_H
#define RELOCK_STATS_RECORD_COSTS_H

#include "stats/format.h"

/* Measures the steps of the hot path, on a lock of nobody's, and fills the header's cost_ fields
 * but for that of waits, which are timed when there are some. Some 50 us; one thread at a time. */
void costs_measure(struct rlk_header *header);

#endif
