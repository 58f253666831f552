/* The screen: a table with a drawing of each interval, then what has to be said about the runs. */
#include "stats/experiment/screen.h"

#include <math.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#define PLOT_WIDTH 25

static const char *dot(const struct screen *s)
{
	return s->style->utf8 ? " · " : " | ";
}

static void put_padded(const struct screen *s, const char *text, size_t width, bool left)
{
	size_t used = units_width(text);
	int room = width > used ? (int)(width - used) : 0;

	fprintf(s->out, "%*s%s%*s", left ? 0 : room, "", text, left ? room : 0, "");
}

/* --- head */

void screen_plan(const struct screen *s)
{
	const struct experiment_plan *plan = s->e->plan;
	cpu_set_t cpus;

	fprintf(s->out, "%u rounds of %zu candidates and a control, in random order%sseed %llu",
		s->e->rounds, plan->candidates, dot(s), (unsigned long long)plan->seed);
	if (sched_getaffinity(0, sizeof(cpus), &cpus) == 0)
		fprintf(s->out, "%s%d CPUs", dot(s), CPU_COUNT(&cpus));
	fputc('\n', s->out);
}

static void put_head(const struct screen *s)
{
	char *subject = units_escape(s->e->plan->subject, s->style);

	fprintf(s->out, "relock compare%s%s\n", dot(s), subject);
	screen_plan(s);
	free(subject);
}

/* --- drawings of ratios, on a logarithmic scale that a metric's candidates share */

struct scale {
	double low, high; /* logarithms */
};

static void widen(struct scale *scale, double ratio)
{
	double at = log(ratio);

	if (!isfinite(at))
		return;
	scale->low = fmin(scale->low, at);
	scale->high = fmax(scale->high, at);
}

static struct scale scale_of(const struct screen *s, size_t metric)
{
	struct scale scale = {-0.05, 0.05};

	for (size_t slot = 0; slot < s->r->slots; slot++) {
		const struct experiment_cell *cell = experiment_cell(s->r, slot, metric);

		if (!cell->interval)
			continue;
		widen(&scale, cell->low);
		widen(&scale, cell->high);
	}
	return scale;
}

static int column_of(const struct scale *scale, double ratio)
{
	double at = (log(ratio) - scale->low) / (scale->high - scale->low);

	at = at > 1 ? 1 : at < 0 ? 0 : at;
	return (int)lround(at * (PLOT_WIDTH - 1));
}

static void put_plot(
	const struct screen *s, const struct experiment_cell *cell, const struct scale *scale)
{
	const char *line = s->style->utf8 ? "─" : "-", *point = s->style->utf8 ? "●" : "o";
	const char *one = s->style->utf8 ? "│" : "|";
	int low = column_of(scale, cell->low), high = column_of(scale, cell->high);
	int middle = column_of(scale, cell->ratio), unity = column_of(scale, 1);
	int end = high > unity ? high : unity;

	for (int i = 0; i <= end; i++)
		fputs(i == middle               ? point
			: i == unity            ? one
			: i >= low && i <= high ? line
						: " ",
			s->out);
}

/* --- table */

static const char *color_of(enum experiment_verdict verdict)
{
	switch (verdict) {
	case VERDICT_BETTER:
		return "\033[32m";
	case VERDICT_WORSE:
	case VERDICT_FAILED:
		return "\033[31m";
	default:
		return NULL;
	}
}

static void put_verdict(
	const struct screen *s, size_t slot, size_t metric, const struct scale *scale)
{
	const struct experiment_cell *cell = experiment_cell(s->r, slot, metric);
	const char *color = s->style->color ? color_of(cell->verdict) : NULL;
	char text[CELL_TEXT];

	verdict_text(s->e, s->r, slot, metric, s->style, text, sizeof(text));
	fprintf(s->out, "  %s%s%s", color ? color : "", text, color ? "\033[0m" : "");
	if (slot != s->e->plan->reference && cell->interval) {
		fprintf(s->out, "%*s", (int)(24 - units_width(text) % 24), "");
		put_plot(s, cell, scale);
	}
	fputc('\n', s->out);
}

static void put_row(const struct screen *s, size_t slot, size_t metric, const struct scale *scale)
{
	const struct experiment_cell *cell = experiment_cell(s->r, slot, metric);
	char *name = screen_name(s, experiment_name(s->e, slot));
	char text[CELL_TEXT] = "";

	fputs("  ", s->out);
	put_padded(s, name, s->name_width, true);
	experiment_value(&s->e->plan->metric[metric], cell->median, s->style, text, sizeof(text));
	put_padded(s, text, 10, false);
	text[0] = '\0';
	if (slot != s->e->plan->reference)
		ratio_text(cell->ratio, s->style, text, sizeof(text));
	put_padded(s, text, 9, false);
	text[0] = '\0';
	if (slot != s->e->plan->reference)
		interval_text(cell, s->style, text, sizeof(text));
	put_padded(s, text, 17, false);
	put_verdict(s, slot, metric, scale);
	free(name);
}

static void put_metric(const struct screen *s, size_t metric)
{
	const struct experiment_metric *m = &s->e->plan->metric[metric];
	struct scale scale = scale_of(s, metric);
	char *name = screen_name(s, m->name);

	fputc('\n', s->out);
	put_padded(s, name, s->name_width + 2, true);
	put_padded(s, "median", 10, false);
	put_padded(s, "ratio", 9, false);
	put_padded(s, "95 % interval", 17, false);
	fprintf(s->out, "  %s%s\n", m->meaning ? m->meaning : "",
		m->higher ? (m->meaning ? ", higher is better" : "higher is better") : "");
	for (size_t slot = 0; slot < s->r->slots; slot++)
		put_row(s, slot, metric, &scale);
	free(name);
}

void experiment_print(const struct experiment *e, const struct experiment_results *r,
	const struct style *style, FILE *out)
{
	struct screen s = {e, r, style, out, 0};

	for (size_t slot = 0; slot < e->slots; slot++) {
		char *name = screen_name(&s, experiment_name(e, slot));

		if (units_width(name) > s.name_width)
			s.name_width = units_width(name);
		free(name);
	}
	put_head(&s);
	for (size_t metric = 0; metric < e->plan->metrics; metric++)
		if (screen_measured(&s, metric))
			put_metric(&s, metric);
	screen_notes(&s);
}
