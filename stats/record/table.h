/*
 * The recording's global tables: rows with numbers, in chunks that are added as needed and never
 * move.
 *
 * Contract: any thread, any time; no lock. table_new() hands out a row that nobody else has; the
 * caller fills it and publishes it by its key. An index maps hashes to rows: it is private memory,
 * of fixed size, filled by compare-and-swap.
 */
#ifndef RELOCK_STATS_RECORD_TABLE_H
#define RELOCK_STATS_RECORD_TABLE_H

#include "stats/record/arena.h"
#include "stats/record/shared.h"

#define TABLE_NONE UINT32_MAX
#define TABLE_ROW_MOST 256 /* bytes */

struct table {
	enum rlk_block_type type;
	uint32_t row_size;
	uint32_t chunk_bits; /* log2 of the rows in a chunk: no division on the way to a row */
	uint32_t chunks;     /* length of `chunk` */
	_Atomic(struct rlk_block *) *chunk;
	_Atomic uint32_t next; /* rows handed out */
};

/* Declares a table of at most rows * count rows; `rows`, those of a chunk, is a power of two. */
#define TABLE(name, row_type, row, rows, count)                                                    \
	_Static_assert(((rows) & ((rows)-1)) == 0, "rows of a chunk");                             \
	_Static_assert(sizeof(row) <= TABLE_ROW_MOST, "a row of " #name);                          \
	static _Atomic(struct rlk_block *) name##_chunks[count];                                   \
	static struct table name = {                                                               \
		.type = (row_type),                                                                \
		.row_size = sizeof(row),                                                           \
		.chunk_bits = __builtin_ctz(rows),                                                 \
		.chunks = (count),                                                                 \
		.chunk = name##_chunks,                                                            \
	}

/* A new zeroed row; its number through `number`. NULL when the table or the recording is full, but
 * for `kept` rows (at most those of a chunk). */
void *table_new(struct table *table, uint32_t *number, uint32_t kept);

/* A row for what has none: the first, or one that nobody reads. */
void *table_row_instead(const struct table *table);

/* Row `number`, which must have been handed out. The child of a handler's fork may come with a
 * number of its parent's: that gets some row. */
static inline void *table_row(const struct table *table, uint32_t number)
{
	struct rlk_block *block = atomic_load_explicit(
		&table->chunk[number >> table->chunk_bits], memory_order_acquire);

	if (__builtin_expect(!block, 0))
		return table_row_instead(table);
	return (char *)block_rows(block) +
	       (size_t)(number & ((1u << table->chunk_bits) - 1)) * table->row_size;
}

static inline uint32_t table_count(const struct table *table)
{
	/* Acquire pairs with the release in table_new(): the rows counted have their chunks. */
	return atomic_load_explicit(&table->next, memory_order_acquire);
}

/* Forgets all rows, in a forked child. */
void table_reset(struct table *table);

/* An index: open addressing over `1 << bits` slots, each 0 or 1 + the number of a row. */
struct index {
	unsigned bits;
	uint32_t *slots; /* private_memory(), at first use */
};

bool index_open(struct index *index);
void index_reset(struct index *index);

/* A slot of the probe sequence of `hash`; NULL when `step` has gone further than probing may. */
static inline uint32_t *index_slot(const struct index *index, uint64_t hash, unsigned step)
{
	return step < 64 ? &index->slots[((hash >> (64 - index->bits)) + step) &
					 ((1u << index->bits) - 1)]
			 : NULL;
}

static inline uint64_t hash64(uint64_t value)
{
	value ^= value >> 32;
	value *= 0x9e3779b97f4a7c15u;
	value ^= value >> 29;
	return value * 0xbf58476d1ce4e5b9u;
}

#endif
