/* Figures and ratios as people read them. */
#include "stats/experiment/internal.h"

#include <math.h>
#include <string.h>

/* At most 4 digits, and no more than are needed. */
static void short_number(double value, const char *unit, char *out, size_t size)
{
	int decimals = value >= 1000 ? 0 : value >= 100 ? 1 : value >= 10 ? 2 : 3;
	char digits[48];

	snprintf(digits, sizeof(digits), "%.*f", decimals, value);
	if (strchr(digits, '.')) {
		char *end = digits + strlen(digits);

		while (end[-1] == '0')
			*--end = '\0';
		if (end[-1] == '.')
			*--end = '\0';
	}
	snprintf(out, size, "%s%s", digits, unit);
}

static void scaled(double value, double step, const char *const *units, char *out, size_t size)
{
	while (units[1] && value >= step) {
		value /= step;
		units++;
	}
	short_number(value, *units, out, size);
}

void experiment_value(const struct experiment_metric *metric, double value,
	const struct style *style, char *out, size_t size)
{
	static const char *const sizes[] = {" KiB", " MiB", " GiB", " TiB", NULL};
	static const char *const plain[] = {"", "k", "M", "G", "T", NULL};
	const char *const times[] = {" ns", style->utf8 ? " µs" : " us", " ms", " s", NULL};

	if (isnan(value))
		snprintf(out, size, "%s", style->utf8 ? "–" : "-");
	else if (metric->unit == UNIT_NS)
		scaled(value, 1000, times, out, size);
	else if (metric->unit == UNIT_KIB)
		scaled(value, 1024, sizes, out, size);
	else
		scaled(value, 1000, plain, out, size);
}

void ratio_text(double ratio, const struct style *style, char *out, size_t size)
{
	if (isnan(ratio))
		snprintf(out, size, "%s", style->utf8 ? "–" : "-");
	else if (isinf(ratio))
		snprintf(out, size, "%s", style->utf8 ? "∞" : "inf");
	else
		snprintf(out, size, "%.*f",
			ratio < 0.1    ? 4
			: ratio < 10   ? 3
			: ratio < 1000 ? 1
				       : 0,
			ratio);
}

void interval_text(
	const struct experiment_cell *cell, const struct style *style, char *out, size_t size)
{
	char low[32], high[32];

	out[0] = '\0';
	if (!cell->interval)
		return;
	ratio_text(cell->low, style, low, sizeof(low));
	ratio_text(cell->high, style, high, sizeof(high));
	snprintf(out, size, "%s %s %s", low, style->utf8 ? "…" : "..", high);
}

void floor_text(double floor, const struct style *style, char *out, size_t size)
{
	double percent = (floor - 1) * 100;

	if (isinf(floor))
		snprintf(out, size, "unbounded");
	else if (floor >= 2)
		snprintf(out, size, "%.1f%s", floor, style->utf8 ? "×" : "x");
	else
		snprintf(out, size, "%.*f %%", percent < 10 ? 1 : 0, percent);
}

void verdict_text(const struct experiment *e, const struct experiment_results *r, size_t slot,
	size_t metric, const struct style *style, char *out, size_t size)
{
	const struct experiment_cell *cell = experiment_cell(r, slot, metric);
	const char *word = experiment_word(&e->plan->metric[metric], cell->verdict);
	double times = exp(fabs(log(cell->ratio)));
	char text[32];

	if (cell->verdict == VERDICT_CONTROL && cell->interval) {
		floor_text(r->floor[metric], style, text, sizeof(text));
		snprintf(out, size, "noise floor %s", text);
	} else if (cell->verdict == VERDICT_FAILED) {
		snprintf(out, size, "%s %u of %u", word, experiment_failed(e, slot),
			experiment_tried(e, slot));
	} else if ((cell->verdict == VERDICT_BETTER || cell->verdict == VERDICT_WORSE) &&
		   isfinite(times)) {
		short_number(times, style->utf8 ? "×" : "x", text, sizeof(text));
		snprintf(out, size, "%s, %s", word, text);
	} else {
		snprintf(out, size, "%s", word);
	}
}
