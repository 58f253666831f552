#include "stats/report/diff_rows.h"

#include "stats/report/memory.h"
#include "stats/report/view.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Below these a change is not worth a word, or not known. */
#define LEAST_WAIT 0.001     /* of the longer run's thread time */
#define LEAST_CONTENDED 0.01 /* of acquisitions */
#define LEAST_WAITS 100      /* for a percentile */
#define BUCKET 0.125         /* how well a percentile is known */

/* --- the classes of one side */

struct named {
	char *name;
	const char *kind;
	size_t row; /* of the view */
	struct figures figures;
};

static int compare_keys(const char *name, const char *kind, const char *name2, const char *kind2)
{
	int order = strcmp(name, name2);

	return order ? order : strcmp(kind, kind2);
}

static int compare_named(const void *a, const void *b)
{
	const struct named *x = a, *y = b;

	return compare_keys(x->name, x->kind, y->name, y->kind);
}

static const char *kind_name(uint32_t kind)
{
	return model_is_rwlock(kind) ? "rwlock" : kind == RLK_KIND_SPIN ? "spin" : "mutex";
}

/* Sorted by name, each name once. */
static size_t collect(struct model *model, struct named **out)
{
	struct symbols *symbols = symbols_new(model);
	struct labels *labels = labels_new(model, symbols);
	struct view *view = view_new(model, labels, REPORT_BY_CLASS, 0);
	struct named *list = memory_get(view->count ? view->count : 1, sizeof *list);
	size_t count = view->count, kept = 0;

	for (size_t i = 0; i < count; i++) {
		list[i].name = view_label(view, i);
		list[i].kind = kind_name(model->classes.row[view->row[i].subject].kind);
		list[i].row = i;
	}
	qsort(list, count, sizeof *list, compare_named);
	for (size_t i = 0; i < count; i++) {
		if (kept > 0 && compare_named(&list[kept - 1], &list[i]) == 0)
			free(list[i].name);
		else
			list[kept++] = list[i];
		view_figures_add(view, list[i].row, &list[kept - 1].figures);
	}
	view_free(view);
	labels_free(labels);
	symbols_free(symbols);
	*out = list;
	return kept;
}

/* --- matching */

static struct diff_figures condense(const struct named *from, const struct model *model)
{
	const struct figures *f = &from->figures;

	return (struct diff_figures){
		.there = true,
		.acquired = f->acquired,
		.contended = f->counter[COUNT_contended],
		.wait_ns = f->counter[COUNT_wait_total],
		.p99_ns = figures_percentile_ns(f, OF_WAIT, 0.99, &model->reference),
		.max_ns = f->counter[COUNT_wait_max],
	};
}

static void take(
	struct diff_row *row, enum diff_which which, struct named *from, const struct model *model)
{
	row->side[which] = condense(from, model);
	row->kind = from->kind;
	if (row->name)
		free(from->name);
	else
		row->name = from->name;
}

static void match(struct diff_rows *rows, struct named *const list[], const size_t count[],
	struct model *const model[])
{
	size_t at[DIFF_SIDES] = {0};

	while (at[DIFF_A] < count[DIFF_A] || at[DIFF_B] < count[DIFF_B]) {
		struct diff_row row = {0};
		int order = at[DIFF_A] == count[DIFF_A]   ? 1
			    : at[DIFF_B] == count[DIFF_B] ? -1
							  : compare_named(&list[DIFF_A][at[DIFF_A]],
								    &list[DIFF_B][at[DIFF_B]]);

		if (order <= 0)
			take(&row, DIFF_A, &list[DIFF_A][at[DIFF_A]++], model[DIFF_A]);
		if (order >= 0)
			take(&row, DIFF_B, &list[DIFF_B][at[DIFF_B]++], model[DIFF_B]);
		rows->row = memory_grow(rows->row, rows->count, &rows->capacity, sizeof row);
		rows->row[rows->count++] = row;
	}
}

/* --- what moved */

static bool changed(double a, double b, double threshold)
{
	double least = fmin(a, b), most = fmax(a, b);

	return most > least * (1 + threshold);
}

static double contended_share(const struct diff_figures *f)
{
	return f->acquired ? (double)f->contended / (double)f->acquired : 0;
}

static double wait_change(const struct diff_row *row)
{
	return fabs((double)row->side[DIFF_B].wait_ns - (double)row->side[DIFF_A].wait_ns);
}

static void judge(struct diff_row *row, double threshold, double thread_time_ns)
{
	const struct diff_figures *a = &row->side[DIFF_A], *b = &row->side[DIFF_B];
	double share_a = contended_share(a), share_b = contended_share(b);

	row->moved[MOVED_WAIT] = changed((double)a->wait_ns, (double)b->wait_ns, threshold) &&
				 wait_change(row) >= LEAST_WAIT * thread_time_ns;
	row->moved[MOVED_CONTENDED] =
		changed(share_a, share_b, threshold) && fabs(share_a - share_b) >= LEAST_CONTENDED;
	row->moved[MOVED_P99] =
		a->contended >= LEAST_WAITS && b->contended >= LEAST_WAITS &&
		changed((double)a->p99_ns, (double)b->p99_ns, fmax(threshold, BUCKET));
	row->moved[MOVED_ACQUIRED] = changed((double)a->acquired, (double)b->acquired, threshold);
	row->any = !a->there || !b->there;
	for (int i = 0; i < MOVED_KINDS; i++)
		row->any = row->any || row->moved[i];
}

static int compare_rows(const void *a, const void *b)
{
	const struct diff_row *x = a, *y = b;
	double change_x = wait_change(x), change_y = wait_change(y);

	if (x->any != y->any)
		return x->any ? -1 : 1;
	if (change_x != change_y)
		return change_x > change_y ? -1 : 1;
	return compare_keys(x->name, x->kind, y->name, y->kind);
}

void diff_rows_make(struct diff_rows *rows, struct model *a, struct model *b, double threshold)
{
	struct model *const model[DIFF_SIDES] = {a, b};
	struct named *list[DIFF_SIDES];
	size_t count[DIFF_SIDES];
	double thread_time = fmax((double)a->thread_time_ns, (double)b->thread_time_ns);

	*rows = (struct diff_rows){0};
	for (int side = 0; side < DIFF_SIDES; side++)
		count[side] = collect(model[side], &list[side]);
	match(rows, list, count, model);
	for (size_t i = 0; i < rows->count; i++) {
		judge(&rows->row[i], threshold, thread_time);
		rows->moved += rows->row[i].any;
	}
	if (rows->count > 0)
		qsort(rows->row, rows->count, sizeof *rows->row, compare_rows);
	for (int side = 0; side < DIFF_SIDES; side++)
		free(list[side]);
}

void diff_rows_free(struct diff_rows *rows)
{
	for (size_t i = 0; i < rows->count; i++) {
		free(rows->row[i].name);
		free(rows->row[i].label);
	}
	free(rows->row);
}
