/*
 * A look at all records, and the rows that it gives back.
 *
 * A look goes over everything several times, and whoever inserts does a slice of it, so that nobody
 * is held up for long. In between the others go on: what refers to a record after it was folded
 * makes sure of it itself (lock_record_stands(), entry_publish()).
 */
#include "stats/record/look.h"

#include "stats/record/births.h"
#include "stats/record/classes.h"
#include "stats/record/deflate.h"
#include "stats/record/entry.h"

#include <sys/mman.h>

/* Rows given back, a ring: taken by anyone, filled under the recorder's lock. */
#define RING (1u << 20)
static uint32_t *ring;
static uint64_t taken, given;

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

uint64_t look_free_rows(void)
{
	uint64_t from = load64(&taken);

	return load64(&given) - from;
}

static void give_back(uint32_t record)
{
	store32(&ring[given & (RING - 1)], record);
	store64_release(&given, given + 1);
}

/* --- looking */

enum phase { NO_LOOK, SUMMING, CHOOSING, REFERRING_ENTRIES, REFERRING_REST, GIVING_BACK };

/* Rows that are gone over at once, some hundred microseconds at most. */
#ifndef SLICE
#define SLICE 8192
#endif

/* By record: acquisitions of all threads, and 1 + the record that it is folded into. */
static struct {
	uint32_t phase; /* enum phase */
	uint32_t records;
	uint64_t *acquired;
	uint32_t *into;
	size_t bytes;
	struct rlk_block *block; /* how far the phase is: in which block, and at which row */
	uint32_t at;
	uint64_t folded;
} look;

static void look_drop(void)
{
	if (look.acquired)
		munmap(look.acquired, look.bytes);
	look.acquired = NULL;
	store32(&look.phase, NO_LOOK);
}

static void phase_begin(enum phase phase)
{
	store32(&look.phase, phase);
	look.block = arena_next(NULL);
	look.at = 0;
}

void look_begin(uint32_t records)
{
	size_t first = records * sizeof(*look.acquired);

	/* Some records may have no page then, not even for reading. */
	if (arena_failed())
		return;
	if (!ring)
		ring = private_memory(sizeof(*ring) * RING);
	if (!ring)
		return;
	look.records = records;
	look.bytes = first + records * sizeof(*look.into);
	look.acquired = private_memory(look.bytes);
	if (!look.acquired)
		return;
	look.into = (uint32_t *)((char *)look.acquired + first);
	look.folded = 0;
	births_tidy();
	phase_begin(SUMMING);
}

/* Visits a slice of the rows of blocks of some types, a bit each. True: these were the last. */
static bool walk_blocks(uint32_t types, void (*visit)(struct rlk_block *, uint32_t row))
{
	uint32_t left = SLICE;

	while (look.block && left > 0) {
		struct rlk_block *block = look.block;
		uint32_t rows = block->type == RLK_CELLS ? CELL_ROWS : block->capacity;
		uint32_t there = load32_acquire(&block->touched);

		if (!(types & 1u << block->type))
			rows = 0;
		for (; look.at < rows && left > 0; look.at++, left--) {
			if (block->type != RLK_CELLS || (there & 1u << look.at))
				visit(block, look.at);
		}
		if (look.at < rows)
			break;
		look.block = arena_next(block);
		look.at = 0;
		left -= left > 0;
	}
	return !look.block;
}

static void add_entry(struct rlk_block *block, uint32_t row)
{
	const struct rlk_entry *e = (const struct rlk_entry *)block_rows(block) + row;
	uint32_t record = load32(&e->record);

	if (record && record <= look.records)
		look.acquired[record - 1] += load64(&e->acquired);
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

static void choose(uint32_t i)
{
	struct rlk_record *row = lock_row(i);
	uint32_t flags, into;

	/* Acquire pairs with the release in record_push(), and that in record_fill(). */
	if (!load32_acquire(&row->generations))
		return;
	flags = load32_acquire(&row->flags);
	if (!is_idle(row, flags, look.acquired[i])) {
		store64(&row->looked_at, look.acquired[i] + 1);
		return;
	}
	into = class_record(load32(&row->class_index)) + 1;
	if (into != i + 1 && look_free_rows() + look.folded < RING && fold(i, row, flags)) {
		max32(&lock_row(into - 1)->waiters_max, load32(&row->waiters_max));
		look.into[i] = into;
		look.folded++;
	}
}

/* The owner of a row may give it another record at the same time. */
static void refer(struct rlk_block *block, uint32_t row)
{
	size_t field = block->type == RLK_ENTRIES ? offsetof(struct rlk_entry, record)
		       : block->type == RLK_CELLS ? offsetof(struct rlk_cell, record)
						  : offsetof(struct rlk_pair, record);
	uint32_t *to =
		(uint32_t *)((char *)block_rows(block) + (size_t)row * block->row_size + field);
	uint32_t record = load32(to);

	if (record && record <= look.records && look.into[record - 1])
		cas32(to, record, look.into[record - 1]);
}

/* Only now, that nothing refers to it: whoever is killed before leaves it as it was. (Killed
 * between the next two steps, its lives are counted in both.) */
static void give_back_folded(uint32_t i)
{
	if (!look.into[i])
		return;
	lock_lives_to_class(lock_row(i));
	store32_release(&lock_row(i)->generations, 0);
	give_back(i);
}

/* Visits a slice of the records. True: these were the last. */
static bool walk_records(void (*visit)(uint32_t record))
{
	uint32_t end = look.records - look.at > SLICE ? look.at + SLICE : look.records;

	while (look.at < end)
		visit(look.at++);
	return look.at == look.records;
}

/* Entries first: whoever makes a cell or a pair looks at the record of its entry again afterwards.
 */
void look_on(void)
{
	switch ((enum phase)look.phase) {
	case SUMMING:
		if (walk_blocks(1u << RLK_ENTRIES, add_entry))
			phase_begin(CHOOSING);
		break;
	case CHOOSING:
		if (!walk_records(choose))
			break;
		/* Pairs with the fence in lock_record_stands(). */
		atomic_thread_fence(memory_order_seq_cst);
		phase_begin(look.folded ? REFERRING_ENTRIES : GIVING_BACK);
		break;
	case REFERRING_ENTRIES:
		if (!walk_blocks(1u << RLK_ENTRIES, refer))
			break;
		/* Pairs with those after a new cell and a new pair. */
		atomic_thread_fence(memory_order_seq_cst);
		phase_begin(REFERRING_REST);
		break;
	case REFERRING_REST:
		if (walk_blocks(1u << RLK_CELLS | 1u << RLK_PAIRS, refer))
			phase_begin(GIVING_BACK);
		break;
	case GIVING_BACK:
		if (walk_records(give_back_folded))
			look_drop();
		break;
	case NO_LOOK:
		break;
	}
}

bool look_under_way(void)
{
	return load32(&look.phase) != NO_LOOK;
}

uint64_t look_folded(void)
{
	return look.folded;
}

uint64_t look_population(void)
{
	return look.records;
}

void look_reset(void)
{
	look_drop();
	taken = given = 0;
}
