/*
 * Room in a thread's rows: entries of locks that were folded into their class are nothing but
 * counts. When half of the rows are such, the counts go to the entries of the classes, and the rows
 * are used again. So a thread has as many rows as the locks it uses between two looks of deflation
 * need, not as those it ever used.
 *
 * A row is given back one compaction after it was taken out of the directory: a handler may compact
 * while what it interrupted is about to count in one, and that is then still counted for the class.
 */
#include "stats/record/entry.h"
#include "stats/record/quiet.h"

/* Rows. Fewer are not worth the while. */
#define COMPACT_LEAST 1024

static bool is_counts_only(const struct rlk_entry *e)
{
	uint32_t record = load32(&e->record);

	return record && !(e->lock & KEY_CLASS) &&
	       (load32(&lock_row(record - 1)->flags) & RLK_LOCK_IS_CLASS);
}

static uint64_t offset_of(const struct thread *t, const struct rlk_entry *e)
{
	return (uint64_t)((const char *)e - t->base);
}

/* Whatever ends the process in between, the shard's row tells how it would have gone on. Signals
 * are blocked: nobody counts meanwhile. */
static void move_count(struct thread *t, struct rlk_entry *from, struct rlk_entry *to)
{
	struct rlk_shard *shard = t->row;

	shard->move.to = offset_of(t, to);
	shard->move.acquired = to->acquired + from->acquired;
	store64_release(&shard->move.from, offset_of(t, from));
	atomic_thread_fence(memory_order_release);
	store64(&from->acquired, 0);
	store64(&to->acquired, shard->move.acquired);
	store64_release(&shard->move.from, 0);
	atomic_thread_fence(memory_order_release);
}

/* Moves what an entry counts to its class's. False: there is no room for that. */
static bool count_with_class(struct thread *t, struct rlk_entry *e)
{
	struct rlk_entry *to =
		entry_of_class(t, load32(&e->record) - 1, entry_kind(e), e->lock & KEY_FAILED);

	if (!to)
		return false;
	if (!RLK_ENTRY_CELL(to->state))
		to->state |= (uint16_t)RLK_ENTRY_CELL(e->state);
	if (e->acquired)
		move_count(t, e, to);
	return true;
}

static void take_out(struct thread *t, struct rlk_entry *e)
{
	if (count_with_class(t, e))
		store64(&e->lock, class_key(load32(&e->record) - 1, entry_kind(e)) |
					  (e->lock & KEY_FAILED) | KEY_REPLACED);
}

static void wipe(struct thread *t, struct rlk_entry *e)
{
	if (e->acquired && !count_with_class(t, e))
		return;
	store32_release(&e->record, 0);
	e->state = 0;
	row_give(t, e);
}

static bool worth_it(const struct thread *t)
{
	struct row_walk walk = rows_walk(t);
	struct rlk_entry *e;
	uint32_t useless = 0;

	while ((e = rows_next(t, &walk)))
		useless += e->lock && (entry_is_out(e) || is_counts_only(e));
	return useless * 2 >= t->rows.made;
}

/* Holds may be of rows that are about to go. */
static void keep_held(struct thread *t)
{
	for (uint32_t i = 0; i < t->held_count && i < HELD_MAX; i++) {
		struct rlk_entry *e = t->held[i].entry;

		if (!t->held[i].key || !e || !(entry_is_out(e) || is_counts_only(e)))
			continue;
		e = entry_of_class(t, load32(&e->record) - 1, entry_kind(e), 0);
		if (e)
			t->held[i].entry = e;
	}
}

static void go_over_rows(struct thread *t)
{
	struct row_walk walk = rows_walk(t);
	struct rlk_entry *e;

	keep_held(t);
	while ((e = rows_next(t, &walk))) {
		if (!e->lock || e == t->spill)
			continue;
		if (entry_is_out(e))
			wipe(t, e);
		else if (is_counts_only(e))
			take_out(t, e);
	}
	directory_refill(t);
}

bool entries_compact(struct thread *t)
{
	struct quiet quiet;
	bool done;

	/* Going over all rows must not be more than a part of what making them costs. */
	if (t->rows.made < COMPACT_LEAST || t->rows.taken < t->rows.made / 4 ||
		!load64(&arena_header->deflation.folded))
		return false;
	t->rows.taken = 0;
	/* Deflation must not go over them meanwhile. */
	quiet_begin(&quiet);
	done = t->directory &&
	       worth_it(t); /* none: a handler forked before, and this is the child */
	if (done)
		go_over_rows(t);
	quiet_end(&quiet);
	return done;
}
