#include "stats/record/entry.h"
#include "stats/record/quiet.h"

#include <errno.h>
#include <sys/mman.h>

/* Rows of a block: those that fill a page, and at most. */
#define ROWS_FIRST ((RLK_PAGE - sizeof(struct rlk_block)) / sizeof(struct rlk_entry))
#define ROWS_MOST ((128u << 10) / sizeof(struct rlk_entry) - 2)
/* The second directory of a shard fills a page, too. */
#define SECOND_SLOTS_BITS 9
#define SLOTS_BITS_MOST 31
/* Bytes from which on a directory is worth huge pages. */
#define HUGE (2u << 20)

/* --- rows */

void row_give(struct thread *t, struct rlk_entry *e)
{
	uint64_t head;

	store64(&e->lock, 0);
	do {
		head = load64(&t->rows.freed);
		store64(&e->site, row_link((uint32_t)head));
	} while (!cas64(&t->rows.freed, head, ((head >> 32) + 1) << 32 | entry_number(t, e)));
}

struct rlk_entry *rows_next(const struct thread *t, struct row_walk *walk)
{
	while (walk->block && walk->at == walk->block->capacity) {
		uint64_t sibling = walk->block->sibling;

		walk->block = sibling ? (const struct rlk_block *)(t->base + sibling) : NULL;
		walk->at = 0;
	}
	return walk->block ? (struct rlk_entry *)block_rows((struct rlk_block *)walk->block) +
				     walk->at++
			   : NULL;
}

static bool rows_left(const struct thread *t)
{
	return (uint32_t)load64(&t->rows.freed) || (uint32_t)load64(&t->rows.fresh) > ROWS_KEPT;
}

/* Smaller blocks where there is no room for a bigger one. */
static struct rlk_block *rows_block(const struct thread *t)
{
	uint32_t rows = t->rows.made * 2 > ROWS_MOST ? ROWS_MOST : t->rows.made * 2;
	struct rlk_block *block = NULL;

	while (!block && rows > ROWS_FIRST) {
		block = arena_block(
			RLK_ENTRIES, sizeof(struct rlk_entry), rows, 0, t->number + 1, true);
		rows /= 4;
	}
	return block ? block
		     : arena_block(RLK_ENTRIES, sizeof(struct rlk_entry), ROWS_FIRST, 0,
			       t->number + 1, true);
}

/* Signals are blocked. */
static bool rows_grow(struct thread *t)
{
	struct rlk_block *block = rows_block(t);
	uint32_t first = (uint32_t)(t->rows.fresh >> 32), left = (uint32_t)t->rows.fresh;

	if (!block)
		return false;
	while (left--)
		row_give(t, entry_at(t, first++));
	block->sibling = t->rows.block;
	t->rows.block = block->self;
	t->rows.made += block->capacity;
	first = entry_number(t, block_rows(block));
	store64(&t->rows.fresh, (uint64_t)first << 32 | block->capacity);
	return true;
}

/* --- the directory */

static uint32_t *directory_memory(uint32_t bits)
{
	size_t bytes = directory_slots(64 - bits) * sizeof(uint32_t);
	uint32_t *directory = private_memory_wiped(bytes); /* a child has no use for it */

	if (directory && bytes >= HUGE)
		madvise(directory, bytes, MADV_HUGEPAGE);
	return directory;
}

static void directory_insert(
	const struct thread *t, uint32_t *directory, uint32_t shift, struct rlk_entry *e)
{
	uint32_t slots = directory_slots(shift);
	uint32_t at = entry_home(e->lock & ~KEY_REPLACED, shift);

	while (load32(&directory[at])) {
		/* A second one of the key, made when a handler came between: its count stays. */
		if (entry_at(t, directory[at])->lock == e->lock && !(e->lock & KEY_REPLACED))
			return;
		at = at + 1 < slots ? at + 1 : 0;
	}
	store32_release(&directory[at], entry_number(t, e));
}

uint32_t directory_fill(const struct thread *t, uint32_t *directory, uint32_t shift)
{
	struct row_walk walk = rows_walk(t);
	struct rlk_entry *e;
	uint32_t filled = 0;

	while ((e = rows_next(t, &walk))) {
		if (!e->lock || entry_is_out(e))
			continue;
		directory_insert(t, directory, shift, e);
		filled++;
	}
	return filled;
}

/* Signals are blocked. */
static bool directory_grow(struct thread *t)
{
	uint32_t *old = t->directory, old_slots = directory_slots(t->shift), *fresh;
	uint32_t bits = 64 - t->shift + 1;

	if (bits < SECOND_SLOTS_BITS)
		bits = SECOND_SLOTS_BITS;
	fresh = bits <= SLOTS_BITS_MOST ? directory_memory(bits) : NULL;
	if (!fresh) {
		uint32_t most = old_slots / 8 * 7;
		bool more = t->rows.slots_limit < most;

		t->rows.slots_limit = most;
		return more;
	}
	t->slots_used = directory_fill(t, fresh, 64 - bits);
	/* Other threads load the shift first: with a new one they must see a directory that is big
	 * enough. */
	atomic_store_explicit((_Atomic(uint32_t *) *)&t->directory, fresh, memory_order_release);
	store32_release(&t->shift, 64 - bits);
	t->rows.slots_limit = 1u << (bits - 1);
	/* Whoever still looks into it finds nothing. */
	if (old != t->first_directory)
		madvise(old, old_slots * sizeof(*old), MADV_DONTNEED);
	return true;
}

bool entries_open(struct thread *t)
{
	t->base = (char *)arena_header;
	if (!rows_grow(t))
		return false;
	t->spill = block_rows((struct rlk_block *)(t->base + t->rows.block));
	t->rows.fresh += ((uint64_t)1 << 32) - 1;
	t->shift = 64 - FIRST_SLOTS_BITS;
	t->rows.slots_limit = 1u << (FIRST_SLOTS_BITS - 1);
	atomic_store_explicit(
		(_Atomic(uint32_t *) *)&t->directory, t->first_directory, memory_order_release);
	return true;
}

bool entries_grow(struct thread *t)
{
	struct quiet quiet;
	int saved = errno;
	bool grown = true;

	/* Without a row it is the one that costs are measured with. */
	if (!t->directory || !t->row)
		return false;
	if (entries_compact(t))
		return true;
	/* Where nothing was to be had, there is none until somebody got something. */
	if (t->rows.full_at && t->rows.full_at == load64(&arena_header->used))
		return false;
	signals_block(&quiet);
	if (t->slots_used >= t->rows.slots_limit)
		grown = directory_grow(t);
	if (grown && !rows_left(t))
		grown = rows_grow(t);
	t->rows.full_at = grown ? 0 : load64(&arena_header->used);
	signals_restore(&quiet);
	errno = saved;
	return grown;
}
