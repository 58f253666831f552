/* Advice on waits for a lock, from how long they took, how they ended and how long it was held. */
#include "stats/report/advice_internal.h"

#include <string.h>

/* --- who is waited for */

#define HOLDERS_MAX 64 /* places that are told apart */

/* Of pairs of the subject's class. */
static bool pair_is_of(const struct advising *a, const struct subject *s, const struct pair *pair)
{
	if (s->lock != NONE)
		return pair->lock == s->lock;
	return !(a->model->locks.row[pair->lock].flags & RLK_LOCK_DELEGATED);
}

static void holder_add(
	const struct advising *a, struct holder *holders, size_t *count, const struct pair *pair)
{
	const char *label = labels_context(a->labels, pair->holder);
	size_t i = 0;

	while (i < *count && strcmp(labels_context(a->labels, holders[i].context), label) != 0)
		i++;
	if (i == HOLDERS_MAX)
		return;
	if (i == *count)
		holders[(*count)++] = (struct holder){.context = pair->holder};
	holders[i].waits += (double)pair->count;
	holders[i].wait_ns += (double)pair->wait_ns;
}

bool holder_find(const struct advising *a, const struct subject *s, struct holder *out)
{
	struct holder holders[HOLDERS_MAX];
	uint32_t number = a->list->classes->row[s->class_row].number;
	size_t count = 0, best = 0;
	double waits = 0, wait_ns = 0;

	for (uint32_t i = a->first_pair[number]; i < a->first_pair[number + 1]; i++) {
		const struct pair *pair = &a->model->pairs.row[a->pairs[i]];

		if (!pair_is_of(a, s, pair))
			continue;
		waits += (double)pair->count;
		wait_ns += (double)pair->wait_ns;
		if (pair->holder != 0)
			holder_add(a, holders, &count, pair);
	}
	for (size_t i = 1; i < count; i++)
		if (holders[i].wait_ns > holders[best].wait_ns)
			best = i;
	if (count == 0 || wait_ns <= 0)
		return false;
	*out = holders[best];
	out->share = out->wait_ns / wait_ns;
	out->waits_share = out->waits / waits;
	return true;
}

/* --- how long waits took */

/* Waiting in waits that were at least `from` and shorter than `below` long, and how many. Buckets
 * are known by their middle, their sum exactly. */
static double waiting_between(
	const struct advising *a, const struct figures *f, double from, double below, double *waits)
{
	double sum = 0, all = 0;

	*waits = 0;
	for (unsigned i = 0; i < RLK_HIST_BUCKETS; i++) {
		uint64_t ticks = rlk_hist_lower(i) / 2 + rlk_hist_lower(i + 1) / 2;
		double ns = (double)clock_ns(&a->model->reference, ticks);

		if (f->wait[i] == 0)
			continue;
		all += ns * (double)f->wait[i];
		if (ns < from || ns >= below)
			continue;
		sum += ns * (double)f->wait[i];
		*waits += (double)f->wait[i];
	}
	return all > 0 ? sum / all * (double)f->counter[COUNT_wait_total] : 0;
}

static double ratio(double part, double whole)
{
	return whole > 0 ? part / whole : 0;
}

static double blocked_share(const struct figures *f)
{
	return ratio((double)f->counter[COUNT_ended_block] + (double)f->counter[COUNT_ended_sleep],
		(double)f->counter[COUNT_contended]);
}

static double spun_each_ns(const struct figures *f)
{
	return ratio((double)figures_spun_ns(f), (double)f->counter[COUNT_contended]);
}

static struct advice about(const struct subject *s, enum advice_kind kind)
{
	struct advice advice = {.kind = kind,
		.run = s->run,
		.lock = s->lock,
		.class_row = s->class_row,
		.thread = NONE};

	advice_set(&advice, NUMBER_waits, (double)s->figures.counter[COUNT_contended]);
	advice_set(&advice, NUMBER_wait_total, (double)s->figures.counter[COUNT_wait_total]);
	advice_set(&advice, NUMBER_locks, (double)s->locks);
	return advice;
}

/* --- the kinds; each returns what is at stake, 0 when it has nothing to say */

static double long_holder(const struct advising *a, const struct subject *s, struct advice *out)
{
	const struct figures *f = &s->figures;
	double holds = (double)f->counter[COUNT_holds];
	double p50 = advice_percentile(a, f, OF_HOLD, 0.5), p99;
	struct holder holder;
	bool by_holds, by_waits;

	if (holds < LIMIT_HOLDS || !holder_find(a, s, &holder) ||
		holder.share < LIMIT_HOLDER_SHARE || holder.waits < LIMIT_HOLDER_WAITS ||
		!advice_matters(a, holder.wait_ns))
		return 0;
	p99 = advice_percentile(a, f, OF_HOLD, 0.99);
	by_holds =
		holds >= LIMIT_HOLDS_P99 && p99 >= LIMIT_HOLDER_NS && p99 >= p50 * LIMIT_LONG_HOLD;
	by_waits = holder.wait_ns >= holder.waits * LIMIT_HOLDER_NS &&
		   holder.wait_ns >= holder.waits * p50 * LIMIT_LONG_HOLD &&
		   holder.share >= holder.waits_share * LIMIT_HOLDER_EXCESS;
	if (!by_holds && !by_waits)
		return 0;
	*out = about(s, ADVICE_LONG_HOLDER);
	out->context = holder.context;
	advice_set(out, NUMBER_hold_p50, p50);
	if (by_holds)
		advice_set(out, NUMBER_hold_p99, p99);
	advice_set(out, NUMBER_holder_waits, holder.waits);
	advice_set(out, NUMBER_holder_total, holder.wait_ns);
	advice_set(out, NUMBER_holder_share, holder.share);
	return holder.wait_ns;
}

static double descheduled(const struct advising *a, const struct subject *s, struct advice *out)
{
	const struct figures *f = &s->figures;
	const struct run *run = &a->model->runs.row[s->run];
	double hold = advice_percentile(a, f, OF_HOLD, 0.99), cpus = busy_cpus(run), waits, sum;

	if (f->counter[COUNT_holds] < LIMIT_HOLDS || hold > LIMIT_SLICE_HOLD_NS || cpus <= 0 ||
		run->threads_peak < LIMIT_CROWDED * cpus)
		return 0;
	sum = waiting_between(a, f, LIMIT_SLICE_NS, 1e300, &waits);
	if (waits < LIMIT_SLICE_WAITS || !advice_matters(a, sum) ||
		sum < (double)f->counter[COUNT_wait_total] * LIMIT_SLICE_SHARE)
		return 0;
	*out = about(s, ADVICE_DESCHEDULED);
	advice_set(out, NUMBER_hold_p99, hold);
	advice_set(out, NUMBER_long_waits, waits);
	advice_set(out, NUMBER_long_total, sum);
	advice_set(out, NUMBER_threads, run->threads_peak);
	advice_set(out, NUMBER_cpus, cpus);
	return sum;
}

/* Twice the p90 of holds: the holder had the lock for a while when the wait began, but others may
 * come first. */
static double spin_window(double hold_p90)
{
	double window = hold_p90 * 2;

	return window < 1000 ? 1000 : window;
}

/* What a pause takes there, where it was measured: its thread had a CPU most of the time. */
static double pause_ns(const struct advising *a)
{
	double usual = 40, pauses = (double)a->model->total.counter[COUNT_pauses], measured;

	if (pauses < 10000 || a->busy.crowding > 1)
		return usual;
	measured = (double)figures_spun_ns(&a->model->total) / pauses;
	return measured < 3 || measured > 400 ? usual : measured;
}

/* Whether one hold in a hundred is as short as most are; false where too few are known. */
static bool all_short(const struct advising *a, const struct figures *f)
{
	return f->counter[COUNT_holds] >= LIMIT_HOLDS_P99 &&
	       advice_percentile(a, f, OF_HOLD, 0.99) <= LIMIT_SPINNABLE_NS;
}

/* Longer waits were not for waking up alone, unless there were CPUs for all and no hold was long:
 * then nothing else made them so long. */
static double longest_spared(const struct advising *a, const struct subject *s)
{
	const struct run *run = &a->model->runs.row[s->run];
	bool crowded = run->threads_peak >= LIMIT_CROWDED * busy_cpus(run);

	return crowded || !all_short(a, &s->figures) || a->busy.on_cpu < LIMIT_ON_CPU
		       ? LIMIT_WAKE_NS
		       : 1e300;
}

static double short_holds(const struct advising *a, const struct subject *s, struct advice *out)
{
	const struct figures *f = &s->figures;
	double blocked = blocked_share(f), hold = advice_percentile(a, f, OF_HOLD, 0.9);
	double waits, sum, window = spin_window(hold);
	double wait = ratio((double)f->counter[COUNT_wait_total],
		(double)f->counter[COUNT_contended] + (double)f->counter[COUNT_timeouts]);

	if (f->counter[COUNT_holds] < LIMIT_HOLDS || s->kind == RLK_KIND_SPIN ||
		blocked < LIMIT_BLOCKED || hold > LIMIT_SPINNABLE_NS || wait < hold * LIMIT_SHORT ||
		busy_cpus(&a->model->runs.row[s->run]) < 2)
		return 0;
	/* The waits are for the long holds, during which nobody should spin. */
	if (advice_percentile(a, f, OF_HOLD, 0.99) > LIMIT_SPINNABLE_NS)
		return 0;
	/* It spins for longer already. */
	if (f->counter[COUNT_pauses] > 0 && spun_each_ns(f) >= window)
		return 0;
	sum = waiting_between(a, f, hold * 2, longest_spared(a, s), &waits);
	if (waits < LIMIT_WAITS || !advice_matters(a, sum))
		return 0;
	*out = about(s, ADVICE_SHORT_HOLDS);
	advice_set(out, NUMBER_blocked, blocked);
	advice_set(out, NUMBER_hold_p90, hold);
	advice_set(out, NUMBER_wait_mean, wait);
	advice_set(out, NUMBER_short_total, sum);
	advice_set(out, NUMBER_window, window);
	advice_set(out, NUMBER_spins, window / pause_ns(a));
	return sum;
}

static double vain_spins(const struct advising *a, const struct subject *s, struct advice *out)
{
	const struct figures *f = &s->figures;
	double blocked = blocked_share(f), each = spun_each_ns(f);
	double cpu = busy_cpu_of(&a->busy, (double)figures_spun_ns(f));
	double hold = advice_percentile(a, f, OF_HOLD, 0.9);

	if (s->kind == RLK_KIND_SPIN || f->counter[COUNT_pauses] == 0 || blocked < LIMIT_VAIN)
		return 0;
	if (cpu < (a->busy.cpu_ns > 0 ? a->busy.cpu_ns : a->busy.busy_ns) * LIMIT_VAIN_CPU)
		return 0;
	/* Spinning that ends too early might pay if it went on. */
	if (f->counter[COUNT_holds] >= LIMIT_HOLDS && hold <= LIMIT_SPINNABLE_NS &&
		each < spin_window(hold))
		return 0;
	*out = about(s, ADVICE_VAIN_SPINS);
	advice_set(out, NUMBER_blocked, blocked);
	advice_set(out, NUMBER_spun_total, cpu);
	advice_set(out, NUMBER_spun_each, each);
	return cpu;
}

/* Many locks of a class, none of which stands out. */
static double many_locks(const struct advising *a, const struct subject *s, struct advice *out)
{
	double wait = (double)s->figures.counter[COUNT_wait_total];

	if (s->locks < LIMIT_MANY || s->largest_share > LIMIT_SPREAD || !advice_matters(a, wait))
		return 0;
	*out = about(s, ADVICE_MANY_LOCKS);
	advice_set(out, NUMBER_largest_share, s->largest_share);
	return wait;
}

/* At most one for a lock, for they have one remedy each: a long holder is the cause of all the
 * rest; otherwise that with most at stake. */
bool advise_waits(struct advising *a, const struct subject *s)
{
	static double (*const kinds[])(const struct advising *, const struct subject *,
		struct advice *) = {long_holder, descheduled, short_holds, vain_spins, many_locks};
	struct advice best = {0};

	if (s->figures.counter[COUNT_contended] < LIMIT_WAITS)
		return false;
	for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
		struct advice advice;
		double stake = kinds[i](a, s, &advice);

		if (stake <= best.stake_ns || best.kind == ADVICE_LONG_HOLDER ||
			(kinds[i] == many_locks && best.stake_ns > 0))
			continue;
		best = advice;
		best.stake_ns = stake;
	}
	if (best.stake_ns <= 0)
		return false;
	advice_add(a, &best);
	return true;
}
