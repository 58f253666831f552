/*
 * The rows of a diff, and their columns. For the diff_*.c files only.
 */
#ifndef RELOCK_STATS_REPORT_DIFF_ROWS_H
#define RELOCK_STATS_REPORT_DIFF_ROWS_H

#include "stats/report/diff.h"
#include "stats/report/model.h"
#include "stats/report/table.h"

enum diff_which { DIFF_A, DIFF_B, DIFF_SIDES };
enum diff_moved { MOVED_WAIT, MOVED_CONTENDED, MOVED_P99, MOVED_ACQUIRED, MOVED_KINDS };

struct diff_figures {
	bool there;
	uint64_t acquired, contended, wait_ns, p99_ns, max_ns;
};

struct diff_row {
	char *name;
	const char *kind;
	struct diff_figures side[DIFF_SIDES];
	bool moved[MOVED_KINDS];
	bool any; /* of those, or new or gone */
	/* texts of the row */
	char change[128], list[64], rank[16];
	char *label;
};

struct diff_rows {
	struct diff_row *row; /* those that moved first, each part by how much waiting moved */
	size_t count, moved, capacity;
};

void diff_rows_make(struct diff_rows *rows, struct model *a, struct model *b, double threshold);
void diff_rows_free(struct diff_rows *rows);

extern const struct column diff_columns[];
extern const size_t diff_columns_count;

#endif
