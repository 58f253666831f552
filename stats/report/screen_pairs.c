/* Sections of the text report: who waited for whom, and home-made waiting. */
#include "stats/report/screen.h"

#include "stats/report/memory.h"

#include <stdlib.h>
#include <string.h>

#define PAIRS_SHOWN 5
#define PAIRS_NAMED 2000 /* pairs that are looked up at most; the others are the least */
#define YIELDS_SHOWN 5
#define YIELDS_WORTH 1000 /* calls from one place that make it a home-made lock */
#define PLACE_WIDTH 84

/* --- who waited for whom */

struct pair_lines {
	const struct report *report;
	bool by_class; /* pairs of all locks of a class are one line */
	struct pair_line *line;
	size_t count;
};

static int pair_compare(const void *a, const void *b, void *data)
{
	const struct pair *pairs = data;
	const struct pair *x = &pairs[*(const uint32_t *)a], *y = &pairs[*(const uint32_t *)b];

	if (x->wait_ns != y->wait_ns)
		return x->wait_ns > y->wait_ns ? -1 : 1;
	return x < y ? -1 : x > y;
}

static int line_compare(const void *a, const void *b)
{
	const struct pair_line *x = a, *y = b;

	if (x->pair.wait_ns != y->pair.wait_ns)
		return x->pair.wait_ns > y->pair.wait_ns ? -1 : 1;
	return strcmp(x->text, y->text);
}

static uint32_t *sorted_pairs(const struct model *m)
{
	uint32_t *order = memory_get(m->pairs.count, sizeof *order);

	for (uint32_t i = 0; i < m->pairs.count; i++)
		order[i] = i;
	qsort_r(order, m->pairs.count, sizeof *order, pair_compare, m->pairs.row);
	return order;
}

static char *pair_text(const struct report *r, const struct pair *pair)
{
	char *waiter = units_escape(labels_context(r->labels, pair->waiter), &r->style);
	char *holder = units_escape(labels_context(r->labels, pair->holder), &r->style);
	char *text;

	units_cut(waiter, PLACE_WIDTH / 2, &r->style);
	units_cut(holder, PLACE_WIDTH / 2, &r->style);
	text = memory_format(
		"%s  %s  %s", waiter, r->style.utf8 ? "←" : "<-", pair->holder ? holder : "?");
	free(waiter);
	free(holder);
	return text;
}

static bool same_lock(const struct pair_lines *l, uint32_t a, uint32_t b)
{
	const struct lock *lock = l->report->model->locks.row;
	const uint32_t *class_row = l->report->view->class_row;

	return l->by_class ? class_row[lock[a].class] == class_row[lock[b].class] : a == b;
}

/* Adds a pair to the line that reads the same and is of the same lock, or as a new one. */
static void line_add(struct pair_lines *l, const struct pair *pair)
{
	char *text = pair_text(l->report, pair);

	for (size_t i = 0; i < l->count; i++) {
		struct pair *kept = &l->line[i].pair;

		if (!same_lock(l, kept->lock, pair->lock) || strcmp(l->line[i].text, text) != 0)
			continue;
		kept->count += pair->count;
		kept->wait_ns += pair->wait_ns;
		kept->max_ns = kept->max_ns > pair->max_ns ? kept->max_ns : pair->max_ns;
		free(text);
		return;
	}
	l->line[l->count++] = (struct pair_line){.pair = *pair, .text = text};
}

static char *class_label(const struct report *r, uint32_t lock)
{
	return memory_copy(labels_class(r->labels, r->model->locks.row[lock].class));
}

static const void *pair_row(void *context, size_t i)
{
	struct pair_lines *l = context;
	struct pair_line *line = &l->line[i];
	uint64_t total = l->report->model->total.counter[COUNT_wait_total];
	char *label = l->by_class ? class_label(l->report, line->pair.lock)
				  : labels_lock(l->report->labels, line->pair.lock);

	snprintf(line->rank, sizeof line->rank, "%zu", i + 1);
	if (total > 0)
		line->share = (double)line->pair.wait_ns / (double)total;
	free((char *)line->lock);
	line->lock = units_escape(label, &l->report->style);
	units_cut((char *)line->lock, PLACE_WIDTH / 2, &l->report->style);
	free(label);
	return line;
}

static size_t pair_limit(const struct report *r)
{
	return r->options->rows || r->options->format == REPORT_HTML ? r->rows : PAIRS_SHOWN;
}

void screen_pairs(const struct report *r)
{
	const struct model *m = r->model;
	size_t named = m->pairs.count < PAIRS_NAMED ? m->pairs.count : PAIRS_NAMED;
	struct pair_lines l = {.report = r,
		.by_class = r->view->by == REPORT_BY_CLASS,
		.line = memory_get(named, sizeof *l.line)};
	uint32_t *order = sorted_pairs(m);
	struct table table = {pair_columns, pair_columns_count, 0, pair_row, &l, NULL};

	for (size_t i = 0; i < named; i++)
		line_add(&l, &m->pairs.row[order[i]]);
	free(order);
	if (l.count > 0) {
		qsort(l.line, l.count, sizeof *l.line, line_compare);
		table.rows = l.count < pair_limit(r) ? l.count : pair_limit(r);
		print_table(r, "Who waited for whom", &table, r->options->format);
	}
	for (size_t i = 0; i < l.count; i++) {
		free(l.line[i].text);
		free((char *)l.line[i].lock);
	}
	free(l.line);
}

/* --- home-made waiting */

struct yield_lines {
	const struct report *report;
	const struct yield_site **site;
	size_t count;
	struct yield_line line;
};

static int yield_compare(const void *a, const void *b)
{
	const struct yield_site *x = *(struct yield_site *const *)a;
	const struct yield_site *y = *(struct yield_site *const *)b;

	if (x->count != y->count)
		return x->count > y->count ? -1 : 1;
	return x < y ? -1 : x > y;
}

static const void *yield_row(void *context, size_t i)
{
	struct yield_lines *l = context;
	uint32_t site = l->site[i]->site;

	l->line.site = l->site[i];
	l->line.place =
		site == NONE ? "?" : labels_context(l->report->labels, RLK_CONTEXT_SITE(site));
	return &l->line;
}

void screen_yields(const struct report *r)
{
	const struct model *m = r->model;
	struct yield_lines l = {
		.report = r, .site = memory_get(m->yield_sites.count, sizeof *l.site)};
	struct table table = {yield_columns, yield_columns_count, 0, yield_row, &l, NULL};

	for (size_t i = 0; i < m->yield_sites.count; i++)
		if (m->yield_sites.row[i].count > YIELDS_WORTH)
			l.site[l.count++] = &m->yield_sites.row[i];
	if (l.count > 0) {
		qsort(l.site, l.count, sizeof *l.site, yield_compare);
		table.rows = l.count < YIELDS_SHOWN ? l.count : YIELDS_SHOWN;
		print_table(r, "Home-made waiting", &table, r->options->format);
	}
	free(l.site);
}
