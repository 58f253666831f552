/*
 * A view: the model by lock, class, site or thread, sorted.
 *
 * A row of locks or classes stands for a set of locks; its figures are their sum. Rows of sites and
 * threads have fewer figures, in the same place.
 */
#ifndef RELOCK_STATS_REPORT_VIEW_H
#define RELOCK_STATS_REPORT_VIEW_H

#include "stats/report/labels.h"
#include "stats/report/report.h"

struct view_row {
	uint32_t subject; /* lock, thread; for a class: its first class; for a site: a context */
	uint32_t first, count; /* locks: in view->member */
	uint32_t number;       /* for the machine formats: its index before sorting */
	double key;            /* what it was sorted by */
};

struct site_figures {
	uint64_t waits, wait_ns, max_ns;
	uint64_t caused_waits, caused_ns;
};

struct lifetimes {
	uint64_t created, destroyed; /* locks */
};

struct view {
	struct model *model;
	struct labels *labels;
	enum report_by by;
	struct view_row *row;
	size_t count;
	uint32_t *member;            /* locks, row by row */
	struct lifetimes *lifetimes; /* by class view only: by view_row.number */
	uint32_t *class_row;       /* by class view only: row->number of each class of the model */
	struct site_figures *site; /* by site only: by view_row.number */
};

/* Sorts by `key`, an index in report_key_names. */
struct view *view_new(struct model *model, struct labels *labels, enum report_by by, size_t key);
void view_free(struct view *view);

/* The name of a row, for free(). */
char *view_label(const struct view *view, size_t row);
void view_figures(const struct view *view, size_t row, struct figures *out);
/* Adds them to what is there; for rows of locks or classes. */
void view_figures_add(const struct view *view, size_t row, struct figures *out);
/* Only one side of its locks. */
void view_side_figures(
	const struct view *view, size_t row, enum lock_side side, struct figures *out);

#endif
