/* Iterating over the rows of one type. */
#include "stats/report/blocks.h"
#include "stats/report/memory.h"

#include <stdlib.h>
#include <unistd.h>

#define BUFFER_BYTES (256 * 1024)

void rows_begin(struct rows *rows, const struct recording *recording, enum rlk_block_type type)
{
	*rows = (struct rows){.recording = recording, .type = type};
}

void rows_end(struct rows *rows)
{
	free(rows->buffer);
	*rows = (struct rows){0};
}

static const struct recording_block *rows_block(const struct rows *rows)
{
	return &rows->recording->blocks[rows->block - 1];
}

/* Goes to the next block of the type. False: there is none. */
static bool rows_advance(struct rows *rows)
{
	while (rows->block < rows->recording->block_count) {
		rows->block++;
		rows->position = 0;
		if (rows_block(rows)->type == rows->type && rows_block(rows)->capacity > 0)
			return true;
	}
	return false;
}

/* Steps over rows that were never written: they are empty. */
static void rows_skip_hole(struct rows *rows)
{
	const struct recording_block *b = rows_block(rows);
	uint64_t start = b->offset + sizeof(struct rlk_block);
	uint64_t data = blocks_next_data(rows->recording, start + rows->position * b->row_size);
	uint64_t row = data == UINT64_MAX || data < start ? 0 : (data - start) / b->row_size;

	if (data == UINT64_MAX || row > b->capacity)
		rows->position = b->capacity;
	else if (row > rows->position)
		rows->position = row;
}

/* Reads the next rows of the current block. False: it has no more. */
static bool rows_fill(struct rows *rows)
{
	const struct recording_block *b = rows_block(rows);
	uint64_t wanted;
	ssize_t got;

	rows_skip_hole(rows);
	wanted = b->capacity - rows->position;
	if (wanted > BUFFER_BYTES / b->row_size)
		wanted = BUFFER_BYTES / b->row_size;
	if (wanted == 0)
		return false;
	if (!rows->buffer)
		rows->buffer = memory_get(BUFFER_BYTES, 1);
	got = pread(rows->recording->fd, rows->buffer, wanted * b->row_size,
		(off_t)(b->offset + sizeof(struct rlk_block) + rows->position * b->row_size));
	if (got < (ssize_t)b->row_size)
		return false;
	rows->buffered = (uint64_t)got / b->row_size;
	rows->next = rows->buffer;
	return true;
}

const void *rows_next(struct rows *rows)
{
	const struct recording_block *b;
	const void *row;

	while (rows->buffered == 0) {
		if (rows->block > 0 && rows_fill(rows))
			break;
		if (!rows_advance(rows)) {
			rows_end(rows);
			return NULL;
		}
	}
	b = rows_block(rows);
	row = rows->next;
	rows->index = b->first + rows->position;
	rows->shard = b->shard;
	rows->offset = b->offset + sizeof(struct rlk_block) + rows->position * b->row_size;
	rows->next += b->row_size;
	rows->position++;
	rows->buffered--;
	return row;
}
