#include "stats/record/costs.h"
#include "stats/record/holds.h"
#include "stats/record/overflow.h"
#include "stats/record/recorder.h"
#include "stats/record/sites.h"
#include "stats/record/unwind.h"
#include "stats/record/waits.h"

#include <errno.h>

/* One event in so many is timed itself, to say what recording a wait costs. */
#define COST_SAMPLE 16

/* --- waits */

/* Where the holder acquired the lock: it left that in its own entry. */
static uint32_t holder_context(
	const struct thread *t, const struct waiter *at, const struct rlk_record *record)
{
	const struct thread *holder = NULL;
	const struct rlk_entry *e;
	uint64_t key = at->key, site, left;

	if (at->owner) {
		holder = thread_by_tid(at->owner);
		if (at->id.kind == RLK_KIND_RDLOCK)
			key |= KEY_WRITE_SIDE; /* only a writer leaves its tid */
	} else if ((left = load64_acquire(&record->holder))) {
		holder = thread_by_number((uint32_t)left - 1);
		key &= ~(uint64_t)KEY_WRITE_SIDE; /* spinlocks and readers */
	}
	e = holder && holder != t ? entry_peek(holder, key) : NULL;
	site = e ? load64(&e->site) : 0;
	/* It may have become another lock's in between. */
	if (e && load64_acquire(&e->lock) != key)
		site = 0;
	return site & KEY_CLASS ? (uint32_t)site : context_of_site(site, OBJECT_MAY_GO);
}

/* A running mean of what recording a wait costs. Beginning and end weigh about the same, and one
 * time slice in which we did not run must not stand for all. */
static void note_cost(uint64_t beginning)
{
	uint64_t longest = cost_longest(arena_header) * 1024;
	uint64_t old = load64(&arena_header->cost_wait_1024), new = beginning * 2 * 1024;

	if (new > longest)
		new = longest;
	store64(&arena_header->cost_wait_1024, old ? old - old / 8 + new / 8 : new);
}

/* The first waiter of a spinlock or a rwlock makes all threads look at their entries for it again,
 * which then tell them to leave a name when they hold it. */
static void waiter_begins(struct rlk_record *record, const struct waiter *waiter)
{
	bool first = load32(&record->waiters_max) == 0;

	max32(&record->waiters_max, add32(&record->waiters, 1) + 1);
	if (first && waiter->id.kind != RLK_KIND_MUTEX)
		lock_stamp_change(waiter->key);
}

void event_begin(struct event *event, struct thread *t, const struct waiter *waiter)
{
	uint64_t cost = 0;
	struct rlk_record *record;
	struct rlk_entry *e;

	event->thread = t && t->directory ? t : NULL;
	event->fork = recorder.forks;
	event->record = 0;
	event->start = 0;
	event->at = *waiter;
	if (!event->thread)
		return;
	recorder_create();
	if (t->contended % COST_SAMPLE == 0)
		cost = arch_ticks();
	e = entry_find(t, waiter->key, &waiter->id, waiter->site);
	entry_note_waited(e);
	event->record = load32(&e->record) - 1;
	record = lock_row(event->record);
	event->holder = holder_context(t, waiter, record);
	event->context = stack_context(t, waiter->site, waiter->frame);
	waiter_begins(record, waiter);
	event->start = arch_ticks();
	if (cost)
		note_cost(event->start - cost);
}

void event_end(struct event *event, const struct wait *w)
{
	struct thread *t = event->thread;
	bool acquired = w->result == 0 || w->result == EOWNERDEAD;
	struct wait_note note;
	struct rlk_entry *e;
	uint64_t now;

	/* A handler may have forked while we waited: then this is a process that begins anew. */
	if (!t || event->fork != recorder.forks || !t->directory) {
		if (acquired)
			count_unrecorded(event->at.key, &event->at.id, event->at.site);
		return;
	}
	now = w->ended ? w->ended : arch_ticks();
	recorder_calibrate_sometimes(now);
	/* The one that it was added to, whatever has become of it. */
	add32(&lock_row(event->record)->waiters, (uint32_t)-1);
	wait_take(&note, w, now - event->start);
	note.acquired = acquired;
	note.context = event->context;
	note.holder = event->holder;
	/* Looked for again: handlers may have used so many locks meanwhile that the rows were
	 * compacted. */
	e = entry_find(t, event->at.key, &event->at.id, event->at.site);
	if (acquired) {
		entry_count(t, e, event->at.key, KEY_CLASS | event->context, now);
		if (hold_takes_note(t, e, event->at.key, &note, now))
			return;
	}
	wait_write(t, e, &note);
}

/* --- everything else */

void count_failed_try(struct thread *t, uint64_t key, const struct lock_id *id, uint64_t site)
{
	key |= KEY_FAILED;
	if (!t || !t->directory) {
		count_unrecorded(key, id, site);
		return;
	}
	shard_add(&entry_find(t, key, id, site)->acquired, 1);
}

void count_cond_wait(struct thread *t, struct rlk_entry *e, uint64_t ticks)
{
	struct rlk_cell *cell = entry_cell(t, e);

	if (!cell)
		return;
	shard_add(&cell->cond_waits, 1);
	shard_add(&cell->cond_wait_total, ticks);
	shard_add(&cell->reacquired, 1);
}

static struct rlk_yield_site *yield_slot(struct thread *t, uint64_t site, enum rlk_yield_kind kind)
{
	struct rlk_yield_site *rows = t->yields.rows;
	uint64_t hash = hash64(site + kind);

	for (uint32_t step = 0; rows && step <= t->yields.mask; step++) {
		struct rlk_yield_site *y = &rows[(hash + step) & t->yields.mask];

		if (y->kind == kind && y->address == site)
			return y;
		if (y->kind)
			continue;
		if (t->yields.used >= t->yields.mask / 4 * 3)
			return NULL;
		t->yields.used++;
		y->address = site;
		y->site = site_of(site, OBJECT_STAYS);
		store32_release(&y->kind, kind);
		return y;
	}
	return NULL;
}

void count_yield_site(struct thread *t, uint64_t site, enum rlk_yield_kind kind, uint64_t asked_ns)
{
	struct rlk_yield_site *y = NULL;

	if (!t || !t->directory)
		return;
	if (t->nesting++ == 0) {
		y = yield_slot(t, site, kind);
		if (!y && shard_table_grow(t, &t->yields, RLK_YIELD_SITES, sizeof(*y), 1 << 12))
			y = yield_slot(t, site, kind);
	}
	t->nesting--;
	if (!y)
		return;
	shard_add(&y->count, 1);
	shard_add(&y->asked_ns, asked_ns);
}

void count_unrecorded(uint64_t key, const struct lock_id *id, uint64_t site)
{
	uint32_t record;

	if (!recorder.on)
		return;
	record = lock_record(id, site);
	/* A static lock is the only one of its class, and keeps its record. */
	if (lock_birth(lock_row(record)) != id->address)
		record = lock_class_record(record);
	overflow_count(record, key_kind(key, id), key & KEY_FAILED, 1);
}
