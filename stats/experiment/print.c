/* The screen: a table with a drawing of each interval, then what has to be said about the runs. */
#include "stats/experiment/internal.h"

#include <math.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#define NAME_WIDTH 44
#define PLOT_WIDTH 25
#define CELL_TEXT 64
#define OUTLIERS_SHOWN 6

struct screen {
	const struct experiment *e;
	const struct experiment_results *r;
	const struct style *style;
	FILE *out;
	size_t name_width;
};

static const char *dot(const struct screen *s)
{
	return s->style->utf8 ? " · " : " | ";
}

/* A name as it is shown, for free(). */
static char *shown(const struct screen *s, const char *text)
{
	char *escaped = units_escape(text, s->style);

	units_cut(escaped, NAME_WIDTH, s->style);
	return escaped;
}

static void put_padded(const struct screen *s, const char *text, size_t width, bool left)
{
	size_t used = units_width(text);
	int room = width > used ? (int)(width - used) : 0;

	fprintf(s->out, "%*s%s%*s", left ? 0 : room, "", text, left ? room : 0, "");
}

/* --- head */

static void put_head(const struct screen *s)
{
	const struct experiment_plan *plan = s->e->plan;
	char *subject = units_escape(plan->subject, s->style);
	cpu_set_t cpus;

	fprintf(s->out, "relock compare%s%s\n", dot(s), subject);
	fprintf(s->out, "%u rounds of %zu candidates and a control, in random order%sseed %llu",
		s->e->rounds, plan->candidates, dot(s), (unsigned long long)plan->seed);
	if (sched_getaffinity(0, sizeof(cpus), &cpus) == 0)
		fprintf(s->out, "%s%d CPUs", dot(s), CPU_COUNT(&cpus));
	fputc('\n', s->out);
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
	char *name = shown(s, experiment_name(s->e, slot));
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
	char *name = shown(s, m->name);

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

/* --- what has to be said about the runs */

static void put_margin(const struct screen *s, const char *word, bool *started)
{
	fprintf(s->out, "%s%-9s", *started ? "" : "\n", word);
	*started = true;
}

static void put_failures(const struct screen *s, bool *started)
{
	for (size_t slot = 0; slot < s->e->slots; slot++) {
		const char *failure = experiment_failure(s->e, slot);
		char *name, *text;

		if (!failure && !s->e->given_up[slot])
			continue;
		name = shown(s, experiment_name(s->e, slot));
		text = units_escape(failure ? failure : "in the warm-up", s->style);
		put_margin(s, "failed", started);
		fprintf(s->out, "%s: %u of %u runs%s%s%s\n", name, experiment_failed(s->e, slot),
			experiment_tried(s->e, slot), failure ? ", the last: " : ", ", text,
			s->e->given_up[slot] ? "; not run any more" : "");
		free(name);
		free(text);
	}
}

static void put_outlier(const struct screen *s, const struct experiment_outlier *o)
{
	const struct experiment_metric *metric = &s->e->plan->metric[o->metric];
	char *name = shown(s, experiment_name(s->e, o->slot));
	char *what = shown(s, metric->name);
	char value[CELL_TEXT], times[CELL_TEXT] = "";

	experiment_value(metric, o->value, s->style, value, sizeof(value));
	if (isfinite(o->times))
		snprintf(times, sizeof(times), ", %.2f times its median", o->times);
	fprintf(s->out, "round %u, %s: %s %s%s\n", o->round + 1, name, what, value, times);
	free(name);
	free(what);
}

static void put_outliers(const struct screen *s, bool *started)
{
	size_t told = 0;

	for (size_t i = 0; i < s->r->outliers && told < OUTLIERS_SHOWN; i++, told++) {
		put_margin(s, told == 0 ? "unusual" : "", started);
		put_outlier(s, &s->r->outlier[i]);
	}
	if (s->r->outliers > told)
		fprintf(s->out, "%-9sand %zu more, which JSON lists; none was left out\n", "",
			s->r->outliers - told);
}

/* Noise floors from here on are worth a word on what could be done. */
#define LOUD 1.2

static void put_noise(const struct screen *s, bool *started)
{
	double load;
	char floor[32];

	if (!(s->r->floor[0] > LOUD))
		return;
	floor_text(s->r->floor[0], s->style, floor, sizeof(floor));
	put_margin(s, "note", started);
	fprintf(s->out,
		"noise of %s hides all smaller differences: try longer runs, more rounds "
		"(-n %u) or a quieter machine",
		floor, 2 * s->e->plan->rounds);
	if (getloadavg(&load, 1) == 1)
		fprintf(s->out, " (load is %.1f)", load);
	fputc('\n', s->out);
}

/* Metrics without a single figure have no table. */
static bool is_measured(const struct screen *s, size_t metric)
{
	for (size_t slot = 0; slot < s->r->slots; slot++)
		if (experiment_cell(s->r, slot, metric)->values > 0)
			return true;
	return false;
}

static void put_unmeasured(const struct screen *s, bool *started)
{
	bool any = false;

	for (size_t metric = 0; metric < s->r->metrics; metric++) {
		char *name;

		if (is_measured(s, metric))
			continue;
		name = shown(s, s->e->plan->metric[metric].name);
		if (!any)
			put_margin(s, "note", started);
		fprintf(s->out, "%s%s", any ? ", " : "not measured in any run: ", name);
		any = true;
		free(name);
	}
	if (any)
		fputc('\n', s->out);
}

static void put_notes(const struct screen *s)
{
	const struct experiment_plan *plan = s->e->plan;
	unsigned needed = experiment_rounds_needed(plan->candidates);
	bool started = false;

	put_failures(s, &started);
	put_unmeasured(s, &started);
	put_outliers(s, &started);
	if (s->e->interrupted) {
		put_margin(s, "stopped", &started);
		fprintf(s->out, "in round %u of %u: this is what there was until then\n",
			s->e->stopped_in, plan->rounds);
	}
	if (s->e->rounds < needed) {
		put_margin(s, "note", &started);
		fprintf(s->out,
			"with %zu candidates no difference can be told from chance in "
			"less than %u rounds\n",
			plan->candidates, needed);
	} else {
		put_noise(s, &started);
	}
}

void experiment_print(const struct experiment *e, const struct experiment_results *r,
	const struct style *style, FILE *out)
{
	struct screen s = {e, r, style, out, 0};

	for (size_t slot = 0; slot < e->slots; slot++) {
		char *name = shown(&s, experiment_name(e, slot));

		if (units_width(name) > s.name_width)
			s.name_width = units_width(name);
		free(name);
	}
	put_head(&s);
	for (size_t metric = 0; metric < e->plan->metrics; metric++)
		if (is_measured(&s, metric))
			put_metric(&s, metric);
	put_notes(&s);
}
