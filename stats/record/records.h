/* Rows of locks, for those who find, make and end them: locks.c and lock_lives.c. */
#ifndef RELOCK_STATS_RECORD_RECORDS_H
#define RELOCK_STATS_RECORD_RECORDS_H

#include "stats/record/locks.h"
#include "stats/record/shared.h"

/*
 * The upper half of a row's flags counts the lives it had, as records of one lock after the other
 * and as generations of one. Whoever has found a row for a lock, and then wants to change its
 * flags, sees by it that the row is another's by now.
 */
#define LIFE_ONE (1u << 16)
#define LIFE (UINT32_MAX << 16)

static inline uint32_t next_life(uint32_t flags)
{
	return (flags & LIFE) + LIFE_ONE;
}

/* Of a row that may just be given to another lock: whatever number it is, the class is there. */
static inline uint32_t row_class(const struct rlk_record *row)
{
	return load32_acquire(&row->class_index);
}

/* Changes flags unless the record was folded, or is in another life than `seen` says: then it is no
 * longer the lock's. */
static inline bool flags_change(struct rlk_record *row, uint32_t seen, uint32_t keep, uint32_t add)
{
	uint32_t old = load32(&row->flags);

	do {
		if (old & RLK_LOCK_FOLDED || (old & LIFE) != (seen & LIFE))
			return false;
	} while (!atomic_compare_exchange_weak_explicit((_Atomic uint32_t *)&row->flags, &old,
		(old & keep) | add, memory_order_acq_rel, memory_order_relaxed));
	return true;
}

/* 1 + the record that the address has now, and its flags as they were then; 0: none. */
uint32_t record_find(const struct lock_id *id, uint32_t *flags);

/* Whatever the birth is: the caller has just told where the lock was born. */
#define ANY_BIRTH (BIRTH_UNKNOWN - 1)

/* *fresh: the lock was not known before, and no other thread has just added it. TABLE_NONE: its
 * birth is not `birth` any more. Returns the number of its record. */
uint32_t record_add(
	const struct lock_id *id, uint32_t birth, uint32_t class_index, uint32_t rule, bool *fresh);

#endif
