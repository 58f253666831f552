#include "tests/litmus/world.h"

/* Whole, for what only deflation itself may do; in small slices. */
#define SLICE 32
#include "stats/record/look.c"
#include "stats/record/quiet.h"
#include "tests/recorder_alone.h"

#include <string.h>

#define MEMORY (16u << 20)
/* Rows of one type that a reader keeps. */
#define ROWS 4096

uint64_t world_address[WORLD_LOCKS];

/* As in chains.c; when it is another there, the locks meet less often, and nothing else happens. */
static uint64_t chain_of(uint64_t address)
{
	return (address >> 2) * 0x9e3779b97f4a7c15u >> 51;
}

static void choose_addresses(void)
{
	uint64_t address = (uint64_t)1 << 32;

	for (unsigned i = 0; i < WORLD_LOCKS; address += 1 << 26) {
		if (chain_of(address) == 0)
			world_address[i++] = address;
	}
}

void world_begin(uint64_t max_locks)
{
	static bool opened;
	struct recorder_config config = alone_config(MEMORY, max_locks);

	if (opened) {
		recorder_child();
		return;
	}
	config.deflate_interval = 3600u * UINT64_C(1000000000); /* looks are world_deflate()'s */
	choose_addresses();
	opened = recorder_open(&config);
	if (!opened)
		litmus_fail("no memory for a recording");
}

/* The next thread to begin takes the shard over. Not so under ThreadSanitizer, for which a thread
 * is no more when the last destructors of its data run. */
void world_leave(void)
{
#ifdef __SANITIZE_THREAD__
	thread_self = &thread_none;
#endif
}

/* --- deflation */

void world_deflate(bool again)
{
	for (unsigned i = 0; i < 1u + again; i++) {
		bool on = true;

		while (on) {
			struct quiet quiet;

			quiet_begin(&quiet);
			if (look.phase == NO_LOOK)
				look_begin(lock_records());
			look_on();
			on = look.phase != NO_LOOK;
			/* As deflate.c does, for those that compact. */
			if (!on)
				store64(&arena_header->deflation.folded,
					arena_header->deflation.folded + look.folded);
			quiet_end(&quiet);
			if (litmus_scheduled())
				litmus_yield();
		}
	}
}

void world_give_back(uint32_t record)
{
	if (!ring)
		ring = private_memory(sizeof(*ring) * RING);
	give_back(record);
}

void world_ring_at(uint64_t position)
{
	taken = given = position;
}

uint64_t world_free_rows(void)
{
	return look_free_rows();
}

/* --- the reader */

/* Justified, as there are no accesses of ours in it that the program could know of: a reader is
 * another process, which copies a file that may change meanwhile, and checks what it got. */
__attribute__((no_sanitize("thread"))) static uint64_t copy_recording(uint64_t *to)
{
	const uint64_t *from = (const uint64_t *)arena_header;
	uint64_t used = arena_header->used;

	for (uint64_t i = 0; i < used / sizeof(*to); i++)
		to[i] = *(const volatile uint64_t *)&from[i];
	return used;
}

struct reader {
	const char *at;
	uint64_t used;
	const struct rlk_record *record[ROWS];
	uint64_t shards;
	const struct rlk_shard *shard[64];
};

static void visit_blocks(struct reader *r, struct sums *sums,
	void (*visit)(struct reader *r, const struct rlk_block *block, struct sums *sums))
{
	for (uint64_t at = RLK_PAGE; at < r->used;) {
		const struct rlk_block *block = (const struct rlk_block *)(r->at + at);

		if (block->magic != RLK_BLOCK_MAGIC || block->self != at) {
			at += RLK_PAGE;
			continue;
		}
		visit(r, block, sums);
		at += block->bytes;
	}
}

/* A block that another thread made at the same time, and lost, has the same numbers and no rows. */
static void see_tables(struct reader *r, const struct rlk_block *block, struct sums *sums)
{
	const struct rlk_record *row = block_rows((struct rlk_block *)block);
	const struct rlk_shard *shard = block_rows((struct rlk_block *)block);

	for (uint32_t i = 0; block->type == RLK_RECORDS && i < block->capacity; i++) {
		uint32_t flags = row[i].flags;

		if (!row[i].generations || block->first + i >= ROWS)
			continue;
		r->record[block->first + i] = &row[i];
		sums->records += !(flags & RLK_LOCK_IS_CLASS);
		sums->standing +=
			!(flags & (RLK_LOCK_IS_CLASS | RLK_LOCK_REPLACED | RLK_LOCK_FOLDED));
	}
	for (uint32_t i = 0; block->type == RLK_SHARDS && i < block->capacity; i++) {
		if (shard[i].state && shard[i].move.from && r->shards < 64)
			r->shard[r->shards++] = &shard[i];
	}
}

/* What an entry counts, when the process ended while counts were moved. */
static uint64_t acquired_of(const struct reader *r, const struct rlk_entry *e)
{
	uint64_t offset = (uint64_t)((const char *)e - r->at), acquired = e->acquired;

	for (uint64_t i = 0; i < r->shards; i++) {
		if (r->shard[i]->move.from == offset)
			acquired = 0;
		if (r->shard[i]->move.to == offset)
			acquired = r->shard[i]->move.acquired;
	}
	return acquired;
}

static void see_entries(struct reader *r, const struct rlk_block *block, struct sums *sums)
{
	const struct rlk_entry *e = block_rows((struct rlk_block *)block);

	for (uint32_t i = 0; block->type == RLK_ENTRIES && i < block->capacity; i++) {
		uint64_t acquired = e[i].lock ? acquired_of(r, &e[i]) : 0;
		const struct rlk_record *record =
			e[i].record && e[i].record <= ROWS ? r->record[e[i].record - 1] : NULL;

		if (!acquired)
			continue;
		sums->acquired += acquired;
		if (record)
			sums->of_class[record->class_index % WORLD_CLASSES] += acquired;
		else
			sums->nobodys += acquired;
	}
}

void world_sum(struct sums *sums)
{
	static uint64_t copy[MEMORY / sizeof(uint64_t)];
	static struct reader reader;
	struct reader *r = &reader;

	litmus_stand_still();
	*r = (struct reader){.at = (const char *)copy, .used = copy_recording(copy)};
	memset(sums, 0, sizeof(*sums));
	visit_blocks(r, sums, see_tables);
	visit_blocks(r, sums, see_entries);
	litmus_go_on();
}
