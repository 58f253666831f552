#include "stats/record/entry.h"

#include "policies/arch.h"
#include "stats/record/costs.h"
#include "stats/record/overflow.h"

/* One in so many is timed. */
#define FIRST_SAMPLE 16

/* --- finding */

/* The slot of a key, and its row in `found`; or the slot that it would have, and NULL. NULL: the
 * directory is full. The directory may be another thread's, or one that is no longer in use. */
static uint32_t *slot_of(const struct thread *t, uint32_t *directory, uint32_t hash, uint64_t key,
	struct rlk_entry **found)
{
	uint32_t slots = directory_slots(hash), at = entry_home(key, hash);
	const char *base = entry_base(t);

	*found = NULL;
	for (uint32_t step = 0; step < slots; step++) {
		/* Acquire pairs with the release of whoever filled the slot: the row has its key.
		 */
		uint32_t number = load32_acquire(&directory[at]);

		if (!number)
			return &directory[at];
		/* The slot is not looked at again: a handler may put another there. */
		if (load64(&entry_of_base(base, number)->lock) == key) {
			*found = entry_of_base(base, number);
			return &directory[at];
		}
		at = at + 1 < slots ? at + 1 : 0;
	}
	return NULL;
}

const struct rlk_entry *entry_peek(const struct thread *t, uint64_t key)
{
	/* Acquire pairs with directory_replace(). */
	uint32_t hash = load32_acquire(&t->hash);
	uint32_t *directory =
		atomic_load_explicit((_Atomic(uint32_t *) *)&t->directory, memory_order_acquire);
	struct rlk_entry *found;

	if (!directory || !hash)
		return NULL;
	slot_of(t, directory, hash, key, &found);
	return found;
}

/* --- making */

static struct rlk_entry *row_freed(struct thread *t)
{
	const char *base = entry_base(t);
	uint64_t head = load64(&t->rows.freed);

	while ((uint32_t)head) {
		struct rlk_entry *e = entry_of_base(base, (uint32_t)head);

		/* Somebody counted in a row that was given back: the list ends here. */
		if (!row_link_holds(e->site)) {
			cas64(&t->rows.freed, head, (head >> 32) << 32);
			return NULL;
		}
		if (cas64(&t->rows.freed, head, (head >> 32) << 32 | (uint32_t)e->site)) {
			e->site = 0;
			return e;
		}
		head = load64(&t->rows.freed);
	}
	return NULL;
}

/* An empty row, while more than `kept` of the block are left. */
static struct rlk_entry *row_take(struct thread *t, uint32_t kept)
{
	struct rlk_entry *e = row_freed(t);
	const char *base = entry_base(t);
	uint64_t fresh = load64(&t->rows.fresh);

	while (!e && (uint32_t)fresh > kept) {
		if (cas64(&t->rows.fresh, fresh, fresh + ((uint64_t)1 << 32) - 1))
			e = entry_of_base(base, (uint32_t)(fresh >> 32));
		else
			fresh = load64(&t->rows.fresh);
	}
	t->rows.taken += e != NULL;
	return e;
}

/*
 * The key's row, or one that becomes it while there are slots below `limit` and more than `kept`
 * rows. A handler may come between any two steps, and take the slot, or put another directory
 * there.
 */
static struct rlk_entry *entry_slot(struct thread *t, uint64_t key, uint32_t limit, uint32_t kept)
{
	struct rlk_entry *mine = NULL, *e = NULL;

	for (;;) {
		uint32_t hash = load32(&t->hash), *directory, *slot;

		atomic_signal_fence(memory_order_acquire); /* as in entry_ahead() */
		directory = t->directory;
		if (unlikely(!directory))
			return NULL; /* a handler forked, and this is the child */
		slot = slot_of(t, directory, hash, key, &e);
		if (e || !slot || t->slots_used >= limit)
			break;
		if (!mine && !(mine = row_take(t, kept)))
			break;
		/* Not current before entry_revalidate() says so. */
		store16(&mine->stamp, (uint16_t)(lock_stamp(key) - 1));
		store64_release(&mine->lock, key);
		if (!cas32(slot, 0, entry_number(t, mine)))
			continue;
		add32(&t->slots_used, 1);
		if (t->directory == directory && load32(&t->hash) == hash)
			return mine;
	}
	/* A handler that made a directory of the rows may have counted in it. */
	if (mine && mine != e && load64(&mine->lock) == key && !load64(&mine->acquired))
		row_give(t, mine);
	return e;
}

static struct rlk_entry *entry_of_record(struct rlk_entry *e, uint32_t record, enum rlk_kind kind)
{
	if (e && !e->record) {
		store16(&e->state, (uint16_t)(kind << RLK_ENTRY_KIND_SHIFT));
		store32_release(&e->record, record + 1);
	}
	return e;
}

struct rlk_entry *entry_of_class(
	struct thread *t, uint32_t record, enum rlk_kind kind, uint64_t failed)
{
	uint64_t key = class_key(record, kind) | failed;

	return entry_of_record(entry_slot(t, key, UINT32_MAX, 0), record, kind);
}

/* --- the address has another lock now, or the entry was not finished */

static bool entry_current(const struct rlk_entry *e, uint64_t key)
{
	return load32(&e->record) && e->stamp == lock_stamp(key);
}

/* The entry for an earlier life of the lock that has the address again, taken back; or NULL. */
static struct rlk_entry *entry_reborn(struct thread *t, uint64_t key, uint32_t record)
{
	uint32_t hash = load32(&t->hash), *directory, slots, at;
	const char *base = entry_base(t);

	atomic_signal_fence(memory_order_acquire); /* as in entry_ahead() */
	directory = t->directory;
	if (unlikely(!directory))
		return NULL;
	slots = directory_slots(hash);
	at = entry_home(key, hash);
	for (uint32_t step = 0; step < slots; step++) {
		uint32_t number = load32(&directory[at]);
		struct rlk_entry *e = entry_of_base(base, number);

		if (!number)
			break;
		if (e->lock == (key | KEY_REPLACED) && load32(&e->record) == record) {
			store64(&e->lock, key);
			return e;
		}
		at = at + 1 < slots ? at + 1 : 0;
	}
	return NULL;
}

/* Finds out which lock the entry is of. NULL: it has to be looked for again, as `e` is no longer
 * the key's, or the record no longer the lock's. */
static struct rlk_entry *entry_revalidate(struct thread *t, struct rlk_entry *e, uint64_t key,
	const struct lock_id *id, uint64_t site)
{
	uint16_t stamp = lock_stamp(key), waited = 0;
	uint32_t record = lock_record(id, site) + 1, has = load32(&e->record), cell;

	if (has && has != record) {
		store64(&e->lock, key | KEY_REPLACED);
		e = entry_reborn(t, key, record);
		if (!e)
			return NULL;
		has = record;
	}
	if (load32(&lock_row(record - 1)->waiters_max))
		waited = RLK_ENTRY_WAITED;
	cell = has ? RLK_ENTRY_CELL(e->state) : 0;
	store16(&e->state, (uint16_t)(key_kind(key, id) << RLK_ENTRY_KIND_SHIFT | waited | cell));
	/* Never over what it has: deflation may have given it the class's in between. */
	if (!has)
		cas32(&e->record, 0, record);
	/* A handler that finds it current finds the record. */
	store16_release(&e->stamp, stamp);
	return lock_record_stands(record - 1, id) ? e : NULL;
}

/* A handler that comes between may give what is under way to another class. */
static void spill(struct rlk_entry *e)
{
	uint64_t count =
		atomic_exchange_explicit((_Atomic uint64_t *)&e->acquired, 0, memory_order_relaxed);

	if (count)
		overflow_count(e->record - 1, entry_kind(e), e->lock & KEY_FAILED, count);
	store32(&e->record, 0);
}

/* Of threads that a handler's fork left behind in the child, in the middle of this. */
static struct rlk_entry nobodys;

/* No room for this lock: it is counted with its class, in the end for all threads together. */
static struct rlk_entry *entry_folded(
	struct thread *t, uint64_t key, const struct lock_id *id, uint64_t site)
{
	enum rlk_kind kind = key_kind(key, id);
	uint64_t failed = key & KEY_FAILED;
	uint32_t record = lock_class_record(lock_record(id, site));
	struct rlk_entry *e = entry_of_class(t, record, kind, failed);

	add64(&arena_header->lost.entries_folded, 1);
	if (e)
		return e;
	e = atomic_load_explicit((_Atomic(struct rlk_entry *) *)&t->spill, memory_order_relaxed);
	if (unlikely(!e))
		return &nobodys;
	spill(e);
	store64(&e->lock, class_key(record, kind) | failed | KEY_REPLACED);
	return entry_of_record(e, record, kind);
}

static void note_cost(uint64_t ticks)
{
	uint64_t most = cost_longest(arena_header);

	add64(&arena_header->cost_first_uses, (ticks < most ? ticks : most) * FIRST_SAMPLE);
}

struct rlk_entry *entry_get(struct thread *t, uint64_t key, const struct lock_id *id, uint64_t site)
{
	uint64_t begin = ++t->slow % FIRST_SAMPLE ? 0 : arch_ticks();

	for (;;) {
		struct rlk_entry *e = entry_slot(t, key, t->rows.slots_limit, ROWS_KEPT);

		if (!e) {
			if (entries_grow(t))
				continue;
			return entry_folded(t, key, id, site);
		}
		if (!entry_current(e, key))
			e = entry_revalidate(t, e, key, id, site);
		else if (++t->displaced >= t->displaced_most)
			entries_rehash(t);
		if (e && begin)
			note_cost(arch_ticks() - begin);
		if (e)
			return e;
	}
}
