/* The text report: its order, and what its parts share. */
#include "stats/report/screen.h"

#include "stats/report/html.h"
#include "stats/report/lines.h"
#include "stats/report/memory.h"
#include "stats/report/rules.h"
#include "stats/report/stacks.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void screen_text(const struct report *r, const char *text)
{
	char *shown = units_escape(text, &r->style);

	fputs(shown, r->out);
	free(shown);
}

const char *screen_dot(const struct report *r)
{
	return r->style.utf8 ? " · " : " - ";
}

void screen_margin(const struct report *r, const char *word, bool verdict)
{
	if (verdict && r->style.color)
		fprintf(r->out, "\033[33m%s\033[0m%*s", word, (int)(SCREEN_MARGIN - strlen(word)),
			"");
	else
		fprintf(r->out, "%-*s", SCREEN_MARGIN, word);
}

void print_table(const struct report *r, const char *title, const struct table *table,
	enum report_format format)
{
	switch (format) {
	case REPORT_TEXT:
		fputc('\n', r->out);
		table_text(table, &r->style, r->out);
		break;
	case REPORT_HTML:
		html_table(r->out, title, table);
		break;
	case REPORT_CSV:
		table_csv(table, r->out);
		break;
	case REPORT_JSON:
		table_json(table, r->out);
		break;
	case REPORT_FOLDED:
	case REPORT_OPENMETRICS:
		break;
	}
}

/* --- sites and threads */

struct view_lines {
	const struct report *report;
	const struct view *view;
	struct site_line site;
	struct thread_line thread;
	bool text;
};

static const void *site_row(void *context, size_t i)
{
	struct view_lines *l = context;
	uint64_t total = l->report->model->total.counter[COUNT_wait_total];
	const struct view_row *row = &l->view->row[i];

	free(l->site.label);
	l->site = (struct site_line){
		.label = view_label(l->view, i), .figures = l->view->site[row->number]};
	snprintf(l->site.rank, sizeof l->site.rank, "%zu", i + 1);
	if (total > 0)
		l->site.share = (double)l->site.figures.wait_ns / (double)total;
	return &l->site;
}

static const void *thread_row(void *context, size_t i)
{
	struct view_lines *l = context;
	const struct thread *thread = &l->view->model->threads.row[l->view->row[i].subject];

	l->thread = (struct thread_line){.name = thread->name, .thread = thread};
	snprintf(l->thread.rank, sizeof l->thread.rank, "%zu", i + 1);
	snprintf(l->thread.tid, sizeof l->thread.tid, "%" PRId32, thread->tid);
	return &l->thread;
}

static size_t shown_rows(const struct report *r, const struct view *view)
{
	return view->count < r->rows ? view->count : r->rows;
}

void print_sites(const struct report *r, const struct view *view, enum report_format format)
{
	struct view_lines lines = {.report = r, .view = view};
	struct table table = {
		site_columns, site_columns_count, shown_rows(r, view), site_row, &lines, NULL};

	print_table(r, "Places", &table, format);
	free(lines.site.label);
}

void print_threads(const struct report *r, const struct view *view, enum report_format format)
{
	struct view_lines lines = {.report = r, .view = view};
	struct table table = {thread_columns, thread_columns_count, shown_rows(r, view), thread_row,
		&lines, NULL};

	print_table(r, "Threads", &table, format);
}

/* --- locks and classes */

struct stacked_lines {
	struct lines lines; /* first: rows are asked of it */
	const struct report *report;
	struct stacks *stacks;
	const struct table *table;
};

static void details_below(void *context, size_t index, FILE *out)
{
	struct stacked_lines *l = context;
	const struct line_entry *entry = &l->lines.entry[index];

	(void)out;
	/* Below the last of a rwlock's lines. */
	if (entry->part == PART_REST ||
		(index + 1 < l->lines.count && l->lines.entry[index + 1].row == entry->row &&
			l->lines.entry[index + 1].part != PART_REST))
		return;
	if (l->report->options->format == REPORT_HTML) {
		html_details(l->report, l->stacks, entry->row, table_headings(l->table));
		return;
	}
	if (l->report->options->rules)
		rules_print(l->report, entry->row);
	if (l->stacks)
		stacks_print(l->stacks, l->report, entry->row);
}

static void print_locks(const struct report *r)
{
	bool by_class = r->view->by == REPORT_BY_CLASS;
	struct stacked_lines l = {.report = r};
	struct table table = {by_class ? class_columns : lock_columns,
		by_class ? class_columns_count : lock_columns_count, 0, lines_row, &l.lines, NULL};

	lines_new(&l.lines, r->view, NULL, SIDES_BELOW, r->rows, &r->style);
	l.table = &table;
	table.rows = l.lines.count;
	if (r->options->stacks)
		l.stacks = stacks_new(r->model, r->view);
	if (r->options->stacks || r->options->rules)
		table.after = details_below;
	print_table(r, by_class ? "Classes of locks" : "Locks", &table, r->options->format);
	stacks_free(l.stacks);
	lines_free(&l.lines);
}

void screen_table(const struct report *r)
{
	size_t more = r->view->count - shown_rows(r, r->view);

	if (r->view->count == 0)
		return;
	if (r->view->by == REPORT_BY_LOCK || r->view->by == REPORT_BY_CLASS) {
		print_locks(r);
		return;
	}
	if (r->view->by == REPORT_BY_SITE)
		print_sites(r, r->view, r->options->format);
	else
		print_threads(r, r->view, r->options->format);
	if (more > 0 && r->options->format == REPORT_HTML)
		fprintf(r->out, "<p>… %zu more</p>\n", more);
	else if (more > 0)
		fprintf(r->out, "%s  %zu more\n", r->style.utf8 ? "…" : "...", more);
}

void screen_print(struct report *r)
{
	screen_header(r);
	screen_table(r);
	screen_pairs(r);
	screen_yields(r);
	fputc('\n', r->out);
	screen_covered(r);
	screen_advice(r);
	screen_next(r);
}
