/*
 * An index over the rows of a table: finds the row that has given content. It keeps row numbers
 * only; the table says what rows are equal.
 *
 * Use: row = index_find(&index, hash, same, context); when it is INDEX_NONE, append the row and
 * index_insert(&index, hash, row).
 */
#ifndef RELOCK_STATS_REPORT_INDEX_H
#define RELOCK_STATS_REPORT_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define INDEX_NONE UINT32_MAX

struct index {
	struct index_slot *slot;
	size_t capacity, used; /* capacity is a power of two */
};

typedef bool index_same(const void *context, uint32_t row);

uint32_t index_find(
	const struct index *index, uint64_t hash, index_same *same, const void *context);
void index_insert(struct index *index, uint64_t hash, uint32_t row);
void index_free(struct index *index);

/* Hashes of content, to be chained: index_hash(index_hash(0, a), b). */
uint64_t index_hash(uint64_t hash, uint64_t value);
uint64_t index_hash_bytes(uint64_t hash, const void *bytes, size_t length);

#endif
