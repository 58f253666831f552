/*
 * The recorder around a litmus round: opened once, empty at the beginning of each round, looked at
 * by a reader as one outside would.
 */
#ifndef RELOCK_TESTS_LITMUS_WORLD_H
#define RELOCK_TESTS_LITMUS_WORLD_H

#include "stats/record/classes.h"
#include "stats/record/recorder.h"
#include "tests/litmus/litmus.h"

/* Locks that meet wherever they can: in one chain of records while there are few, at one stamp, and
 * at one place among the births. */
#define WORLD_LOCKS 16
extern uint64_t world_address[WORLD_LOCKS];

/* A return address in no module. */
#define WORLD_SITE(number) (0x1000u + (uint64_t)(number)*16)

/* Everything there is, and nothing recorded. `max_locks` of the first call holds. */
void world_begin(uint64_t max_locks);

/* One look of deflation at all records, whatever the time is; `again`: two, so that what is idle
 * is folded. */
void world_deflate(bool again);
/* One row given back, as deflation does it. */
void world_give_back(uint32_t record);
/* Where the ring of rows given back stands: so that its end is met. */
void world_ring_at(uint64_t position);
/* Rows in it. */
uint64_t world_free_rows(void);

/* What a thread that was recorded does last. */
void world_leave(void);

static inline struct lock_id world_lock(unsigned number)
{
	return (struct lock_id){world_address[number], RLK_KIND_MUTEX, 0};
}

/* --- as a reader sees it */

#define WORLD_CLASSES 64 /* at most so many are used */

struct sums {
	uint64_t acquired;                /* all of it */
	uint64_t of_class[WORLD_CLASSES]; /* by number of the class */
	uint64_t records, standing;       /* rows with a key; those that stand for an address */
	uint64_t nobodys; /* acquisitions whose record has no key, or is none at all */
};

/* Adds up a copy of the recording. Where threads are scheduled it is that of one moment, as a kill
 * would leave it. */
void world_sum(struct sums *sums);

#endif
