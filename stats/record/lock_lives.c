/* Lives of locks: made and destroyed, over and over, at addresses that are used again. */
#include "stats/record/births.h"
#include "stats/record/chains.h"
#include "stats/record/classes.h"
#include "stats/record/records.h"

#include <stddef.h>

static bool born_alike(const struct rlk_class *class, const struct lock_id *id, uint64_t site)
{
	return (class->birth == RLK_BORN_INIT && class->address == site) ||
	       (class->birth == RLK_BORN_STATIC && class->address == id->address);
}

/* The record of an earlier lock that was born of this class at this address, and replaced since; or
 * NULL. */
static struct rlk_record *record_replaced_in(
	const uint32_t *bucket, const struct lock_id *id, uint32_t class_index, uint32_t *flags)
{
	uint32_t number = chain_first(bucket);

	while (number) {
		struct rlk_record *row = lock_row(number - 1);

		*flags = load32_acquire(&row->flags);
		if (load64(&row->lock) == id->address && load32(&row->kind) == (uint32_t)id->kind &&
			row_class(row) == class_index)
			return row;
		number = load32_acquire(&row->next);
	}
	return NULL;
}

static struct rlk_record *record_replaced(
	const struct lock_id *id, uint32_t class_index, uint32_t *flags)
{
	uint32_t *bucket[CHAINS_MOST];
	unsigned count = chains_of(id->address, bucket);
	struct rlk_record *row = NULL;

	for (unsigned i = 0; i < count && !row; i++)
		row = record_replaced_in(bucket[i], id, class_index, flags);
	return row;
}

/* Exchanged together: this is the way of programs that make and destroy a lock each time they need
 * one. */
union flags_and_generations {
	struct {
		uint32_t flags, generations;
	};
	uint64_t both;
};
_Static_assert(offsetof(struct rlk_record, flags) % sizeof(uint64_t) == 0 &&
		       offsetof(struct rlk_record, generations) ==
			       offsetof(struct rlk_record, flags) + sizeof(uint32_t),
	"flags and generations are one word");

static uint64_t *both_of(struct rlk_record *row)
{
	return (uint64_t *)(void *)&row->flags;
}

static void class_add_lives(uint32_t class_index, uint64_t created, uint64_t destroyed)
{
	struct rlk_class *class = class_row(class_index);

	if (created)
		add64(&class->created, created);
	if (destroyed)
		add64(&class->destroyed, destroyed);
}

void lock_lives_to_class(const struct rlk_record *row)
{
	uint32_t generations = load32(&row->generations);

	class_add_lives(row_class(row), RLK_RECORD_CREATED(generations),
		RLK_RECORD_DESTROYED(generations, load32(&row->flags)));
}

/*
 * False: it was folded meanwhile. A new life of the row begins, so that deflation, which may just
 * have kept the birth of the last one, does not fold it. The record says that the class has one
 * lock more, and one destroyed, so that this takes no other locked instruction.
 */
static bool record_reborn(
	struct rlk_record *row, uint32_t seen, const struct lock_id *id, uint32_t class_index)
{
	union flags_and_generations old = {.flags = seen}, new;
	uint64_t full;

	new.flags = id->flags | next_life(seen);
	do {
		old.generations = load32(&row->generations);
		old.flags = load32(&row->flags);
		if (old.flags & RLK_LOCK_FOLDED || (old.flags & LIFE) != (seen & LIFE))
			return false;
		full = old.generations == UINT32_MAX ? UINT32_MAX - 1 : 0;
		new.generations = old.generations + 1 - (uint32_t)full;
	} while (!cas64(both_of(row), old.both, new.both));
	if (unlikely(full || !(old.flags & RLK_LOCK_DESTROYED)))
		class_add_lives(class_index, full, full - !(old.flags & RLK_LOCK_DESTROYED));
	return true;
}

/* Whether a record of the address is still in a chain, though it stands for it no more. */
static bool is_passing(const struct lock_id *id)
{
	uint32_t *bucket[CHAINS_MOST], number = 0;
	unsigned count = chains_of(id->address, bucket);

	for (unsigned i = 0; i < count && !number; i++) {
		number = chain_first(bucket[i]);
		while (number && load64(&lock_row(number - 1)->lock) != id->address)
			number = load32_acquire(&lock_row(number - 1)->next);
	}
	return number != 0;
}

void lock_born(const struct lock_id *id, uint64_t site)
{
	uint32_t flags, number = record_find(id, &flags), class_index;
	struct rlk_record *row = number ? lock_row(number - 1) : NULL;
	struct birth birth;
	bool fresh;

	if (row) {
		class_index = row_class(row);
		if (born_alike(class_row(class_index), id, site) &&
			record_reborn(row, flags, id, class_index))
			return;
		flags_change(row, flags, UINT32_MAX, RLK_LOCK_REPLACED);
	}
	/* Another lock has the address from now on: threads have to look again. Of a record that
	 * deflation has just folded it may not yet have said so. */
	if (row || is_passing(id))
		lock_stamp_change(id->address);
	/* Only now that nobody folds the last record any more, and keeps its birth. */
	births_forget(id->address);
	birth = birth_of(id, site, true);
	class_index = class_of(&birth);
	/* Addresses are used in turn by locks from a few places: as many records as places, however
	 * often. */
	row = number ? record_replaced(id, class_index, &flags) : NULL;
	if (row && record_reborn(row, flags, id, class_index)) {
		store32(&row->rule, rule_of(class_index, &birth));
		return;
	}
	add64(&class_row(class_index)->created, 1);
	record_add(id, ANY_BIRTH, class_index, rule_of(class_index, &birth), &fresh);
}

void lock_died(const struct lock_id *id)
{
	uint32_t flags, number = record_find(id, &flags), class_index;
	struct rlk_record *row = number ? lock_row(number - 1) : NULL;

	if (row && flags_change(row, flags, UINT32_MAX, RLK_LOCK_DESTROYED))
		return;
	class_index = births_find(id->address);
	births_forget(id->address);
	if (class_index != BIRTH_UNKNOWN)
		add64(&class_row(class_index)->destroyed, 1);
}
