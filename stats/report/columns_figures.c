/* Getters of figures: of a lock, a class, a side, or everything. */
#include "stats/report/columns_internal.h"

void get_counter_count(const void *row, uintptr_t id, struct value *out)
{
	put_count(out, counter_of(row, (enum counter)id));
}

void get_counter_ticks(const void *row, uintptr_t id, struct value *out)
{
	put_ns(out, counter_of(row, (enum counter)id));
}

void get_acquired(const void *row, uintptr_t unused, struct value *out)
{
	(void)unused;
	put_count(out, line_of(row)->figures.acquired);
}

void get_failed(const void *row, uintptr_t unused, struct value *out)
{
	(void)unused;
	put_count(out, line_of(row)->figures.failed);
}

void get_percentile(const void *row, uintptr_t which, struct value *out)
{
	const struct lock_line *line = row;
	enum percentile_of what = which >= HOLD_AT(0) ? OF_HOLD : OF_WAIT;
	double share = (double)(which % HOLD_AT(0)) / 1000;

	if (counter_of(row, what == OF_HOLD ? COUNT_holds : COUNT_contended) == 0 &&
		counter_of(row, what == OF_HOLD ? COUNT_hold_max : COUNT_wait_max) == 0)
		return;
	put_ns(out,
		figures_percentile_ns(&line->figures, what, share, &line->view->model->reference));
}

static bool holds_estimated(const struct lock_line *line)
{
	uint64_t holds = line->figures.counter[COUNT_holds];

	return holds > 0 && holds < line->figures.acquired;
}

void get_hold_estimate(const void *row, uintptr_t unused, struct value *out)
{
	(void)unused;
	if (counter_of(row, COUNT_holds) == 0)
		return;
	put_ns(out, line_of(row)->figures.hold_total_estimated);
	out->about = holds_estimated(row);
}

void get_holds_estimated(const void *row, uintptr_t unused, struct value *out)
{
	(void)unused;
	put_flag(out, holds_estimated(row));
}

void get_spun(const void *row, uintptr_t unused, struct value *out)
{
	(void)unused;
	put_ns(out, figures_spun_ns(&line_of(row)->figures));
}

void get_first(const void *row, uintptr_t unused, struct value *out)
{
	(void)unused;
	put_count(out, figures_first(&line_of(row)->figures));
}

void get_wait_share(const void *row, uintptr_t unused, struct value *out)
{
	(void)unused;
	put_share(out, counter_of(row, COUNT_wait_total),
		line_of(row)->view->model->total.counter[COUNT_wait_total]);
}

void get_histogram(const void *row, uintptr_t what, struct value *out)
{
	const struct lock_line *line = row;
	const struct clock *clock = &line->view->model->reference;
	const uint64_t *bucket = what == OF_WAIT ? line->figures.wait : line->figures.hold;
	cJSON *list = cJSON_CreateArray();

	for (unsigned i = 0; i < RLK_HIST_BUCKETS; i++) {
		cJSON *entry;

		if (bucket[i] == 0)
			continue;
		entry = cJSON_CreateArray();
		cJSON_AddItemToArray(entry, table_json_number(clock_ns(clock, rlk_hist_lower(i))));
		cJSON_AddItemToArray(
			entry, table_json_number(clock_ns(clock, rlk_hist_lower(i + 1))));
		cJSON_AddItemToArray(entry, table_json_number(bucket[i]));
		cJSON_AddItemToArray(list, entry);
	}
	*out = (struct value){VALUE_TREE, .tree = list};
}

const struct column side_columns[] = {FIGURE_COLUMNS};
const size_t side_columns_count = sizeof side_columns / sizeof side_columns[0];
