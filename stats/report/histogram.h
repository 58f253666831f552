/*
 * Histograms with the buckets of stats/format.h, kept compact: most locks fill a few neighbouring
 * buckets, and there may be a million locks.
 */
#ifndef RELOCK_STATS_REPORT_HISTOGRAM_H
#define RELOCK_STATS_REPORT_HISTOGRAM_H

#include "stats/format.h"

struct histogram {
	uint64_t *count; /* of bucket first, first + 1, … */
	uint8_t first, size;
};

/* Adds counts of all RLK_HIST_BUCKETS buckets. */
void histogram_add(struct histogram *h, const uint64_t *buckets);
/* The other way: adds the histogram to counts of all buckets. */
void histogram_pour(const struct histogram *h, uint64_t *buckets);
void histogram_free(struct histogram *h);

/*
 * The value below which `share` (0…1) of the counted ones lie: the middle of its bucket, and never
 * above `max`, the true maximum in the same unit. 0 when nothing was counted.
 */
uint64_t histogram_percentile(const uint64_t *buckets, double share, uint64_t max);

#endif
