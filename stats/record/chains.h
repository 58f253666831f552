/*
 * Chains of the lock records by address: their heads. The links are in the records.
 *
 * Contract: chains_open() and chains_reset() are for one thread; the rest for any thread, any time,
 * no lock; chain_unlink() for one thread at a time.
 */
#ifndef RELOCK_STATS_RECORD_CHAINS_H
#define RELOCK_STATS_RECORD_CHAINS_H

#include "stats/record/locks.h"

bool chains_open(void);
void chains_reset(void);

/*
 * A bucket is 1 + the first record of its chain; in its upper bits, how often it was changed: a
 * record that comes to the head for a second time must not look as if nothing had happened.
 */
#define CHAIN_NUMBER ((1u << 25) - 1)

/* The buckets in whose chains the records of an address may be, and how many these are. */
#define CHAINS_MOST 2
unsigned chains_of(uint64_t address, uint32_t *bucket[CHAINS_MOST]);

/* The one that a new record is pushed to. */
uint32_t *chain_to_push(uint64_t address);

/* Puts `number`, 1 + a record, in the place of what was there. */
static inline bool chain_change(uint32_t *bucket, uint32_t head, uint32_t number)
{
	return cas32(bucket, head, ((head & ~CHAIN_NUMBER) + CHAIN_NUMBER + 1) | number);
}

/* 1 + the first record of a chain. */
static inline uint32_t chain_first(const uint32_t *bucket)
{
	return load32_acquire(bucket) & CHAIN_NUMBER;
}

/* Takes a record out. False: it is not in that chain. */
bool chain_unlink(uint32_t *bucket, uint32_t record);

#endif
