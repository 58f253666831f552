#include "stats/record/deflate.h"

#include "policies/arch.h"
#include "stats/record/births.h"
#include "stats/record/classes.h"
#include "stats/record/quiet.h"
#include "stats/record/recorder.h"

#include <sys/mman.h>

static uint32_t limit; /* percent */
static uint64_t interval;
static uint64_t next_look;  /* ticks */
static unsigned vain_looks; /* in a row */

/* Looks that folded less than one in so many records were in vain: the interval doubles with each,
 * so many times at most. A program of very many locks that it all uses is hardly disturbed then. */
#define VAIN 20
#define VAIN_MOST 6
/* No more than a tenth of one thread's time goes by with looking. */
#define PAUSE 9

/* Rows given back, a ring: taken by anyone, filled under the recorder's lock. */
#define RING (1u << 20)
static uint32_t *ring;
static uint64_t taken, given;

void deflate_open(uint32_t threshold, uint64_t interval_ns)
{
	limit = threshold;
	interval = interval_ns;
}

void deflate_reset(void)
{
	taken = given = next_look = 0;
	vain_looks = 0;
}

bool deflate_take(uint32_t *record)
{
	uint64_t at = load64(&taken);

	do {
		/* Acquire pairs with the release in give_back(). */
		if (at == load64_acquire(&given))
			return false;
		/* Of a later round of the ring perhaps, but then others took this one. */
		*record = load32(&ring[at & (RING - 1)]);
	} while (!atomic_compare_exchange_weak_explicit((_Atomic uint64_t *)&taken, &at, at + 1,
		memory_order_acq_rel, memory_order_relaxed));
	return true;
}

uint64_t deflate_given(void)
{
	return load64_acquire(&given);
}

static uint64_t free_rows(void)
{
	uint64_t from = load64(&taken);

	return load64(&given) - from;
}

static void give_back(uint32_t record)
{
	store32(&ring[given & (RING - 1)], record);
	store64_release(&given, given + 1);
}

/* --- one look at all records */

/* By record: acquisitions of all threads, and 1 + the record that it is folded into. */
struct look {
	uint32_t records;
	uint64_t *acquired;
	uint32_t *into;
	size_t bytes;
};

static bool look_begin(struct look *look, uint32_t records)
{
	size_t first = records * sizeof(*look->acquired);

	if (!ring)
		ring = private_memory(sizeof(*ring) * RING);
	if (!ring)
		return false;
	look->records = records;
	look->bytes = first + records * sizeof(*look->into);
	look->acquired = private_memory(look->bytes);
	look->into = (uint32_t *)((char *)look->acquired + first);
	return look->acquired != NULL;
}

static void add_entries(struct look *look)
{
	const struct rlk_block *block = NULL;

	while ((block = arena_next(block))) {
		const struct rlk_entry *e = block_rows((struct rlk_block *)block);

		if (block->type != RLK_ENTRIES)
			continue;
		for (uint32_t i = 0; i < block->capacity; i++) {
			uint32_t record = load32(&e[i].record);

			if (record && record <= look->records)
				look->acquired[record - 1] += load64(&e[i].acquired);
		}
	}
}

/* A static lock is a class of its own. */
static bool is_idle(const struct rlk_record *row, uint32_t flags, uint64_t acquired)
{
	if (load32(&row->waiters) || (flags & (RLK_LOCK_IS_CLASS | RLK_LOCK_FOLDED | RECORD_NEW)))
		return false;
	if (flags & RLK_LOCK_REPLACED)
		return true;
	if (class_row(load32(&row->class_index))->birth == RLK_BORN_STATIC)
		return false;
	return (flags & RLK_LOCK_DESTROYED) || load64(&row->looked_at) == acquired + 1;
}

/* From here on nobody finds the record by its address. */
static bool fold(uint32_t record, struct rlk_record *row, uint32_t flags)
{
	bool alive = !(flags & (RLK_LOCK_DESTROYED | RLK_LOCK_REPLACED));
	uint64_t lock = load64(&row->lock);

	if (alive && !births_keep(lock, load32(&row->class_index)))
		return false;
	/* Destroyed, born again or replaced meanwhile: another time. */
	if (!cas32(&row->flags, flags, flags | RLK_LOCK_FOLDED)) {
		if (alive)
			births_forget(lock);
		return false;
	}
	/* In this order: whoever finds nothing of it in its chain has the new stamp. */
	lock_stamp_change(lock);
	lock_unlink(record);
	return true;
}

static uint64_t choose(struct look *look)
{
	uint64_t chosen = 0;

	for (uint32_t i = 0; i < look->records && free_rows() + chosen < RING; i++) {
		struct rlk_record *row = lock_row(i);
		uint32_t flags, into;

		/* Acquire pairs with the release in record_push(), and that in record_fill(). */
		if (!load32_acquire(&row->generations))
			continue;
		flags = load32_acquire(&row->flags);
		if (!is_idle(row, flags, look->acquired[i])) {
			store64(&row->looked_at, look->acquired[i] + 1);
			continue;
		}
		into = class_record(load32(&row->class_index)) + 1;
		if (into != i + 1 && fold(i, row, flags)) {
			max32(&lock_row(into - 1)->waiters_max, load32(&row->waiters_max));
			look->into[i] = into;
			chosen++;
		}
	}
	return chosen;
}

/* The owner of a row may give it another record at the same time. */
static void refer(const struct look *look, uint32_t *to)
{
	uint32_t record = load32(to);

	if (record && record <= look->records && look->into[record - 1])
		cas32(to, record, look->into[record - 1]);
}

static void refer_block(const struct look *look, struct rlk_block *block)
{
	char *row = block_rows(block);
	bool cells = block->type == RLK_CELLS;
	uint32_t rows = cells ? load32_acquire(&block->touched) : block->capacity;
	size_t field = block->type == RLK_ENTRIES ? offsetof(struct rlk_entry, record)
		       : cells                    ? offsetof(struct rlk_cell, record)
						  : offsetof(struct rlk_pair, record);

	for (uint32_t i = 0; i < rows; i++)
		refer(look, (uint32_t *)(row + (size_t)i * block->row_size + field));
}

/* Entries first: whoever makes a cell or a pair looks at the record of its entry again afterwards.
 */
static void refer_all(const struct look *look)
{
	struct rlk_block *block = NULL;

	/* Pairs with the fence in lock_record_stands(). */
	atomic_thread_fence(memory_order_seq_cst);
	while ((block = arena_next(block))) {
		if (block->type == RLK_ENTRIES)
			refer_block(look, block);
	}
	/* Pairs with those after a new cell and a new pair. */
	atomic_thread_fence(memory_order_seq_cst);
	while ((block = arena_next(block))) {
		if (block->type == RLK_CELLS || block->type == RLK_PAIRS)
			refer_block(look, block);
	}
}

/* Only now, that nothing refers to them: whoever is killed in between leaves them as they were. */
static void give_back_all(const struct look *look)
{
	for (uint32_t i = 0; i < look->records; i++) {
		if (look->into[i]) {
			store32_release(&lock_row(i)->generations, 0);
			give_back(i);
		}
	}
}

/* Returns how many it folded. */
static uint64_t look_at_all(uint32_t records)
{
	struct rlk_deflation *seen = &arena_header->deflation;
	uint64_t begin = arch_ticks(), length, folded;
	struct look look;

	/* Some records may have no page then, not even for reading. */
	if (arena_failed() || !look_begin(&look, records))
		return 0;
	births_tidy();
	add_entries(&look);
	folded = choose(&look);
	if (folded)
		refer_all(&look);
	give_back_all(&look);
	munmap(look.acquired, look.bytes);
	length = arch_ticks() - begin;
	/* Whoever compacts looks at them without the recorder's lock. */
	store64(&seen->scans, seen->scans + 1);
	store64(&seen->folded, seen->folded + folded);
	store64(&seen->total, seen->total + length);
	shard_max(&seen->longest, length);
	return folded;
}

static void plan_next(uint64_t begin, bool looked, bool vain)
{
	uint64_t now = arch_ticks(), pause = (now - begin) * PAUSE, usual;

	if (looked && (!vain || vain_looks < VAIN_MOST))
		vain_looks = vain ? vain_looks + 1 : 0;
	usual = recorder_ticks(interval) << vain_looks;
	store64(&next_look, now + (usual > pause ? usual : pause));
}

static void deflate(uint64_t population, uint64_t now, bool wanted)
{
	struct quiet quiet;
	uint64_t folded;

	recorder_calibrate_sometimes(now);
	quiet_begin(&quiet);
	if (now >= next_look) {
		folded = wanted ? look_at_all((uint32_t)population) : 0;
		plan_next(now, wanted, folded * VAIN < population);
	}
	quiet_end(&quiet);
}

void deflate_sometimes(uint64_t population)
{
	uint64_t now;

	if (population < DEFLATE_LEAST || !limit)
		return;
	now = arch_ticks();
	if (now >= load64(&next_look))
		deflate(population, now, deflate_wanted(population, free_rows(), limit));
}

bool deflate_when_full(uint64_t population)
{
	uint64_t now = arch_ticks();

	if (now < load64(&next_look))
		return false;
	deflate(population, now, true);
	return free_rows() > 0;
}
