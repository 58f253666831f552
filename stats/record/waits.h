/*
 * What a wait was, and writing it down: in the cell of the lock, and by the places of who waited
 * for whom.
 *
 * A wait that ended with the lock is kept in the thread's own memory until the lock is released
 * (holds.h): writing it takes as long as a short hold, and would be part of it.
 */
#ifndef RELOCK_STATS_RECORD_WAITS_H
#define RELOCK_STATS_RECORD_WAITS_H

#include "policies/policy.h"
#include "stats/record/thread.h"

/* What `w` tells of a wait of so many ticks. */
void wait_take(struct wait_note *note, const struct wait *w, uint64_t ticks);

/* Writes down a wait for the lock of `e`. */
void wait_write(struct thread *t, struct rlk_entry *e, const struct wait_note *note);

/* A first table, or one twice as big, of at most `most` rows. False: no room. */
bool shard_table_grow(struct thread *t, struct shard_table *table, enum rlk_block_type type,
	size_t row_size, uint32_t most);

#endif
