/*
 * The statistics of an experiment, each a function over numbers. What they are put together to is
 * told in experiment.h.
 *
 * Contract: infinities are ordinary values here (a ratio to zero); NaN is not and has to be left
 * out before. `sorted` is ascending. Tests take at most SAMPLE_MAX values.
 */
#ifndef RELOCK_STATS_EXPERIMENT_SAMPLE_H
#define RELOCK_STATS_EXPERIMENT_SAMPLE_H

#include <stdbool.h>
#include <stddef.h>

#define SAMPLE_MAX 500 /* most values a test takes */

struct interval {
	double low, high;
	double confidence; /* at least what was asked for */
};

void sample_sort(double *values, size_t count);

/* NaN for no values, or when the middle lies between the two infinities. */
double sample_median(const double *sorted, size_t count);

/*
 * Interval for the median by order statistics (the inverted sign test): the narrowest pair of
 * values, equally far from both ends, between which the median lies with at least `level`. Exact
 * for any continuous distribution, at least so for ties. False: too few values; 6 are enough for
 * 0.95.
 */
bool sample_interval(const double *sorted, size_t count, double level, struct interval *out);

/*
 * Two-sided p of Wilcoxon's signed-rank test: how often random signs would give rank sums at least
 * this uneven. Exact for any number of ties, which share their ranks; zeros are left out. 1 when
 * nothing but zeros is there.
 */
double sample_signed_rank(const double *differences, size_t count);

/* Least p that test can give for so many values without ties: 2 / 2^count. */
double sample_least_p(size_t count);

/* Adjusts p values, in place, for being the best of several (Holm). NaN: not one of them. */
void sample_holm(double *p, size_t count);

/*
 * How far `value` is from the median in units of the typical deviation (1.4826 × the median of the
 * absolute deviations from it, and at least `least`). `scratch` has room for `count` values.
 */
double sample_deviation(
	double value, const double *sorted, size_t count, double least, double *scratch);

#endif
