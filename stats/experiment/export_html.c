/* Results as a page: what the screen says, and the drawing. */
#include "stats/experiment/screen.h"
#include "stats/report/html_page.h"
#include "stats/report/memory.h"

#include <stdlib.h>
#include <string.h>

/* --- a metric's table */

struct rows {
	const struct screen *screen;
	size_t metric, slot; /* of the row handed out last */
	char text[CELL_TEXT];
};

static const void *rows_row(void *context, size_t index)
{
	struct rows *rows = context;

	rows->slot = index;
	return rows;
}

enum part { NAME, MEDIAN, RATIO, INTERVAL, VERDICT };

static void put_part(struct rows *rows, enum part part)
{
	const struct experiment *e = rows->screen->e;
	const struct experiment_results *r = rows->screen->r;
	const struct experiment_cell *cell = experiment_cell(r, rows->slot, rows->metric);
	const size_t size = sizeof(rows->text);

	rows->text[0] = '\0';
	if (part == MEDIAN)
		experiment_value(&e->plan->metric[rows->metric], cell->median, &html_style,
			rows->text, size);
	else if (part == VERDICT)
		verdict_text(e, r, rows->slot, rows->metric, &html_style, rows->text, size);
	else if (part == RATIO && rows->slot != e->plan->reference)
		ratio_text(cell->ratio, &html_style, rows->text, size);
	else if (part == INTERVAL && rows->slot != e->plan->reference)
		interval_text(cell, &html_style, rows->text, size);
}

static void get_part(const void *row, uintptr_t part, struct value *out)
{
	struct rows *rows = (struct rows *)row;

	put_part(rows, (enum part)part);
	*out = (struct value){VALUE_TEXT,
		.text = part == NAME ? experiment_name(rows->screen->e, rows->slot) : rows->text};
}

static const struct column columns[] = {
	{.heading = "candidate", .get = get_part, .argument = NAME, .left = true},
	{.heading = "median", .get = get_part, .argument = MEDIAN},
	{.heading = "ratio", .get = get_part, .argument = RATIO},
	{.heading = "95 % interval", .get = get_part, .argument = INTERVAL},
	{.heading = "verdict", .get = get_part, .argument = VERDICT, .left = true},
};

static void put_metric(const struct screen *s, size_t metric)
{
	const struct experiment_metric *m = &s->e->plan->metric[metric];
	struct rows rows = {.screen = s, .metric = metric};
	struct table table = {
		columns, sizeof(columns) / sizeof(columns[0]), s->r->slots, rows_row, &rows, NULL};
	const char *higher = !m->higher   ? ""
			     : m->meaning ? ", higher is better"
					  : "higher is better";
	char *title = memory_format("%s%s%s%s", m->name, m->meaning || m->higher ? ": " : "",
		m->meaning ? m->meaning : "", higher);

	html_table(s->out, title, &table);
	free(title);
}

/* --- the page */

static char *printed(const struct screen *s, void (*print)(const struct screen *))
{
	struct screen copy = *s;
	char *text;
	size_t size;

	copy.out = memory_stream(&text, &size);
	print(&copy);
	fclose(copy.out);
	return text;
}

static void put_head(const struct screen *s)
{
	char *title = memory_format("%s - relock compare", s->e->plan->subject);
	char *plan = printed(s, screen_plan);

	html_begin(s->out, title);
	fputs("<header><h1>", s->out);
	html_text(s->out, s->e->plan->subject);
	fputs("</h1>\n<p>", s->out);
	plan[strcspn(plan, "\n")] = '\0';
	html_text(s->out, plan);
	fputs("</p></header>\n<main>\n", s->out);
	free(plan);
	free(title);
}

void export_html(const struct experiment *e, const struct experiment_results *r, FILE *out)
{
	const struct screen s = {e, r, &html_style, out, 0};
	char *notes = printed(&s, screen_notes);

	put_head(&s);
	for (size_t metric = 0; metric < e->plan->metrics; metric++) {
		if (screen_measured(&s, metric))
			put_metric(&s, metric);
		/* Of the first, which decides. */
		if (metric > 0)
			continue;
		fputs("<figure>\n", out);
		export_svg(e, r, out);
		fputs("</figure>\n", out);
	}
	html_margin_lines(out, "Notes", notes);
	fputs("</main>\n", out);
	html_end(out);
	free(notes);
}
