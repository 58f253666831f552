/* What has to be said about the runs: failures, unusual ones, noise, too few. */
#include "stats/experiment/screen.h"

#include <math.h>
#include <stdlib.h>

#define NAME_WIDTH 44
#define OUTLIERS_SHOWN 6

char *screen_name(const struct screen *s, const char *text)
{
	char *escaped = units_escape(text, s->style);

	units_cut(escaped, NAME_WIDTH, s->style);
	return escaped;
}

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
		name = screen_name(s, experiment_name(s->e, slot));
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
	char *name = screen_name(s, experiment_name(s->e, o->slot));
	char *what = screen_name(s, metric->name);
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

bool screen_measured(const struct screen *s, size_t metric)
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

		if (screen_measured(s, metric))
			continue;
		name = screen_name(s, s->e->plan->metric[metric].name);
		if (!any)
			put_margin(s, "note", started);
		fprintf(s->out, "%s%s", any ? ", " : "not measured in any run: ", name);
		any = true;
		free(name);
	}
	if (any)
		fputc('\n', s->out);
}

void screen_notes(const struct screen *s)
{
	const struct experiment_plan *plan = s->e->plan;
	unsigned needed = experiment_rounds_needed(plan->candidates, plan->metrics);
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
			"with %zu candidates and %zu metrics, -n %u is the least that can tell "
			"every "
			"difference from chance\n",
			plan->candidates, plan->metrics, needed);
	} else {
		put_noise(s, &started);
	}
}
