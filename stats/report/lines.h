/*
 * The rows of a table of locks or classes: a view cut to what is asked for, with its rwlocks'
 * sides.
 */
#ifndef RELOCK_STATS_REPORT_LINES_H
#define RELOCK_STATS_REPORT_LINES_H

#include "stats/report/columns.h"

enum line_sides {
	SIDES_TOGETHER, /* one line a lock (JSON) */
	SIDES_BELOW,    /* a rwlock's sides on lines below it, when both were used (text) */
	SIDES_INSTEAD,  /* a rwlock's sides instead of it (CSV) */
};

enum line_part { PART_ALL, PART_READ, PART_WRITE, PART_REST };

struct line_entry {
	uint32_t row; /* of the view; PART_REST: the first one left out */
	enum line_part part;
};

struct lines {
	const struct view *view, *classes;
	const struct style *style; /* NULL: for machines */
	struct line_entry *entry;
	size_t count;
	struct lock_line line; /* the one handed out last */
};

/* `limit` rows of the view at most; in a text, the others are summed up in a last line. */
void lines_new(struct lines *lines, const struct view *view, const struct view *classes,
	enum line_sides sides, size_t limit, const struct style *style);
void lines_free(struct lines *lines);

/* For struct table. */
const void *lines_row(void *lines, size_t index);

#endif
