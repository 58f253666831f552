#include "stats/record/table.h"

#include <string.h>
#include <sys/mman.h>

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

void *table_new(struct table *table, uint32_t *number)
{
	uint32_t n = atomic_load_explicit(&table->next, memory_order_relaxed);
	void *row;

	do {
		if (n >= table->chunks << table->chunk_bits ||
			!chunk_ensure(table, n >> table->chunk_bits))
			return NULL;
	} while (!atomic_compare_exchange_weak_explicit(
		&table->next, &n, n + 1, memory_order_relaxed, memory_order_relaxed));
	row = table_row(table, n);
	if (!arena_touch(row, table->row_size))
		return NULL;
	*number = n;
	return row;
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
