/*
 * Holds that are timed: from the return of a lock call to the beginning of the unlock.
 *
 * Only the clock is read while the lock is held, and a place in the thread's own memory written:
 * what makes a hold longer makes others wait that would have found the lock free. The rest is done
 * after the release.
 */
#include "stats/record/holds.h"

#include "stats/record/recorder.h"
#include "stats/record/sites.h"
#include "stats/record/waits.h"

/* Samples closer to each other than so many RLK_BURST_GAP_NS make the next ones rarer, each time by
 * half, down to one in 1 << STRETCH_MOST of what is configured. */
#define SHORT_GAPS 20
#define STRETCH_MOST 4

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

	if (cell->burst_lock == key && length <= count * load64(&recorder.burst_gap)) {
		if (count < RLK_BURST_LEAST)
			return;
		shard_add(&cell->burst_acquired, count);
		shard_add(&cell->burst_total, length);
	}
	cell->burst_lock = key;
	cell->burst_from = acquired;
	cell->burst_at = now;
}

/* Then a hold goes on. */
static bool can_be_held_twice(const struct rlk_entry *e)
{
	return entry_kind(e) == RLK_KIND_RDLOCK ||
	       (load32(&lock_row(load32(&e->record) - 1)->flags) & RLK_LOCK_RECURSIVE);
}

/* The place of a lock's hold; HELD_MAX: there is none. */
static uint32_t held_find(const struct thread *t, uint64_t key)
{
	for (uint32_t at = 0; at < t->held_count; at++) {
		if (t->held[at].key == key)
			return at;
	}
	return HELD_MAX;
}

/* A place is taken by one instruction, before it is filled, and has its key last. So the locks that
 * a handler takes in between come behind it, or in front of it where one stays taken. HELD_MAX:
 * there is none left. */
static uint32_t held_take(struct thread *t)
{
	uint32_t at;

	do {
		at = load32(&t->held_count);
		if (at == HELD_MAX)
			return HELD_MAX;
	} while (!shard_change(&t->held_count, at, at + 1));
	return at;
}

static inline void held_fill(struct thread *t, uint32_t at, uint64_t key)
{
	atomic_signal_fence(memory_order_seq_cst);
	store64(&t->held[at].key, key);
}

/* Behind the last hold no place has a key or a note. */
static void held_empty(struct held *held)
{
	store64(&held->key, 0);
	store32(&held->note, 0);
	atomic_signal_fence(memory_order_seq_cst);
}

static void held_drop(struct thread *t, uint32_t at)
{
	uint32_t count, last;

	held_empty(&t->held[at]);
	for (;; at = last) {
		count = load32(&t->held_count);
		if (unlikely(count <= at))
			return; /* a handler forked, and this is the child */
		last = count - 1;
		if (last != at) {
			t->held[at].start = t->held[last].start;
			t->held[at].entry = t->held[last].entry;
			t->held[at].note = t->held[last].note;
			t->held[at].how = t->held[last].how;
			held_fill(t, at, t->held[last].key);
			held_empty(&t->held[last]);
		}
		/* A handler may have left a lock taken. */
		if (likely(shard_change(&t->held_count, count, last)))
			return;
	}
}

/* Claims one by a single instruction: a handler may want one, too. 0: they are all taken. */
static uint32_t note_claim(struct thread *t)
{
	for (uint32_t i = 0; i < NOTES_MAX; i++) {
		uint32_t bit = 1u << i;

		if (!(load32(&t->notes_taken) & bit) &&
			!(atomic_fetch_or_explicit(
				  (_Atomic uint32_t *)&t->notes_taken, bit, memory_order_relaxed) &
				bit))
			return i + 1;
	}
	return 0;
}

static void note_give(struct thread *t, uint32_t number)
{
	atomic_fetch_and_explicit(
		(_Atomic uint32_t *)&t->notes_taken, ~(1u << (number - 1)), memory_order_relaxed);
}

/* A wait whose lock was released unseen, or by another thread. */
static void note_flush(struct thread *t, struct held *held)
{
	uint32_t number = held->note;
	struct rlk_entry *e = held->entry;

	held->note = 0;
	if (!number)
		return;
	if (likely(e)) /* there is none after a handler's fork */
		wait_write(t, e, &t->note[number - 1]);
	note_give(t, number);
}

void holds_flush(struct thread *t)
{
	for (uint32_t i = 0; i < t->held_count && i < HELD_MAX; i++)
		note_flush(t, &t->held[i]);
}

static COLD void settle_module(const struct rlk_entry *e)
{
	if (!(load64(&e->site) & KEY_CLASS))
		module_settle(load64(&e->site));
}

/*
 * A thread that takes locks millions of times a second would be timed more often than its figures
 * gain by. Even two reads of the clock in a short hold put threads out of step that pass a lock to
 * each other without waiting, and every collision costs a system call.
 */
static void sample_stretch(struct thread *t, uint64_t now)
{
	uint64_t gap = now - t->sampled, shortest = load64(&recorder.burst_gap) * SHORT_GAPS;

	t->sampled = now;
	if (gap < shortest && t->sample_stretch < STRETCH_MOST)
		t->sample_stretch++;
	else if (gap > shortest * 4 && t->sample_stretch > 0)
		t->sample_stretch--;
}

/* The place for a hold that begins; HELD_MAX: it is not timed. */
static uint32_t held_place(struct thread *t, const struct rlk_entry *e, uint64_t key)
{
	uint32_t at = held_find(t, key);

	if (likely(at == HELD_MAX)) {
		at = held_take(t);
		if (unlikely(at == HELD_MAX))
			add64(&arena_header->lost.holds_dropped, 1);
		return at;
	}
	if (can_be_held_twice(e))
		return HELD_MAX;
	/* Never seen to end: another thread unlocked it. Makes room for this one. */
	add64(&arena_header->lost.foreign_unlocks, 1);
	note_flush(t, &t->held[at]);
	held_empty(&t->held[at]);
	return at;
}

static OUT_OF_LINE int hold_begin_any(
	struct thread *t, struct rlk_entry *e, uint64_t key, uint64_t now)
{
	uint32_t at;

	t->acquired_before += t->sample_step;
	t->until_sample = t->sample_step = sample_step(t);
	if (unlikely(atomic_load_explicit(&modules_nameless, memory_order_relaxed)))
		settle_module(e);
	if (unlikely(recorder.holds == RECORD_HOLDS_OFF))
		return 0;
	at = held_place(t, e, key);
	if (at == HELD_MAX)
		return 0;
	t->held[at].entry = e;
	t->held[at].how = now ? HELD_AFTER_WAIT : HELD;
	now = now ? now : arch_ticks();
	sample_stretch(t, now);
	t->held[at].start = now;
	held_fill(t, at, key);
	return 0;
}

/* Every hold timed, and no other under way: that needs no frame. */
int hold_begin(struct thread *t, struct rlk_entry *e, uint64_t key, uint64_t now)
{
	if (unlikely(recorder.holds != RECORD_HOLDS_ALL || now ||
		     atomic_load_explicit(&modules_nameless, memory_order_relaxed) ||
		     !arch_clock_is_counter() || !shard_change(&t->held_count, 0, 1)))
		return hold_begin_any(t, e, key, now);
	t->acquired_before++;
	t->until_sample = 1;
	t->held[0].entry = e;
	t->held[0].how = hold_is_one_of_32(t) ? HELD : HELD_PLAINLY;
	t->held[0].start = arch_counter();
	held_fill(t, 0, key);
	return 0;
}

bool hold_takes_note(struct thread *t, struct rlk_entry *e, uint64_t key,
	const struct wait_note *note, uint64_t now)
{
	uint32_t number = note_claim(t), at;

	if (!number)
		return false;
	t->note[number - 1] = *note;
	at = held_find(t, key);
	if (at < HELD_MAX) {
		note_flush(t, &t->held[at]);
		/* Begun earlier, and never seen to end. */
		if (t->held[at].start != now)
			t->held[at].start = 0;
		t->held[at].how = HELD_AFTER_WAIT;
		t->held[at].note = number;
		return true;
	}
	at = held_take(t);
	if (at == HELD_MAX) {
		note_give(t, number);
		return false;
	}
	t->held[at].start = 0;
	t->held[at].entry = e;
	t->held[at].how = HELD_AFTER_WAIT;
	t->held[at].note = number;
	held_fill(t, at, key);
	return true;
}

bool hold_stop(struct thread *t, uint64_t key, struct hold *hold)
{
	uint32_t at = t->held_count;

	while (at > 0 && t->held[at - 1].key != key)
		at--;
	if (at == 0)
		return false;
	at--;
	/* Word by word, as it was written: a wider load would have to wait for the stores. */
	hold->held.key = key;
	hold->held.start = load64(&t->held[at].start);
	hold->held.entry = t->held[at].entry;
	hold->held.note = load32(&t->held[at].note);
	hold->held.how = load32(&t->held[at].how);
	hold->end = hold->held.start ? arch_ticks() : 0;
	held_drop(t, at);
	return true;
}

void hold_note(struct thread *t, struct hold *hold)
{
	struct held *held = &hold->held;
	uint64_t length = hold->end - held->start;
	struct rlk_cell *cell;

	if (held->note)
		note_flush(t, held);
	/* Without an entry: a handler forked while this was noted. */
	cell = held->start && held->entry ? entry_cell(t, held->entry) : NULL;
	if (!cell)
		return;
	if (hold_is_looked_at(t)) {
		/* The wait that it began with has looked already. */
		if (held->how != HELD_AFTER_WAIT)
			owner_seen(t, cell, lock_row(load32(&held->entry->record) - 1));
		burst_step(held->entry, cell, held->key, held->start);
		recorder_calibrate_sometimes(hold->end);
	}
	hold_write(cell, length);
}
