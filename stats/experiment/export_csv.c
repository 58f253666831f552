/* Results as CSV and Markdown: a row a metric and candidate. */
#include "stats/experiment/internal.h"
#include "stats/report/table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct cells {
	const struct experiment *e;
	const struct experiment_results *r;
	size_t slot, metric; /* of the row handed out last */
	char number[64];
};

static const void *cells_row(void *context, size_t index)
{
	struct cells *cells = context;

	cells->metric = index / cells->r->slots;
	cells->slot = index % cells->r->slots;
	return cells;
}

static const struct experiment_cell *cell_of(const struct cells *row)
{
	return experiment_cell(row->r, row->slot, row->metric);
}

static void get_metric(const void *row, uintptr_t key, struct value *out)
{
	const struct cells *cells = row;
	const struct experiment_metric *metric = &cells->e->plan->metric[cells->metric];

	*out = (struct value){VALUE_TEXT, .text = key ? metric->key : metric->name};
}

static void get_candidate(const void *row, uintptr_t unused, struct value *out)
{
	const struct cells *cells = row;

	(void)unused;
	*out = (struct value){VALUE_TEXT, .text = experiment_name(cells->e, cells->slot)};
}

static void get_control(const void *row, uintptr_t unused, struct value *out)
{
	const struct cells *cells = row;

	(void)unused;
	*out = (struct value){VALUE_FLAG, .number = cells->slot == cells->e->plan->candidates};
}

enum figure { MEDIAN, RATIO, LOW, HIGH, CONFIDENCE, P, P_ADJUSTED, FLOOR };

static double figure_of(const struct cells *row, enum figure figure)
{
	const struct experiment_cell *cell = cell_of(row);

	switch (figure) {
	case MEDIAN:
		return cell->median;
	case RATIO:
		return cell->ratio;
	case LOW:
		return cell->interval ? cell->low : NAN;
	case HIGH:
		return cell->interval ? cell->high : NAN;
	case CONFIDENCE:
		return cell->interval ? cell->confidence : NAN;
	case P:
		return cell->p;
	case P_ADJUSTED:
		return cell->p_adjusted;
	case FLOOR:
		return row->r->floor[row->metric];
	}
	return NAN;
}

/* Not known and infinite are empty. */
static void get_figure(const void *row, uintptr_t figure, struct value *out)
{
	struct cells *cells = (struct cells *)row;
	double number = figure_of(cells, (enum figure)figure);

	if (!isfinite(number))
		return;
	snprintf(cells->number, sizeof(cells->number), "%.9g", number);
	*out = (struct value){VALUE_TEXT, .text = cells->number};
}

enum count { VALUES, PAIRS, TRIED, FAILED };

static void get_count(const void *row, uintptr_t count, struct value *out)
{
	const struct cells *cells = row;
	uint64_t number = 0;

	switch ((enum count)count) {
	case VALUES:
		number = cell_of(cells)->values;
		break;
	case PAIRS:
		number = cell_of(cells)->pairs;
		break;
	case TRIED:
		number = experiment_tried(cells->e, cells->slot);
		break;
	case FAILED:
		number = experiment_failed(cells->e, cells->slot);
		break;
	}
	*out = (struct value){VALUE_COUNT, .number = number};
}

static void get_verdict(const void *row, uintptr_t unused, struct value *out)
{
	const struct cells *cells = row;
	const struct experiment_metric *metric = &cells->e->plan->metric[cells->metric];

	(void)unused;
	*out = (struct value){VALUE_TEXT, .text = experiment_word(metric, cell_of(cells)->verdict)};
}

static const struct column columns[] = {
	{.key = "metric", .get = get_metric},
	{.key = "key", .get = get_metric, .argument = 1},
	{.key = "candidate", .get = get_candidate},
	{.key = "control", .get = get_control},
	{.key = "tried", .get = get_count, .argument = TRIED},
	{.key = "failed", .get = get_count, .argument = FAILED},
	{.key = "values", .get = get_count, .argument = VALUES},
	{.key = "median", .get = get_figure, .argument = MEDIAN},
	{.key = "pairs", .get = get_count, .argument = PAIRS},
	{.key = "ratio", .get = get_figure, .argument = RATIO},
	{.key = "low", .get = get_figure, .argument = LOW},
	{.key = "high", .get = get_figure, .argument = HIGH},
	{.key = "confidence", .get = get_figure, .argument = CONFIDENCE},
	{.key = "p", .get = get_figure, .argument = P},
	{.key = "p_adjusted", .get = get_figure, .argument = P_ADJUSTED},
	{.key = "noise_floor", .get = get_figure, .argument = FLOOR},
	{.key = "verdict", .get = get_verdict},
};

void export_csv(const struct experiment *e, const struct experiment_results *r, FILE *out)
{
	struct cells cells = {.e = e, .r = r};
	struct table table = {columns, sizeof(columns) / sizeof(columns[0]), r->slots * r->metrics,
		cells_row, &cells, NULL};

	table_csv(&table, out);
}

/* --- Markdown */

static const struct style style = {.utf8 = true};

static void put_cell(const char *text, FILE *out)
{
	char *clean = units_sanitize(text);

	fputc(' ', out);
	for (const char *p = clean; *p; p++) {
		if (strchr("|\\`*_<[", *p))
			fputc('\\', out);
		fputc(*p == '\n' ? ' ' : *p, out);
	}
	fputs(" |", out);
	free(clean);
}

static void put_markdown_row(const struct experiment *e, const struct experiment_results *r,
	size_t slot, size_t metric, FILE *out)
{
	const struct experiment_cell *cell = experiment_cell(r, slot, metric);
	char text[64] = "";

	fputc('|', out);
	put_cell(e->plan->metric[metric].name, out);
	put_cell(experiment_name(e, slot), out);
	experiment_value(&e->plan->metric[metric], cell->median, &style, text, sizeof(text));
	put_cell(text, out);
	text[0] = '\0';
	if (slot != e->plan->reference)
		ratio_text(cell->ratio, &style, text, sizeof(text));
	put_cell(text, out);
	text[0] = '\0';
	if (slot != e->plan->reference)
		interval_text(cell, &style, text, sizeof(text));
	put_cell(text, out);
	verdict_text(e, r, slot, metric, &style, text, sizeof(text));
	put_cell(text, out);
	fputc('\n', out);
}

void export_markdown(const struct experiment *e, const struct experiment_results *r, FILE *out)
{
	char *subject = units_escape(e->plan->subject, &style);

	fprintf(out, "    %s\n\n%u rounds, seed %llu.\n\n", subject, e->rounds,
		(unsigned long long)e->plan->seed);
	fputs("| metric | candidate | median | ratio | 95 % interval | verdict |\n", out);
	fputs("|---|---|---:|---:|---:|---|\n", out);
	for (size_t metric = 0; metric < r->metrics; metric++)
		for (size_t slot = 0; slot < r->slots; slot++)
			put_markdown_row(e, r, slot, metric, out);
	free(subject);
}
