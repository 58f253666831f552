/* The first metric's ratios with their intervals, as a drawing. */
#include "stats/experiment/internal.h"
#include "stats/report/html_page.h"

#include <math.h>
#include <stdlib.h>

#define LEFT 260.0  /* where the axis begins; names are left of it */
#define WIDTH 420.0 /* of the axis */
#define RIGHT 200.0 /* for the verdicts */
#define TOP 56.0
#define ROW 26.0

struct axis {
	double low, high; /* logarithms */
};

static void widen(struct axis *axis, double ratio)
{
	double at = log(ratio);

	if (isfinite(at)) {
		axis->low = fmin(axis->low, at);
		axis->high = fmax(axis->high, at);
	}
}

static struct axis axis_of(const struct experiment_results *r)
{
	struct axis axis = {-0.1, 0.1};
	double margin;

	for (size_t slot = 0; slot < r->slots; slot++) {
		const struct experiment_cell *cell = experiment_cell(r, slot, 0);

		widen(&axis, cell->ratio);
		if (cell->interval) {
			widen(&axis, cell->low);
			widen(&axis, cell->high);
		}
	}
	margin = (axis.high - axis.low) * 0.05;
	return (struct axis){axis.low - margin, axis.high + margin};
}

static double x_of(const struct axis *axis, double ratio)
{
	double at = (log(ratio) - axis->low) / (axis->high - axis->low);

	return LEFT + WIDTH * fmin(1, fmax(0, at));
}

static void put_text(FILE *out, double x, double y, const char *anchor, const char *text)
{
	fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">", x, y, anchor);
	html_text(out, text);
	fputs("</text>\n", out);
}

static void put_line(FILE *out, double x1, double y1, double x2, double y2, const char *color)
{
	fprintf(out, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\"/>\n", x1,
		y1, x2, y2, color);
}

/* Gridlines at 1, 2 and 5 times the powers of ten, and the noise floor as a band. */
static void put_axis(FILE *out, const struct axis *axis, double floor, double bottom)
{
	static const double steps[] = {1, 2, 5};

	if (isfinite(floor))
		fprintf(out,
			"<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" "
			"fill=\"#eee\"/>\n",
			x_of(axis, 1 / floor), TOP, x_of(axis, floor) - x_of(axis, 1 / floor),
			bottom - TOP);
	for (int power = -9; power <= 9; power++)
		for (int i = 0; i < 3; i++) {
			double tick = steps[i] * pow(10, power);
			char text[32];

			if (log(tick) < axis->low || log(tick) > axis->high)
				continue;
			put_line(out, x_of(axis, tick), TOP, x_of(axis, tick), bottom,
				tick == 1 ? "#000" : "#ccc");
			snprintf(text, sizeof(text), "%g", tick);
			put_text(out, x_of(axis, tick), bottom + 16, "middle", text);
		}
}

static const char *color_of(enum experiment_verdict verdict)
{
	return verdict == VERDICT_BETTER  ? "#1a7f37"
	       : verdict == VERDICT_WORSE ? "#c0392b"
					  : "#555";
}

static void put_row(FILE *out, const struct experiment *e, const struct experiment_results *r,
	const struct axis *axis, size_t slot, double y)
{
	static const struct style style = {.utf8 = true};
	const struct experiment_cell *cell = experiment_cell(r, slot, 0);
	const char *color = color_of(cell->verdict);
	char text[64];

	put_text(out, LEFT - 12, y + 4, "end", experiment_name(e, slot));
	verdict_text(e, r, slot, 0, &style, text, sizeof(text));
	put_text(out, LEFT + WIDTH + 12, y + 4, "start", text);
	if (cell->interval)
		fprintf(out,
			"<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\" "
			"stroke-width=\"3\"/>\n",
			x_of(axis, cell->low), y, x_of(axis, cell->high), y, color);
	if (!isnan(cell->ratio))
		fprintf(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"5\" fill=\"%s\"/>\n",
			x_of(axis, cell->ratio), y, color);
}

void export_svg(const struct experiment *e, const struct experiment_results *r, FILE *out)
{
	struct axis axis = axis_of(r);
	double bottom = TOP + ROW * (double)r->slots;
	char title[256];

	fprintf(out,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" "
		"font-family=\"sans-serif\" font-size=\"12\">\n"
		"<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n",
		LEFT + WIDTH + RIGHT, bottom + 32);
	snprintf(title, sizeof(title), "%s, ratio to %s with 95 %% interval",
		e->plan->metric[0].name, e->plan->candidate[e->plan->reference].name);
	put_text(out, LEFT, 20, "start", title);
	put_text(out, LEFT, 40, "start", e->plan->subject);
	put_axis(out, &axis, r->floor[0], bottom);
	for (size_t slot = 0; slot < r->slots; slot++)
		put_row(out, e, r, &axis, slot, TOP + ROW * ((double)slot + 0.5));
	fputs("</svg>\n", out);
}
