#include "stats/record/quiet.h"
#include "stats/record/recorder.h"

#define FIRST_ENTRIES 64

bool entries_grow(struct thread *t)
{
	uint32_t rows = t->entries ? (uint32_t)(t->mask + 1) * 2 : FIRST_ENTRIES;
	struct rlk_block *block;
	struct quiet quiet;

	if (t->entries && entries_compact(t))
		return true;
	block = arena_block(RLK_ENTRIES, sizeof(struct rlk_entry), rows, 0, t->number + 1, true);
	if (!block)
		return false;
	/* Other threads peek: they must see the new rows before the new mask (entry_peek loads them
	 * in the other order). A handler of this thread must see neither or all. */
	signals_block(&quiet);
	t->older = t->entries;
	t->older_mask = t->mask;
	atomic_store_explicit((_Atomic(struct rlk_entry *) *)&t->entries, block_rows(block),
		memory_order_release);
	store64_release(&t->mask, rows - 1);
	t->shift = 33u + (uint32_t)__builtin_clz(rows);
	t->entries_used = 0;
	signals_restore(&quiet);
	return true;
}

/* Looks a key up in a table that may be another thread's, or one that is no longer in use. */
static const struct rlk_entry *entry_find(
	const struct rlk_entry *entries, uint64_t mask, uint64_t key)
{
	uint32_t shift = 1u + (uint32_t)__builtin_clzll(mask + 1);

	for (uint64_t step = 0; entries && step <= mask; step++) {
		const struct rlk_entry *e = &entries[(entry_home(key, shift) + step) & mask];
		uint64_t lock = load64(&e->lock);

		if (lock == key)
			return e;
		if (!lock)
			return NULL;
	}
	return NULL;
}

static uint32_t kind_of(const struct lock_id *id, uint64_t key)
{
	return id->kind == RLK_KIND_RDLOCK && (key & KEY_WRITE_SIDE) ? RLK_KIND_WRLOCK : id->kind;
}

static bool entry_current(const struct rlk_entry *e, uint64_t key)
{
	return e->record && e->stamp == lock_stamp(key);
}

/* The entry for an earlier life of the lock that has the address again, taken back; or NULL. */
static struct rlk_entry *entry_reborn(struct thread *t, uint64_t key, uint32_t record)
{
	uint64_t mask = load64(&t->mask), home = entry_home(key, load32(&t->shift));
	struct rlk_entry *entries;

	atomic_signal_fence(memory_order_acquire); /* as in entry_fast() */
	entries = t->entries;
	for (uint64_t step = 0; step <= mask; step++) {
		struct rlk_entry *e = &entries[(home + step) & mask];

		if (!e->lock)
			return NULL;
		if (e->lock == (key | KEY_REPLACED) && e->record == record) {
			store64(&e->lock, key);
			return e;
		}
	}
	return NULL;
}

static bool record_has_key(uint32_t record, uint64_t key)
{
	const struct rlk_record *row = lock_row(record);
	struct lock_id id = {key & ~(uint64_t)KEY_WRITE_SIDE, (enum rlk_kind)row->kind, 0};

	return lock_record_stands(record, &id);
}

/* What a fresh entry can take over from the one in the table before: all but the counts, which stay
 * where they are. */
static bool entry_carried_over(const struct thread *t, struct rlk_entry *e, uint64_t key)
{
	const struct rlk_entry *old = entry_find(t->older, t->older_mask, key);
	uint32_t record;

	if (e->record || !old || !old->record || old->stamp != lock_stamp(key))
		return false;
	e->kind = old->kind;
	e->waited = old->waited;
	e->cell = old->cell;
	e->site = old->site;
	e->stamp = old->stamp;
	record = load32(&old->record);
	store32_release(&e->record, record);
	/* Folded meanwhile: deflation may have passed this table before there was anything in it.
	 */
	if (!record_has_key(record - 1, key)) {
		store32_release(&e->record, 0);
		e->cell = 0;
		return false;
	}
	return true;
}

/* The address has another lock now, or the entry was not finished: finds out which. NULL: it has to
 * be looked for again, as `e` is no longer the key's, or the record no longer the lock's. */
static struct rlk_entry *entry_revalidate(struct thread *t, struct rlk_entry *e, uint64_t key,
	const struct lock_id *id, uint64_t site)
{
	uint32_t stamp = lock_stamp(key);
	uint32_t record = lock_record(id, site) + 1;

	if (e->record && e->record != record) {
		store64(&e->lock, key | KEY_REPLACED);
		e = entry_reborn(t, key, record);
		if (!e)
			return NULL;
	}
	e->kind = kind_of(id, key);
	e->waited = lock_row(record - 1)->waiters_max != 0;
	store32_release(&e->record, record);
	e->stamp = stamp;
	return lock_record_stands(record - 1, id) ? e : NULL;
}

/* Claims a free slot or finds the key's own. NULL: the table is as full as it may become. */
static struct rlk_entry *entry_slot(struct thread *t, uint64_t key, uint64_t limit)
{
	uint64_t mask = load64(&t->mask), home = entry_home(key, load32(&t->shift));
	struct rlk_entry *entries;

	/* As in entry_fast(). A slot claimed in a table that a handler has just replaced is as good
	 * as any. */
	atomic_signal_fence(memory_order_acquire);
	entries = t->entries;
	for (uint64_t step = 0; step <= mask; step++) {
		struct rlk_entry *e = &entries[(home + step) & mask];

		if (e->lock == key)
			return e;
		if (e->lock)
			continue;
		if (t->entries_used >= limit)
			return NULL;
		/* A handler may have come between and taken it. */
		if (cas64(&e->lock, 0, key)) {
			t->entries_used++;
			return e;
		}
		if (e->lock == key)
			return e;
	}
	return NULL;
}

/* No room for this lock: it is counted with its class, or at the very end with everything else. */
static struct rlk_entry *entry_folded(
	struct thread *t, uint64_t key, const struct lock_id *id, uint64_t site)
{
	uint32_t record = lock_class_record(lock_record(id, site));
	uint32_t kind = kind_of(id, key);
	struct rlk_entry *e = entry_slot(t, class_key(record, kind), t->mask + 1 - 2);

	if (!e) {
		record = 0;
		e = entry_slot(t, class_key(record, kind), t->mask + 1);
	}
	add64(&arena_header->lost.entries_folded, 1);
	if (!e)
		e = &t->entries[0];
	if (!e->record) {
		e->kind = kind;
		store32_release(&e->record, record + 1);
	}
	return e;
}

struct rlk_entry *entry_get(struct thread *t, uint64_t key, const struct lock_id *id, uint64_t site)
{
	for (;;) {
		struct rlk_entry *e = entry_slot(t, key, (t->mask + 1) / 4 * 3);

		if (!e) {
			if (entries_grow(t))
				continue;
			return entry_folded(t, key, id, site);
		}
		if (!entry_current(e, key) && !entry_carried_over(t, e, key))
			e = entry_revalidate(t, e, key, id, site);
		if (e)
			return e;
	}
}

const struct rlk_entry *entry_peek(const struct thread *t, uint64_t key)
{
	/* Acquire pairs with entries_grow(): a mask that is seen has rows at least as many behind
	 * it. */
	uint64_t mask = load64_acquire(&t->mask);

	return entry_find(atomic_load_explicit(
				  (_Atomic(struct rlk_entry *) *)&t->entries, memory_order_acquire),
		mask, key);
}

/* --- cells */

static struct rlk_cell *cell_at(const struct thread *t, uint32_t cell)
{
	return (struct rlk_cell *)block_rows(t->cell_chunk[cell / CELL_ROWS]) + cell % CELL_ROWS;
}

static struct rlk_cell *cell_new(struct thread *t, const struct rlk_entry *e, uint32_t *cell)
{
	uint32_t n = add32(&t->cells_used, 1);
	struct rlk_block **chunk = &t->cell_chunk[n / CELL_ROWS];
	struct rlk_cell *row;

	if (n >= CELL_ROWS * CELL_CHUNKS) {
		store32(&t->cells_used, CELL_ROWS * CELL_CHUNKS);
		return NULL;
	}
	if (!*chunk) {
		struct rlk_block *fresh = arena_block(
			RLK_CELLS, sizeof(struct rlk_cell), CELL_ROWS, 0, t->number + 1, false);

		if (!fresh)
			return NULL;
		if (!*chunk)
			*chunk = fresh;
	}
	row = cell_at(t, n);
	if (!arena_touch(row, sizeof(*row)))
		return NULL;
	/* In order, unless one failed or a handler took the next: then those behind it are as if
	 * they were not there. */
	if (load32(&(*chunk)->touched) == n % CELL_ROWS)
		store32_release(&(*chunk)->touched, n % CELL_ROWS + 1);
	row->kind = e->kind;
	entry_publish(&row->record, load32(&e->record), e);
	*cell = n + 1;
	return row;
}

/* Too many locks of their own: the cell of the class, through the class's entry. */
static struct rlk_cell *cell_of_class(struct thread *t, struct rlk_entry *e)
{
	uint32_t record = lock_class_record(e->record - 1);
	struct rlk_entry *class_entry = entry_slot(t, class_key(record, e->kind), t->mask + 1 - 2);

	if (!class_entry || class_entry == e)
		return NULL;
	if (!class_entry->record) {
		class_entry->kind = e->kind;
		store32_release(&class_entry->record, record + 1);
	}
	return entry_cell(t, class_entry);
}

struct rlk_cell *entry_cell(struct thread *t, struct rlk_entry *e)
{
	struct rlk_cell *row;
	uint32_t cell = e->cell;

	if (cell)
		return cell_at(t, cell - 1);
	/* The last chunks are kept for classes. */
	if (!(e->lock & KEY_CLASS) && t->cells_used >= CELL_ROWS * (CELL_CHUNKS - 32)) {
		add64(&arena_header->lost.cells_folded, 1);
		return cell_of_class(t, e);
	}
	row = cell_new(t, e, &cell);
	if (row)
		store32_release(&e->cell, cell);
	return row;
}
