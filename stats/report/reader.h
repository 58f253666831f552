/*
 * The reader: a recording as rows and texts, whatever state the file is in.
 *
 * Use:
 *	struct recording *r = recording_open(path, &notes, message, sizeof message);
 *	struct rows rows;
 *	rows_begin(&rows, r, RLK_SITES);
 *	while ((site = rows_next(&rows)))
 *		if (site->address != 0)  -- an empty row, see stats/format.h
 *			...
 *	recording_close(r);
 *
 * Contract: the file is only read, with pread, so that one which shrinks or changes meanwhile is no
 * danger. Every offset, length and index is checked; blocks and rows that cannot be right are left
 * out and a warning is noted. Pages that were never written are stepped over without being read.
 * Memory is bounded: a list of blocks and one buffer, whatever the file claims. Rows are aligned
 *for their type and stay valid until the next call.
 */
#ifndef RELOCK_STATS_REPORT_READER_H
#define RELOCK_STATS_REPORT_READER_H

#include "stats/format.h"
#include "stats/report/notes.h"

#include <stdbool.h>
#include <stddef.h>

struct recording_block {
	uint64_t offset, bytes;
	uint32_t capacity, first, shard;
	uint16_t type, row_size;
};

struct recording {
	int fd;
	char *path;
	uint64_t size; /* bytes that are both handed out and in the file */
	struct rlk_header header;
	struct recording_block *blocks; /* in file order, none overlap */
	size_t block_count;
	struct notes *notes;
};

/* NULL: not readable as a recording, and `message` says why in a sentence that names the file. */
struct recording *recording_open(const char *path, struct notes *notes, char *message, size_t size);
void recording_close(struct recording *recording);

/* A text of the recording, for free(). NULL: not known, or not inside the file's texts. */
char *recording_text(const struct recording *recording, struct rlk_text text);

/* The most rows of this type the file can hold: an index not below it is wrong. */
uint64_t recording_index_limit(const struct recording *recording, enum rlk_block_type type);

struct rows {
	const struct recording *recording;
	enum rlk_block_type type;
	uint64_t index;  /* of the row returned: its number among all rows of the type */
	uint32_t shard;  /* of the row returned: as in rlk_block */
	uint64_t offset; /* of the row returned: in the file */
	/* private */
	size_t block;      /* the one being read, its number + 1 */
	uint64_t position; /* next row in it */
	uint64_t buffered; /* rows in the buffer not returned yet */
	unsigned char *next;
	unsigned char *buffer;
};

void rows_begin(struct rows *rows, const struct recording *recording, enum rlk_block_type type);
/* The next row, empty ones included; NULL at the end. */
const void *rows_next(struct rows *rows);
/* Only needed when iteration stops before the end. */
void rows_end(struct rows *rows);

#endif
