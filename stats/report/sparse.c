#include "stats/report/sparse.h"

#include "stats/report/memory.h"

#include <stdlib.h>

static uint64_t rows_in_part(const struct sparse *table)
{
	return SPARSE_PART_BYTES / table->row_size;
}

static void *row_in_part(const struct sparse *table, uint64_t index)
{
	uint64_t rows = rows_in_part(table);

	return (char *)table->part[index / rows] + index % rows * table->row_size;
}

void *sparse_make(struct sparse *table, uint64_t index)
{
	uint64_t part = index / rows_in_part(table);

	table->part = memory_reach(table->part, &table->parts, part + 1, sizeof *table->part);
	if (!table->part[part])
		table->part[part] = memory_get(rows_in_part(table), table->row_size);
	return row_in_part(table, index);
}

void *sparse_find(const struct sparse *table, uint64_t index)
{
	uint64_t part = index / rows_in_part(table);

	return part < table->parts && table->part[part] ? row_in_part(table, index) : NULL;
}

void sparse_free(struct sparse *table)
{
	for (size_t i = 0; i < table->parts; i++)
		free(table->part[i]);
	free(table->part);
	*table = (struct sparse){.row_size = table->row_size};
}
