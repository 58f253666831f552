/* Advice: only what the figures prove. */
#include "stats/report/screen.h"

#define ADVICE_ROWS 5       /* of the table are looked at */
#define ADVICE_WAITS 100    /* waits that make a statement about a lock */
#define ADVICE_SHARE 0.05   /* of all waiting that makes a lock worth a line */
#define ADVICE_BLOCKED 0.9  /* of the waits that blocked in the end */
#define ADVICE_LONG_HOLD 20 /* p99 of holds, as a multiple of their median */

static void put_ns(const struct report *r, uint64_t ns)
{
	char text[UNITS_MAX];

	units_duration(ns, false, &r->style, text, sizeof text);
	fputs(text, r->out);
}

static void advise_spins(const struct report *r, size_t row, const struct figures *f)
{
	double blocked =
		(double)f->counter[COUNT_ended_block] / (double)f->counter[COUNT_contended];
	char share[UNITS_MAX];

	if (f->counter[COUNT_pauses] == 0 || blocked < ADVICE_BLOCKED)
		return;
	units_share(blocked, share, sizeof share);
	screen_margin(r, "advice", true);
	fprintf(r->out,
		"%s of the waits for lock %zu ended by blocking after they had spun: fewer "
		"spins would save up to ",
		share, row + 1);
	put_ns(r, figures_spun_ns(f));
	fputs(" of CPU\n", r->out);
}

/* The holder that a row's locks were waited for longest, and how much of the waiting that was. */
static uint32_t main_holder(const struct report *r, size_t row, double *share)
{
	const struct model *m = r->model;
	const struct view_row *v = &r->view->row[row];
	uint32_t best = 0;
	uint64_t most = 0, all = 0;

	if (v->count != 1)
		return 0;
	for (size_t i = 0; i < m->pairs.count; i++) {
		const struct pair *pair = &m->pairs.row[i];

		if (pair->lock != r->view->member[v->first])
			continue;
		all += pair->wait_ns;
		if (pair->holder != 0 && pair->wait_ns > most) {
			most = pair->wait_ns;
			best = pair->holder;
		}
	}
	*share = all > 0 ? (double)most / (double)all : 0;
	return best;
}

static void advise_holds(const struct report *r, size_t row, const struct figures *f)
{
	uint64_t median = figures_percentile_ns(f, OF_HOLD, 0.5, &r->model->reference);
	uint64_t high = figures_percentile_ns(f, OF_HOLD, 0.99, &r->model->reference);
	double share = 0;
	uint32_t holder;

	if (f->counter[COUNT_holds] < ADVICE_WAITS || high < median * ADVICE_LONG_HOLD)
		return;
	holder = main_holder(r, row, &share);
	if (holder == 0 || share < 0.5)
		return;
	screen_margin(r, "advice", true);
	fprintf(r->out, "lock %zu is held ", row + 1);
	put_ns(r, median);
	fputs(" at the median but ", r->out);
	put_ns(r, high);
	fputs(" at p99; most waiting for it was for ", r->out);
	screen_text(r, labels_context(r->labels, holder));
	fputc('\n', r->out);
}

void screen_advice(const struct report *r)
{
	double total = (double)r->model->total.counter[COUNT_wait_total];

	if (r->view->by != REPORT_BY_LOCK)
		return;
	for (size_t row = 0; row < r->view->count && row < ADVICE_ROWS && row < r->rows; row++) {
		struct figures f;

		view_figures(r->view, row, &f);
		if (f.counter[COUNT_contended] < ADVICE_WAITS ||
			(double)f.counter[COUNT_wait_total] < total * ADVICE_SHARE)
			continue;
		advise_spins(r, row, &f);
		advise_holds(r, row, &f);
	}
}
