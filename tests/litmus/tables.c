/*
 * What is only added to: blocks of the arena, rows of a table and their chunks; classes, sites and
 * stacks with their indexes.
 */
#include "stats/record/sites.h"
#include "tests/litmus/world.h"

#include <string.h>

#define THREADS 4

/* --- blocks and rows */

#define ROWS_EACH 12
#define CHUNK_ROWS 4

struct row {
	uint64_t key, owner;
};

TABLE(rows, RLK_CELLS, struct row, CHUNK_ROWS, 32);

static uint32_t numbers[THREADS][ROWS_EACH];
static uint32_t blocks_before;

/* The contract of arena_next(): all that were there when it began. */
static uint32_t count_blocks(void)
{
	const struct rlk_block *block = NULL;
	uint32_t count = 0;

	while ((block = arena_next(block))) {
		litmus_check(block->magic == RLK_BLOCK_MAGIC &&
				     block->self == (uint64_t)((const char *)block -
							       (const char *)arena_header),
			"a block that is not described");
		count++;
	}
	return count;
}

static void rows_begin(void)
{
	world_begin(1000);
	table_reset(&rows);
	blocks_before = count_blocks();
}

static void rows_body(unsigned self)
{
	for (unsigned i = 0; i < ROWS_EACH; i++) {
		uint32_t seen = count_blocks(), known;
		struct row *row = table_new(&rows, &numbers[self][i], 0);

		litmus_check(row != NULL, "no row");
		litmus_check(
			row->key == 0 && row->owner == 0, "row %u is another's", numbers[self][i]);
		row->owner = self + 1;
		store64_release(&row->key, numbers[self][i] + 1);
		known = table_count(&rows);
		litmus_check(known > numbers[self][i], "row %u of %u", numbers[self][i], known);
		for (uint32_t n = 0; n < known; n++) {
			const struct row *other = table_row(&rows, n);
			uint64_t key = load64_acquire(&other->key);

			litmus_check(!key || (key == n + 1 && other->owner), "row %u is row %llu's",
				n, (unsigned long long)key);
		}
		litmus_check(count_blocks() >= seen, "a block is gone");
	}
}

static void rows_end(void)
{
	bool taken[THREADS * ROWS_EACH] = {false};
	uint32_t blocks = count_blocks() - blocks_before;

	litmus_check(table_count(&rows) == THREADS * ROWS_EACH, "%u rows", table_count(&rows));
	for (unsigned i = 0; i < THREADS * ROWS_EACH; i++) {
		uint32_t number = numbers[i / ROWS_EACH][i % ROWS_EACH];
		const struct row *row = table_row(&rows, number);

		litmus_check(number < THREADS * ROWS_EACH && !taken[number],
			"row %u was handed out twice", number);
		taken[number] = true;
		litmus_check(row->key == number + 1 && row->owner == i / ROWS_EACH + 1,
			"row %u is another's", number);
	}
	/* Each thread may lose one a chunk. */
	litmus_check(blocks >= THREADS * ROWS_EACH / CHUNK_ROWS &&
			     blocks <= THREADS * (THREADS * ROWS_EACH / CHUNK_ROWS),
		"%u blocks", blocks);
}

/* --- classes and sites */

#define KEYS 6
#define KEYS_STEPS 18

static uint64_t
	addresses[KEYS]; /* that begin their searches at one place of the index of classes */
static uint32_t class_seen[KEYS], site_seen[KEYS], stack_seen[KEYS];

static void choose_addresses(void)
{
	uint64_t wanted = 0, address = 0x2000;

	for (unsigned i = 0; i < KEYS; address += 16) {
		uint64_t slot = hash64(address * 4 + RLK_KIND_MUTEX) >> (64 - 15);

		if (i == 0)
			wanted = slot;
		if (slot == wanted)
			addresses[i++] = address;
	}
}

static void keys_begin(void)
{
	if (!addresses[0])
		choose_addresses();
	world_begin(1000);
	memset(class_seen, 0, sizeof(class_seen));
	memset(site_seen, 0, sizeof(site_seen));
	memset(stack_seen, 0, sizeof(stack_seen));
}

/* Whoever asks for a key gets the same number, from the first on. */
static void agree(uint32_t *seen, unsigned key, uint32_t number, const char *what)
{
	uint32_t before = 0;

	litmus_check(number != 0, "%s %u has no number", what, key);
	if (!__atomic_compare_exchange_n(
		    &seen[key], &before, number, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		litmus_check(before == number, "%s %u is %u, and %u", what, key, before, number);
}

static void keys_body(unsigned self)
{
	(void)self;
	for (unsigned i = 0; i < KEYS_STEPS; i++) {
		unsigned key = litmus_random(KEYS);
		struct birth birth = {RLK_BORN_INIT, addresses[key], RLK_KIND_MUTEX, 0};
		uint64_t frames[] = {addresses[key], addresses[(key + 1) % KEYS], addresses[0]};
		uint32_t number = class_of(&birth);

		agree(class_seen, key, number, "class");
		litmus_check(class_row(number)->address == addresses[key] &&
				     class_row(number)->birth == RLK_BORN_INIT,
			"class %u is another's", number);
		agree(site_seen, key, site_of(addresses[key], OBJECT_STAYS), "site");
		agree(stack_seen, key, context_of_stack(frames, 3, false), "stack");
	}
}

/* Rows whose slot another thread filled first stay behind: at most one a thread. */
static void keys_end(void)
{
	for (unsigned key = 0; key < KEYS; key++) {
		unsigned rows_of_key = 0;

		for (uint32_t i = 0; i < classes_count(); i++)
			rows_of_key += class_row(i)->birth == RLK_BORN_INIT &&
				       class_row(i)->address == addresses[key];
		litmus_check(class_seen[key] ? rows_of_key >= 1 && rows_of_key <= THREADS
					     : rows_of_key == 0,
			"class %u has %u rows", key, rows_of_key);
	}
	litmus_check(arena_header->lost.classes_dropped == 0 &&
			     arena_header->lost.sites_dropped == 0 &&
			     arena_header->lost.stacks_dropped == 0,
		"something was dropped");
}

static const struct litmus tests[] = {
	{"rows", 1000, THREADS, rows_begin, rows_body, rows_end},
	{"keys", 1000, THREADS, keys_begin, keys_body, keys_end},
};

int main(int argc, char **argv)
{
	return litmus_main(argc, argv, tests, sizeof(tests) / sizeof(*tests));
}
