/* What is looked at where a hold begins, for those that begin with a wait as well. */
#ifndef RELOCK_STATS_RECORD_HOLDS_H
#define RELOCK_STATS_RECORD_HOLDS_H

#include "stats/record/thread.h"

/* Notes whether the lock's last known owner was another thread. */
void owner_seen(const struct thread *t, struct rlk_cell *cell, struct rlk_record *record);

/* Keeps what a wait was until the lock is released, which it got at `now`. False: write it down at
 * once. */
bool hold_takes_note(struct thread *t, struct rlk_entry *e, uint64_t key,
	const struct wait_note *note, uint64_t now);

/* Writes down what is kept: the thread ends, or the process. */
void holds_flush(struct thread *t);

#endif
