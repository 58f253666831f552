#include "stats/report/figures.h"

#include <stddef.h>

#define UNIT_count false
#define UNIT_ticks true
#define ENDS_IN_MAX(name)                                                                          \
	(sizeof #name > 5 && #name[sizeof #name - 5] == '_' && #name[sizeof #name - 4] == 'm' &&   \
		#name[sizeof #name - 3] == 'a' && #name[sizeof #name - 2] == 'x')
#define COUNTER_INFO(name, unit, description)                                                      \
	[COUNT_##name] = {#name, description, UNIT_##unit, ENDS_IN_MAX(name)},

const struct counter_info counter_info[COUNTERS] = {RLK_COUNTERS(COUNTER_INFO)};

#define COUNTER_IN_PLACE(name, unit, description)                                                  \
	_Static_assert(offsetof(struct rlk_cell, name) == offsetof(struct rlk_cell, contended) +   \
								  COUNT_##name * sizeof(uint64_t), \
		"a cell's counters are an array in the order of RLK_COUNTERS");
RLK_COUNTERS(COUNTER_IN_PLACE)

static void counter_add(uint64_t *counters, enum counter id, uint64_t value)
{
	if (!counter_info[id].is_max)
		counters[id] += value;
	else if (counters[id] < value)
		counters[id] = value;
}

/* Moves counts to the buckets of another clock's ticks, each bucket as a whole by its middle. */
static void rebucket(
	uint64_t *to, const uint64_t *from, const struct clock *own, const struct clock *reference)
{
	for (unsigned i = 0; i < RLK_HIST_BUCKETS; i++) {
		uint64_t middle = (rlk_hist_lower(i) + rlk_hist_lower(i + 1)) / 2;

		to[rlk_hist_bucket(clock_ticks(reference, clock_ns(own, middle)))] += from[i];
	}
}

static void add_histogram(struct histogram *h, const uint64_t *buckets, const struct clock *own,
	const struct clock *reference)
{
	uint64_t moved[RLK_HIST_BUCKETS] = {0};

	if (clock_same(own, reference)) {
		histogram_add(h, buckets);
		return;
	}
	rebucket(moved, buckets, own, reference);
	histogram_add(h, moved);
}

void detail_add_cell(struct detail *detail, const struct rlk_cell *cell, const struct clock *own,
	const struct clock *reference)
{
	const uint64_t *counter = &cell->contended;

	for (enum counter id = 0; id < COUNTERS; id++)
		counter_add(detail->counter, id,
			counter_info[id].is_time ? clock_ns(own, counter[id]) : counter[id]);
	add_histogram(&detail->wait, cell->wait_hist, own, reference);
	add_histogram(&detail->hold, cell->hold_hist, own, reference);
}

void detail_free(struct detail *detail)
{
	histogram_free(&detail->wait);
	histogram_free(&detail->hold);
}

/* What all holds of one lock took together, when `holds` of `acquired` were timed. */
static uint64_t estimate_holds(uint64_t total, uint64_t holds, uint64_t acquired)
{
	unsigned __int128 all;

	if (holds == 0 || holds >= acquired)
		return total;
	all = (unsigned __int128)total * acquired / holds;
	return all > UINT64_MAX ? UINT64_MAX : (uint64_t)all;
}

void figures_add(struct figures *f, uint64_t acquired, uint64_t failed, const struct detail *detail)
{
	f->acquired += acquired;
	f->failed += failed;
	if (!detail)
		return;
	for (enum counter id = 0; id < COUNTERS; id++)
		counter_add(f->counter, id, detail->counter[id]);
	histogram_pour(&detail->wait, f->wait);
	histogram_pour(&detail->hold, f->hold);
	f->hold_total_estimated += estimate_holds(
		detail->counter[COUNT_hold_total], detail->counter[COUNT_holds], acquired);
}

uint64_t figures_percentile_ns(const struct figures *f, enum percentile_of what, double share,
	const struct clock *reference)
{
	uint64_t max = f->counter[what == OF_WAIT ? COUNT_wait_max : COUNT_hold_max];
	uint64_t ticks = histogram_percentile(
		what == OF_WAIT ? f->wait : f->hold, share, clock_ticks(reference, max));
	uint64_t ns = clock_ns(reference, ticks);

	return ns < max ? ns : max;
}

uint64_t figures_first(const struct figures *f)
{
	uint64_t waited = f->counter[COUNT_contended], first = f->counter[COUNT_ended_first];

	waited = waited > first ? waited - first : 0;
	return f->acquired > waited ? f->acquired - waited : 0;
}

uint64_t figures_spun_ns(const struct figures *f)
{
	uint64_t off = f->counter[COUNT_yielded_total] + f->counter[COUNT_parked_total];

	return f->counter[COUNT_wait_total] > off ? f->counter[COUNT_wait_total] - off : 0;
}
