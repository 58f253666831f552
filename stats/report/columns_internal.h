/*
 * What the getters of columns are written with. For the columns_*.c files only.
 */
#ifndef RELOCK_STATS_REPORT_COLUMNS_INTERNAL_H
#define RELOCK_STATS_REPORT_COLUMNS_INTERNAL_H

#include "stats/report/columns.h"

static inline const struct lock_line *line_of(const void *row)
{
	return row;
}

static inline uint64_t counter_of(const void *row, enum counter id)
{
	return line_of(row)->figures.counter[id];
}
static inline void put_text(struct value *out, const char *text)
{
	if (text)
		*out = (struct value){VALUE_TEXT, .text = text};
}

static inline void put_count(struct value *out, uint64_t count)
{
	*out = (struct value){VALUE_COUNT, .number = count};
}

static inline void put_ns(struct value *out, uint64_t ns)
{
	*out = (struct value){VALUE_NS, .number = ns};
}

static inline void put_flag(struct value *out, bool flag)
{
	*out = (struct value){VALUE_FLAG, .number = flag};
}

static inline void put_share(struct value *out, uint64_t part, uint64_t whole)
{
	*out = (struct value){VALUE_SHARE, .share = whole ? (double)part / (double)whole : 0};
}

/* Getters of figures; rows are struct lock_line. */
void get_acquired(const void *row, uintptr_t unused, struct value *out);
void get_failed(const void *row, uintptr_t unused, struct value *out);
void get_counter_count(const void *row, uintptr_t counter, struct value *out);
void get_counter_ticks(const void *row, uintptr_t counter, struct value *out);
/* `which` is WAIT_AT or HOLD_AT a share in thousandths. */
void get_percentile(const void *row, uintptr_t which, struct value *out);
#define WAIT_AT(per_mille) (per_mille)
#define HOLD_AT(per_mille) (10000 + (per_mille))
void get_hold_estimate(const void *row, uintptr_t unused, struct value *out);
void get_holds_estimated(const void *row, uintptr_t unused, struct value *out);
void get_spun(const void *row, uintptr_t unused, struct value *out);
void get_first(const void *row, uintptr_t unused, struct value *out);
void get_wait_share(const void *row, uintptr_t unused, struct value *out);
/* `what` is an enum percentile_of. */
void get_histogram(const void *row, uintptr_t what, struct value *out);

/* The machine columns of figures. Counters get theirs from RLK_COUNTERS. */
#define KEY_UNIT_count
#define KEY_UNIT_ticks "_ns"
#define COUNTER_COLUMN(name, unit, description)                                                    \
	{.key = #name KEY_UNIT_##unit, .get = get_counter_##unit, .argument = COUNT_##name},

#define FIGURE_COLUMNS                                                                             \
	{.key = "acquired", .get = get_acquired}, {.key = "failed", .get = get_failed},            \
		RLK_COUNTERS(COUNTER_COLUMN){                                                      \
			.key = "wait_p50_ns", .get = get_percentile, .argument = WAIT_AT(500)},    \
		{.key = "wait_p90_ns", .get = get_percentile, .argument = WAIT_AT(900)},           \
		{.key = "wait_p99_ns", .get = get_percentile, .argument = WAIT_AT(990)},           \
		{.key = "hold_p50_ns", .get = get_percentile, .argument = HOLD_AT(500)},           \
		{.key = "hold_p90_ns", .get = get_percentile, .argument = HOLD_AT(900)},           \
		{.key = "hold_p99_ns", .get = get_percentile, .argument = HOLD_AT(990)},           \
		{.key = "hold_total_estimated_ns", .get = get_hold_estimate},                      \
		{.key = "holds_estimated", .get = get_holds_estimated},                            \
		{.key = "spun_total_ns", .get = get_spun},                                         \
		{.key = "acquired_first", .get = get_first},                                       \
		{.key = "wait_share", .get = get_wait_share},                                      \
		{.key = "wait_histogram",                                                          \
			.get = get_histogram,                                                      \
			.argument = OF_WAIT,                                                       \
			.tree = true},                                                             \
	{                                                                                          \
		.key = "hold_histogram", .get = get_histogram, .argument = OF_HOLD, .tree = true   \
	}

#endif
