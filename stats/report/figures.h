/*
 * Figures: what is counted of a lock, one side of a rwlock, a class, or everything. All times in
 * ns. Each counter is declared once, in RLK_COUNTERS of stats/format.h.
 */
#ifndef RELOCK_STATS_REPORT_FIGURES_H
#define RELOCK_STATS_REPORT_FIGURES_H

#include "stats/report/clock.h"
#include "stats/report/histogram.h"

#include <stdbool.h>

#define FIGURE_ID(name, unit, description) COUNT_##name,
enum counter { RLK_COUNTERS(FIGURE_ID) COUNTERS };
#undef FIGURE_ID

struct counter_info {
	const char *name;
	const char *description;
	bool is_time; /* ticks in a recording, ns here */
	bool is_max;  /* merged by maximum */
};
extern const struct counter_info counter_info[COUNTERS];

/* What was measured of a lock that had waits or timed holds. Compact, there may be many. */
struct detail {
	uint64_t counter[COUNTERS];
	struct histogram wait, hold; /* values in reference ticks, see model.h */
};

/* The sum of any number of details, spread out. */
struct figures {
	uint64_t acquired, failed;
	uint64_t counter[COUNTERS];
	uint64_t wait[RLK_HIST_BUCKETS], hold[RLK_HIST_BUCKETS]; /* reference ticks */
	uint64_t hold_total_estimated;                           /* by sampling: all holds */
};

/* Adds a recording's cell. Its ticks are converted by `own`; its histograms are put into the
 * buckets of `reference`'s ticks. */
void detail_add_cell(struct detail *detail, const struct rlk_cell *cell, const struct clock *own,
	const struct clock *reference);
void detail_free(struct detail *detail);

/* `detail` may be NULL. */
void figures_add(
	struct figures *f, uint64_t acquired, uint64_t failed, const struct detail *detail);

enum percentile_of { OF_WAIT, OF_HOLD };
uint64_t figures_percentile_ns(const struct figures *f, enum percentile_of what, double share,
	const struct clock *reference);
/* Acquisitions by the first try, those after which a wait's first test succeeded included. */
uint64_t figures_first(const struct figures *f);
/* Waiting that was neither yielded nor parked: CPU burnt. */
uint64_t figures_spun_ns(const struct figures *f);

#endif
