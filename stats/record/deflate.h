/*
 * Bounds the population of lock records: those of locks that were destroyed, or not used since the
 * last look, are folded into their class and their rows given back. What was counted stays counted,
 * under the class; only the split by address is lost. A lock that is used again gets a new record,
 * of the same class.
 *
 * Source: JDK-8181859 (June 2017), MonitorUsedDeflationThreshold: at an interval, when more than so
 * many percent of the population are in use. Here whichever thread needs a record looks at the
 * clock; there is no thread of ours.
 *
 * Contract: deflate_sometimes() and deflate_when_full() must not be called while the recorder's
 * lock (quiet.h) is held; they take it, with signals blocked. deflate_take(): any thread, any time.
 */
#ifndef RELOCK_STATS_RECORD_DEFLATE_H
#define RELOCK_STATS_RECORD_DEFLATE_H

#include <stdbool.h>
#include <stdint.h>

/* Populations below this are left alone: they cost nothing, and people want to see every lock. */
#define DEFLATE_LEAST 1024

/* `threshold` in percent; 0: only when there can be no more records. `interval_ns`: between looks.
 */
void deflate_open(uint32_t threshold, uint64_t interval_ns);
void deflate_reset(void);

/* Whether `free` of `population` rows are too few. In 64 bits, and false for a population of 0. */
static inline bool deflate_wanted(uint64_t population, uint64_t free, uint32_t threshold)
{
	return population > 0 && threshold > 0 && free <= population &&
	       (population - free) * 100 / population > threshold;
}

/* `population`: rows there are, those given back included. Looks when it is time, folds when it is
 * wanted. */
void deflate_sometimes(uint64_t population);
/* There can be no more rows. Whether some were given back, which is tried once an interval. */
bool deflate_when_full(uint64_t population);

/* A row that was given back, with the flag RLK_LOCK_FOLDED; false: there is none. */
bool deflate_take(uint32_t *record);

/* How many rows were ever given back: who follows a chain of records meanwhile may have left it. */
uint64_t deflate_given(void);

#endif
