#include "cli/reproduce/judge.h"
#include "stats/experiment/sample.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#define LEVEL 0.95
#define OTHERS_MAX 0.1

const char *const judged_words[] = {[INCONCLUSIVE] = "inconclusive",
	[CONFIRMED] = "confirmed",
	[CONTRADICTED] = "contradicted"};

/* --- evidence */

/* Sorts. */
static struct evidence evidence_of(double *values, size_t count)
{
	struct evidence e = {.count = count, .median = NAN, .low = NAN, .high = NAN, .noise = 1};
	struct interval interval;

	if (count == 0)
		return e;
	sample_sort(values, count);
	e.median = sample_median(values, count);
	e.low = values[0];
	e.high = values[count - 1];
	if (sample_interval(values, count, LEVEL, &interval)) {
		e.low = interval.low;
		e.high = interval.high;
	}
	return e;
}

struct evidence evidence_of_values(const double *values, size_t count)
{
	double there[SAMPLE_MAX];
	size_t used = 0;

	for (size_t i = 0; i < count && used < SAMPLE_MAX; i++)
		if (!isnan(values[i]))
			there[used++] = values[i];
	return evidence_of(there, used);
}

struct evidence evidence_of_ratios(
	const double *values, const double *over, size_t count, double noise)
{
	double ratios[SAMPLE_MAX];
	struct evidence e;
	size_t used = 0;

	for (size_t i = 0; i < count && used < SAMPLE_MAX; i++) {
		if (isnan(values[i]) || isnan(over[i]))
			continue;
		ratios[used++] = values[i] == over[i] ? 1 : values[i] / over[i];
	}
	e = evidence_of(ratios, used);
	e.noise = noise;
	return e;
}

/* How far a ratio is from 1, either way. */
static double distance(double ratio)
{
	return fabs(log(ratio));
}

double noise_of(const double *control, const double *reference, size_t count)
{
	struct evidence e = evidence_of_ratios(control, reference, count, 1);

	if (e.count < JUDGE_REPETITIONS)
		return INFINITY;
	return exp(fmax(distance(e.low), distance(e.high)));
}

/* --- verdicts */

struct judgement judge_not(const char *format, ...)
{
	struct judgement j = {.verdict = INCONCLUSIVE};
	va_list list;

	va_start(list, format);
	vsnprintf(j.reason, sizeof(j.reason), format, list);
	va_end(list);
	return j;
}

static bool meets(const struct demand *d, double x)
{
	return x >= d->low && x <= d->high;
}

/* Whether the demand leaves 1 out: then it asks for a difference, else for sameness at most. A
 * bound of 1 itself asks for a difference too. */
static bool asks_for_difference(const struct demand *d)
{
	return d->low >= 1 || d->high <= 1;
}

/* How far from the bound it is nearest to, as a factor. */
static double clearance(const struct demand *d, double x)
{
	double to_low = d->low > 0 ? fabs(log(x) - log(d->low)) : INFINITY;
	double to_high = isfinite(d->high) ? fabs(log(x) - log(d->high)) : INFINITY;

	return exp(fmin(to_low, to_high));
}

static bool misses_wholly(const struct demand *d, const struct evidence *e)
{
	return e->low > d->high || e->high < d->low;
}

static bool meets_wholly(const struct demand *d, const struct evidence *e)
{
	return meets(d, e->low) && meets(d, e->high);
}

static bool difference_is_established(const struct demand *d, const struct evidence *e)
{
	bool beyond = d->low >= 1 ? e->low > 1 : e->high < 1;

	return beyond && distance(e->median) > log(e->noise);
}

/* The room that sameness is given, as a factor. */
static double room(const struct demand *d)
{
	return exp(fmin(d->low > 0 ? distance(d->low) : INFINITY,
		isfinite(d->high) ? distance(d->high) : INFINITY));
}

static bool sameness_is_established(const struct demand *d, const struct evidence *e)
{
	double most = room(d);

	return e->noise <= most && e->low >= d->low / most && e->high <= d->high * most;
}

static struct judgement judge_value(const struct demand *d, const struct evidence *e)
{
	if (meets(d, e->median))
		return (struct judgement){.verdict = CONFIRMED};
	if (misses_wholly(d, e))
		return (struct judgement){.verdict = CONTRADICTED};
	return judge_not("the median misses, but some repetitions do not: noise above the effect");
}

static struct judgement noise_above(const struct evidence *e, bool met)
{
	const char *how = met ? "meets" : "misses";

	if (isinf(e->noise))
		return judge_not(
			"the noise is not known: the control was not measured often enough");
	if (e->noise >= 2)
		return judge_not("the median %s it, but noise is above the effect: the baseline "
				 "differs from itself by a factor of up to %.3g",
			how, e->noise);
	return judge_not("the median %s it, but noise is above the effect: the baseline differs "
			 "from itself by up to %.0f %%",
		how, (e->noise - 1) * 100);
}

static struct judgement judge_ratio(const struct demand *d, const struct evidence *e)
{
	bool met = meets(d, e->median), clear = clearance(d, e->median) > e->noise;

	if (clear && meets_wholly(d, e))
		return (struct judgement){.verdict = CONFIRMED};
	if (clear && misses_wholly(d, e))
		return (struct judgement){.verdict = CONTRADICTED};
	if (met && (asks_for_difference(d) ? difference_is_established(d, e)
					   : sameness_is_established(d, e)))
		return (struct judgement){.verdict = CONFIRMED};
	return noise_above(e, met);
}

struct judgement judge(const struct demand *d, const struct evidence *e)
{
	struct judgement j;

	if (e->count == 0)
		return judge_not("not measured");
	if (e->count < JUDGE_REPETITIONS)
		return judge_not(
			"%zu of the %d repetitions that are needed", e->count, JUDGE_REPETITIONS);
	j = d->absolute ? judge_value(d, e) : judge_ratio(d, e);
	if (j.verdict == CONTRADICTED && e->others >= OTHERS_MAX)
		return judge_not("it misses, but other programs had %.0f %% of the CPUs meanwhile",
			e->others * 100);
	return j;
}

struct judgement judge_all(const struct judgement *list, size_t count)
{
	const struct judgement *open = NULL;

	if (count == 0)
		return judge_not("not measured");
	for (size_t i = 0; i < count; i++) {
		if (list[i].verdict == CONTRADICTED)
			return list[i];
		if (list[i].verdict == INCONCLUSIVE && !open)
			open = &list[i];
	}
	return open ? *open : (struct judgement){.verdict = CONFIRMED};
}
