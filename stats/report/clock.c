#include "stats/report/clock.h"

/* Between two moments a plausible clock ticks once in 10 µs at least and 100 times a ns at most. */
static bool clock_span(
	struct clock *c, const struct rlk_calibration *from, const struct rlk_calibration *to)
{
	uint64_t ticks = to->ticks - from->ticks, ns = to->monotonic_ns - from->monotonic_ns;

	if (to->ticks <= from->ticks || to->monotonic_ns <= from->monotonic_ns)
		return false;
	if (ns / ticks > 10000 || ticks / ns > 100)
		return false;
	c->ticks = ticks;
	c->ns = c->span_ns = ns;
	return true;
}

void clock_set(struct clock *c, const struct rlk_header *h)
{
	const struct rlk_calibration *latest = &h->latest[h->latest_index & 1];
	const struct rlk_calibration *other = &h->latest[(h->latest_index & 1) ^ 1];

	*c = (struct clock){.start_ticks = h->start.ticks, .ticks = 1, .ns = 1};
	c->known = (h->end == RLK_EXITED && clock_span(c, &h->start, &h->finish)) ||
		   clock_span(c, &h->start, latest) || clock_span(c, &h->start, other);
	if (h->clock == CLOCK_IN_NS) {
		c->ticks = c->ns = 1;
		c->known = true;
	}
}

static uint64_t scale(uint64_t value, uint64_t numerator, uint64_t denominator)
{
	unsigned __int128 scaled =
		((unsigned __int128)value * numerator + denominator / 2) / denominator;

	return scaled > UINT64_MAX ? UINT64_MAX : (uint64_t)scaled;
}

uint64_t clock_ns(const struct clock *c, uint64_t ticks)
{
	return scale(ticks, c->ns, c->ticks);
}

uint64_t clock_ticks(const struct clock *c, uint64_t ns)
{
	return scale(ns, c->ticks, c->ns);
}

uint64_t clock_since_start(const struct clock *c, uint64_t ticks)
{
	return ticks > c->start_ticks ? clock_ns(c, ticks - c->start_ticks) : 0;
}

bool clock_same(const struct clock *a, const struct clock *b)
{
	double ratio = ((double)a->ns / (double)a->ticks) / ((double)b->ns / (double)b->ticks);

	return ratio > 0.999 && ratio < 1.001;
}
