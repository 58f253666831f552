/*
 * Where locks were born that are alive but have no record: none any more (deflate.h), or none yet,
 * because there may be no more. One word each, so that a lock which is used again is still of its
 * class.
 *
 * Contract: births_open() is for one thread, births_tidy() for the one that deflates; the rest for
 * any thread, any time.
 */
#ifndef RELOCK_STATS_RECORD_BIRTHS_H
#define RELOCK_STATS_RECORD_BIRTHS_H

#include <stdbool.h>
#include <stdint.h>

#define BIRTH_UNKNOWN UINT32_MAX

bool births_open(void);
void births_reset(void);

/* False: no room, or it is there already, as another thread has just kept it. */
bool births_keep(uint64_t lock, uint32_t class_index);

/* Shortens searches after many were forgotten; call it now and then. */
void births_tidy(void);

/* Number of the lock's class, or BIRTH_UNKNOWN. */
uint32_t births_find(uint64_t lock);
/* Whether it was there. */
bool births_forget(uint64_t lock);

/* How many there are, and the n-th of the `BIRTHS_SLOTS` places: false where it is empty. */
#define BIRTHS_SLOTS (1u << 20)
uint32_t births_count(void);
bool births_at(uint32_t slot, uint64_t *lock, uint32_t *class_index);

#endif
