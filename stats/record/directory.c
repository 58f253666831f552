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
/* Bytes, log2: from a spinlock to a cache line. */
#define GRANULE_LEAST 2
#define GRANULE_MOST 6
/* So often entries were found in another place than their home, for each slot, before that is
 * looked at. */
#define DISPLACED_A_SLOT 16u
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

/* Memory that begins where a huge page may; a child has no use for it. */
static uint32_t *directory_memory_huge(size_t bytes)
{
	char *got = private_memory_wiped(bytes + HUGE), *at;
	size_t before;

	if (!got)
		return NULL;
	before = -(uintptr_t)got % HUGE;
	at = got + before;
	if (before)
		munmap(got, before);
	munmap(at + bytes, HUGE - before);
	madvise(at, bytes, MADV_HUGEPAGE);
	return (uint32_t *)(void *)at;
}

static uint32_t *directory_memory(uint32_t bits)
{
	size_t bytes = directory_slots(hash_of(bits, 0)) * sizeof(uint32_t);
	uint32_t *huge = bytes >= HUGE ? directory_memory_huge(bytes) : NULL;

	return huge ? huge : private_memory_wiped(bytes);
}

/* How entries came to stand: of how many acquisitions, and one for each entry, they will be found
 * at once if it goes on as before. */
struct filled {
	uint32_t entries;
	uint64_t weight, at_home;
};

/* Whether it is at home there. One that finds no slot at all only keeps its count: more rows than
 * slots there are where there was no memory for a bigger directory. */
static bool directory_insert(
	const struct thread *t, uint32_t *directory, uint32_t hash, struct rlk_entry *e)
{
	uint32_t slots = directory_slots(hash);
	uint32_t home = entry_home(e->lock & ~KEY_REPLACED, hash), at = home;

	for (uint32_t step = 0; step < slots; step++) {
		uint32_t number = load32(&directory[at]);

		if (!number) {
			store32_release(&directory[at], entry_number(t, e));
			return at == home;
		}
		/* A second one of the key, made when a handler came between: its count stays. */
		if (entry_at(t, number)->lock == e->lock && !(e->lock & KEY_REPLACED))
			return true;
		at = at + 1 < slots ? at + 1 : 0;
	}
	return false;
}

static void directory_empty(uint32_t *directory, uint32_t hash)
{
	for (uint32_t i = 0; i < directory_slots(hash); i++)
		store32(&directory[i], 0);
}

static struct filled directory_fill(const struct thread *t, uint32_t *directory, uint32_t hash)
{
	struct row_walk walk = rows_walk(t);
	struct rlk_entry *e;
	struct filled filled = {0};
	uint64_t weight;

	while ((e = rows_next(t, &walk))) {
		if (!e->lock || entry_is_out(e))
			continue;
		weight = load64(&e->acquired) + 1;
		filled.at_home += directory_insert(t, directory, hash, e) ? weight : 0;
		filled.weight += weight;
		filled.entries++;
	}
	return filled;
}

static bool fits(const struct filled *filled)
{
	return filled->at_home >= filled->weight / 8 * 7;
}

/* Fills an empty directory, with the first granule where that does, else with the best: `hash`.
 * Returns whether even that does. */
static bool directory_fit(struct thread *t, uint32_t *directory, uint32_t bits, uint32_t *hash)
{
	uint32_t best = hash_of(bits, HASH_GRANULE), last = best;
	struct filled most = directory_fill(t, directory, best);
	bool other = !fits(&most);

	for (uint32_t g = GRANULE_LEAST; g <= GRANULE_MOST && other; g++) {
		struct filled filled;

		if (g == HASH_GRANULE)
			continue;
		last = hash_of(bits, g);
		directory_empty(directory, last);
		filled = directory_fill(t, directory, last);
		if (filled.at_home > most.at_home) {
			most = filled;
			best = last;
		}
	}
	if (best != last) {
		directory_empty(directory, best);
		directory_fill(t, directory, best);
	}
	t->slots_used = most.entries;
	t->displaced = 0;
	*hash = best;
	return fits(&most);
}

bool directory_refill(struct thread *t)
{
	uint32_t hash;
	bool fit;

	directory_empty(t->directory, t->hash);
	fit = directory_fit(t, t->directory, hash_bits(t->hash), &hash);
	store32_release(&t->hash, hash);
	return fit;
}

static uint32_t bigger(const struct thread *t)
{
	uint32_t bits = hash_bits(t->hash) + 1;

	return bits < SECOND_SLOTS_BITS ? SECOND_SLOTS_BITS : bits;
}

/* Signals are blocked. False: no room. */
static bool directory_replace(struct thread *t, uint32_t bits)
{
	uint32_t *old = t->directory, old_slots = directory_slots(t->hash), *fresh, hash;

	fresh = bits <= SLOTS_BITS_MOST ? directory_memory(bits) : NULL;
	if (!fresh)
		return false;
	directory_fit(t, fresh, bits, &hash);
	/* Other threads load the hash first: with a new one they must see a directory that is big
	 * enough. */
	atomic_store_explicit((_Atomic(uint32_t *) *)&t->directory, fresh, memory_order_release);
	store32_release(&t->hash, hash);
	t->rows.slots_limit = 1u << (bits - 1);
	t->displaced_most = bits < 28 ? DISPLACED_A_SLOT << bits : UINT32_MAX;
	/* Whoever still looks into it finds nothing. */
	if (old != t->first_directory)
		madvise(old, old_slots * sizeof(*old), MADV_DONTNEED);
	return true;
}

/* Signals are blocked. */
static bool directory_grow(struct thread *t)
{
	uint32_t most = directory_slots(t->hash) / 8 * 7;
	bool more = t->rows.slots_limit < most;

	if (directory_replace(t, bigger(t)))
		return true;
	t->rows.slots_limit = most;
	return more;
}

/* Whether a bigger directory is worth its memory where entries are not at home. */
static bool is_crowded(const struct thread *t)
{
	return t->directory == t->first_directory ||
	       t->slots_used > directory_slots(t->hash) / 8 * 3;
}

/* Where nothing better is found, it is looked for half as often from now on. */
void entries_rehash(struct thread *t)
{
	uint32_t most = t->displaced_most;
	struct quiet quiet;
	int saved = errno;

	/* Without a row it is the one that costs are measured with. */
	t->displaced = 0;
	if (!t->row)
		return;
	signals_block(&quiet);
	if (t->directory &&
		(directory_refill(t) || !is_crowded(t) || !directory_replace(t, bigger(t))))
		t->displaced_most = most < UINT32_MAX / 2 ? most * 2 : UINT32_MAX;
	signals_restore(&quiet);
	errno = saved;
}

bool entries_open(struct thread *t)
{
	t->base = (char *)arena_header;
	if (!rows_grow(t))
		return false;
	t->spill = block_rows((struct rlk_block *)(t->base + t->rows.block));
	t->rows.fresh += ((uint64_t)1 << 32) - 1;
	t->hash = HASH_FIRST;
	t->displaced_most = DISPLACED_A_SLOT << FIRST_SLOTS_BITS;
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
