/*
 * A table addressed by an index that a recording chose. Only the parts that rows are put into take
 * memory, so a few rows far apart, as a damaged file may have them, cost a few parts.
 *
 * Use:
 *	struct sparse table = {.row_size = sizeof(struct thing)};
 *	struct thing *thing = sparse_make(&table, index);       -- zeroed when it is new
 *	if ((thing = sparse_find(&table, index))) …              -- NULL: nothing near it was made
 *	sparse_free(&table);
 *
 * Contract: rows never move. A row is no larger than SPARSE_PART_BYTES.
 */
#ifndef RELOCK_STATS_REPORT_SPARSE_H
#define RELOCK_STATS_REPORT_SPARSE_H

#include <stddef.h>
#include <stdint.h>

#define SPARSE_PART_BYTES 16384

struct sparse {
	size_t row_size;
	void **part; /* of SPARSE_PART_BYTES / row_size rows each; may be NULL */
	size_t parts;
};

void *sparse_make(struct sparse *table, uint64_t index);
void *sparse_find(const struct sparse *table, uint64_t index);
void sparse_free(struct sparse *table);

#endif
