/*
 * Holds that are timed: from the return of a lock call to the beginning of the unlock.
 *
 * With every hold timed this is the hot path: beside two reads of the clock it takes some twenty
 * instructions and two lines of the cell.
 */
#include "stats/record/holds.h"

#include "stats/record/recorder.h"
#include "stats/record/sites.h"

void owner_seen(const struct thread *t, struct rlk_cell *cell, struct rlk_record *record)
{
	uint32_t before = load32(&record->last_owner);

	if (before) {
		shard_add(&cell->owners_seen, 1);
		shard_add(&cell->owner_changes, before != t->number + 1);
	}
	if (before != t->number + 1)
		store32(&record->last_owner, t->number + 1);
}

/*
 * One thread that takes one lock over and over could take it once for many. Runs are found at the
 * acquisitions that are looked at, from how many there were since the last look: at least
 * RLK_BURST_LEAST, no further apart than recorder.burst_gap on average.
 */
static void burst_step(const struct rlk_entry *e, struct rlk_cell *cell, uint64_t key, uint64_t now)
{
	uint32_t acquired = (uint32_t)e->acquired, count = acquired - cell->burst_from;
	uint64_t length = now - cell->burst_at;

	if (cell->burst_lock == key && length <= count * recorder.burst_gap) {
		if (count < RLK_BURST_LEAST)
			return;
		shard_add(&cell->burst_acquired, count);
		shard_add(&cell->burst_total, length);
	}
	cell->burst_lock = key;
	cell->burst_from = acquired;
	cell->burst_at = now;
}

static void sample_next(struct thread *t)
{
	t->acquired_before += t->sample_step;
	t->until_sample = t->sample_step =
		likely(recorder.holds == RECORD_HOLDS_ALL) ? 1 : sample_step(t);
}

/* Where every hold is timed one in eight will do, spread out: the owner is in a cache line of the
 * lock's record, and often another thread's. */
static bool is_looked_at(const struct thread *t)
{
	return recorder.holds != RECORD_HOLDS_ALL ||
	       t->acquired_before * 0x9e3779b97f4a7c15u >> 61 == 0;
}

/* Then a hold goes on. */
static bool can_be_held_twice(const struct rlk_entry *e)
{
	return entry_kind(e) == RLK_KIND_RDLOCK ||
	       (lock_row(e->record - 1)->flags & RLK_LOCK_RECURSIVE);
}

/* The place of a hold that is not the only one; HELD_MAX: there is none. */
static COLD uint32_t held_place(const struct thread *t, const struct rlk_entry *e, uint64_t key)
{
	uint32_t at = 0;

	while (at < t->held_count && t->held[at].key != key)
		at++;
	if (at == HELD_MAX) {
		add64(&arena_header->lost.holds_dropped, 1);
	} else if (at < t->held_count) {
		if (can_be_held_twice(e))
			return HELD_MAX;
		/* Never seen to end: another thread unlocked it. Makes room for this one. */
		add64(&arena_header->lost.foreign_unlocks, 1);
	}
	return at;
}

static COLD void settle_module(const struct rlk_entry *e)
{
	if (!(load64(&e->site) & KEY_CLASS))
		module_settle(load64(&e->site));
}

static OUT_OF_LINE int hold_begin_looking(
	struct thread *t, struct rlk_entry *e, uint64_t key, uint64_t now)
{
	struct rlk_cell *cell;
	uint32_t at = 0;

	if (unlikely(atomic_load_explicit(&modules_nameless, memory_order_relaxed)))
		settle_module(e);
	if (unlikely(recorder.holds == RECORD_HOLDS_OFF))
		return 0;
	cell = entry_cell(t, e);
	if (unlikely(!cell))
		return 0;
	if (is_looked_at(t)) {
		if (!now) /* otherwise it ends a wait, which has looked already */
			owner_seen(t, cell, lock_row(e->record - 1));
		if (!now)
			now = arch_ticks();
		burst_step(e, cell, key, now);
		recorder_calibrate_sometimes(now);
	}
	if (unlikely(t->held_count)) {
		at = held_place(t, e, key);
		if (at == HELD_MAX)
			return 0;
	}
	t->held[at].key = key;
	t->held[at].cell = cell;
	/* A handler finds the hold only when it is whole. */
	t->held[at].start = now ? now : arch_ticks();
	atomic_signal_fence(memory_order_release);
	if (likely(at == t->held_count))
		t->held_count = at + 1;
	return 0;
}

/* With every hold timed nothing is looked at most of the time, and no other hold is under way: that
 * needs no call and no frame. */
int hold_begin(struct thread *t, struct rlk_entry *e, uint64_t key, uint64_t now)
{
	uint32_t cell = RLK_ENTRY_CELL(load16(&e->state));

	sample_next(t);
	if (unlikely(!cell || now || t->held_count || is_looked_at(t) ||
		     atomic_load_explicit(&modules_nameless, memory_order_relaxed)))
		return hold_begin_looking(t, e, key, now);
	t->held[0].key = key;
	t->held[0].cell = cell_at(t, cell - 1);
	t->held[0].start = arch_ticks();
	/* A handler finds the hold only when it is whole. */
	atomic_signal_fence(memory_order_release);
	t->held_count = 1;
	return 0;
}

static void hold_note(struct rlk_cell *cell, uint64_t length)
{
	shard_add(&cell->holds, 1);
	shard_add(&cell->hold_total, length);
	shard_max(&cell->hold_max, length);
	shard_add(&cell->hold_hist[rlk_hist_bucket(length)], 1);
}

OUT_OF_LINE void hold_end(struct thread *t, uint64_t key)
{
	uint32_t at = t->held_count;
	struct rlk_cell *cell;
	uint64_t length;

	while (at > 0 && t->held[at - 1].key != key)
		at--;
	if (at == 0 || at > HELD_MAX)
		return;
	at--;
	length = arch_ticks() - t->held[at].start;
	cell = t->held[at].cell;
	if (at + 1 < t->held_count)
		t->held[at] = t->held[t->held_count - 1];
	t->held_count--;
	hold_note(cell, length);
}
