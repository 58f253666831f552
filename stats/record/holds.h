/* What is looked at where a hold begins, for those that begin with a wait as well. */
#ifndef RELOCK_STATS_RECORD_HOLDS_H
#define RELOCK_STATS_RECORD_HOLDS_H

#include "stats/record/thread.h"

/* Notes whether the lock's last known owner was another thread. */
void owner_seen(const struct thread *t, struct rlk_cell *cell, struct rlk_record *record);

#endif
