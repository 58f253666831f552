#include "stats/record/table.h"

#include <string.h>
#include <sys/mman.h>

/* Bytes of rows that are made sure of at once. */
#define TOUCH_MOST (64u << 10)

static bool chunk_ensure(struct table *table, uint32_t chunk)
{
	_Atomic(struct rlk_block *) *slot = &table->chunk[chunk];
	struct rlk_block *block = NULL, *fresh;

	if (atomic_load_explicit(slot, memory_order_acquire))
		return true;
	fresh = arena_block(table->type, table->row_size, 1u << table->chunk_bits,
		chunk << table->chunk_bits, 0, false);
	if (!fresh)
		return false;
	/* Release pairs with the acquire in table_row(). Whoever loses leaves a block of empty rows
	 * behind. */
	atomic_compare_exchange_strong_explicit(
		slot, &block, fresh, memory_order_acq_rel, memory_order_acquire);
	return true;
}

/* Makes sure of a row's page: of more, the more there are already, so that it is rarely a system
 * call. Any number of threads may do so at once. */
static bool row_touch(struct rlk_block *block, uint32_t row, uint32_t size)
{
	uint32_t from = load32_acquire(&block->touched), most, page, to;

	if (row < from)
		return true;
	most = TOUCH_MOST / size;
	page = RLK_PAGE / size + 1;
	to = row + (row < page ? page : row < most ? row : most);
	if (to > block->capacity)
		to = block->capacity;
	if (!arena_touch(
		    (char *)block_rows(block) + (size_t)from * size, (size_t)(to - from) * size))
		return false;
	max32(&block->touched, to);
	return true;
}

/* A chunk further on is made first where it is needed for the rows kept. */
static bool rows_ensure(struct table *table, uint32_t row, uint32_t kept)
{
	uint32_t last = row + kept;

	return last < table->chunks << table->chunk_bits &&
	       chunk_ensure(table, row >> table->chunk_bits) &&
	       chunk_ensure(table, last >> table->chunk_bits);
}

void *table_new(struct table *table, uint32_t *number, uint32_t kept)
{
	uint32_t n = atomic_load_explicit(&table->next, memory_order_relaxed);
	struct rlk_block *block;

	do {
		if (!rows_ensure(table, n, kept))
			return NULL;
		/* Release pairs with the acquire in table_count(). */
	} while (!atomic_compare_exchange_weak_explicit(
		&table->next, &n, n + 1, memory_order_release, memory_order_relaxed));
	block = atomic_load_explicit(&table->chunk[n >> table->chunk_bits], memory_order_acquire);
	/* None: a handler forked, and this is the child. */
	if (!block || !row_touch(block, n & ((1u << table->chunk_bits) - 1), table->row_size))
		return NULL;
	*number = n;
	return table_row(table, n);
}

COLD void *table_row_instead(const struct table *table)
{
	static uint64_t nobodys[TABLE_ROW_MOST / sizeof(uint64_t)];
	struct rlk_block *first = atomic_load_explicit(&table->chunk[0], memory_order_acquire);

	return first ? block_rows(first) : (void *)nobodys;
}

void table_reset(struct table *table)
{
	atomic_store_explicit(&table->next, 0, memory_order_relaxed);
	for (uint32_t i = 0; i < table->chunks && table->chunk[i]; i++)
		atomic_store_explicit(&table->chunk[i], NULL, memory_order_relaxed);
}

bool index_open(struct index *index)
{
	if (!index->slots)
		index->slots = private_memory(sizeof(uint32_t) << index->bits);
	return index->slots != NULL;
}

void index_reset(struct index *index)
{
	if (index->slots)
		madvise(index->slots, sizeof(uint32_t) << index->bits, MADV_DONTNEED);
}
