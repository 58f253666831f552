/*
 * Counts that there is no room for in the shard they belong to, and those of threads without one:
 * by class, for all threads together. max_memory bounds what is told apart, not what is counted.
 *
 * Contract: any thread, any time, signal handlers too; no lock.
 */
#ifndef RELOCK_STATS_RECORD_OVERFLOW_H
#define RELOCK_STATS_RECORD_OVERFLOW_H

#include "stats/format.h"

#include <stdbool.h>

/* Takes the rows while there is room for them. One thread. */
bool overflow_open(void);

/* `n` acquisitions of locks of a class, or with RLK_ENTRY_FAILED failed tries: `record` is the one
 * that stands for the class, or a static lock's. */
void overflow_count(uint32_t record, enum rlk_kind kind, uint64_t failed, uint64_t n);

#endif
