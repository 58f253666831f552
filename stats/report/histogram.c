#include "stats/report/histogram.h"

#include "stats/report/memory.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Makes the buckets from…to (inclusive) part of the range that is kept. */
static void histogram_cover(struct histogram *h, unsigned from, unsigned to)
{
	uint64_t *count;

	if (h->size > 0) {
		from = from < h->first ? from : h->first;
		to = to > h->first + h->size - 1u ? to : h->first + h->size - 1u;
		if (to - from + 1 == h->size)
			return;
	}
	count = memory_get(to - from + 1, sizeof *count);
	if (h->size > 0)
		memcpy(count + (h->first - from), h->count, h->size * sizeof *count);
	free(h->count);
	*h = (struct histogram){count, (uint8_t)from, (uint8_t)(to - from + 1)};
}

void histogram_add(struct histogram *h, const uint64_t *buckets)
{
	unsigned from = 0, to = RLK_HIST_BUCKETS;

	while (from < RLK_HIST_BUCKETS && buckets[from] == 0)
		from++;
	if (from == RLK_HIST_BUCKETS)
		return;
	while (buckets[to - 1] == 0)
		to--;
	histogram_cover(h, from, to - 1);
	for (unsigned i = from; i < to; i++)
		h->count[i - h->first] += buckets[i];
}

void histogram_pour(const struct histogram *h, uint64_t *buckets)
{
	for (unsigned i = 0; i < h->size; i++)
		buckets[h->first + i] += h->count[i];
}

void histogram_free(struct histogram *h)
{
	free(h->count);
	*h = (struct histogram){0};
}

static uint64_t bucket_middle(unsigned bucket, uint64_t max)
{
	uint64_t lower = rlk_hist_lower(bucket), upper = rlk_hist_lower(bucket + 1);
	uint64_t middle = lower + (upper - lower) / 2;

	/* The last bucket has no end, its middle says nothing. */
	return middle > max || bucket == RLK_HIST_BUCKETS - 1 ? max : middle;
}

uint64_t histogram_percentile(const uint64_t *buckets, double share, uint64_t max)
{
	double total = 0, seen = 0;
	unsigned last = 0;

	for (unsigned i = 0; i < RLK_HIST_BUCKETS; i++)
		total += (double)buckets[i];
	if (total <= 0)
		return 0;
	for (unsigned i = 0; i < RLK_HIST_BUCKETS; i++) {
		if (buckets[i] == 0)
			continue;
		last = i;
		seen += (double)buckets[i];
		if (seen >= share * total)
			break;
	}
	return bucket_middle(last, max);
}
