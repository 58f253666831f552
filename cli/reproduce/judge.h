/*
 * From numbers to verdicts: whether a criterion of a finding is met, failed, or cannot be decided.
 *
 * Use: evidence_of_ratios() or evidence_of_values() with one figure a repetition, then judge(), and
 * judge_all() for a criterion that has to hold for several candidates.
 *
 * Method. Evidence is the median, and an interval for it by order statistics with 95 % or more;
 * with fewer than 6 repetitions, all figures from the smallest to the largest. Noise is how far the
 * reference seems to be from a second run of itself in the same repetitions: the farther bound of
 * that ratio's interval, as a factor of 1 or more.
 *
 *  - Confirmed or contradicted clearly: the whole interval meets, or fails, the criterion, and the
 *    median lies farther from its bound than noise could have carried it.
 *  - Else, where the median meets it: a criterion about a difference is confirmed if the
 *    difference itself is established (the interval does not reach 1, the median is beyond the
 *    noise); one about sameness if the noise is smaller than the room it leaves, and the interval
 *    reaches beyond the bounds by no more than that room again.
 *  - Everything else is inconclusive, with the reason. So is what misses while other programs had a
 *    tenth of the CPUs or more: with the CPUs gone, what needs them to show cannot.
 *
 * Contract: pure functions; NaN stands for "not measured", figures are not negative.
 */
#ifndef RELOCK_CLI_REPRODUCE_JUDGE_H
#define RELOCK_CLI_REPRODUCE_JUDGE_H

#include <stdbool.h>
#include <stddef.h>

#define JUDGE_REPETITIONS 5 /* least */
#define JUDGE_REASON 200

/* A criterion's demand on a figure: from `low` to `high`, either may be 0 or INFINITY. */
struct demand {
	double low, high;
	bool absolute; /* on a value; else on a ratio, whose meaning depends on noise */
};

struct evidence {
	size_t count;             /* repetitions, or pairs */
	double median, low, high; /* NaN: none */
	double noise;             /* ≥ 1; INFINITY: not known */
	double others;            /* share of the CPUs that other programs had meanwhile, 0 to 1 */
};

enum judged { INCONCLUSIVE, CONFIRMED, CONTRADICTED };

struct judgement {
	enum judged verdict;
	char reason[JUDGE_REASON]; /* of an inconclusive one; else "" */
};

extern const char *const judged_words[]; /* by enum judged */

struct evidence evidence_of_values(const double *values, size_t count);
/* Paired by repetition: values[i] ÷ over[i]. `noise` as from noise_of(). */
struct evidence evidence_of_ratios(
	const double *values, const double *over, size_t count, double noise);
double noise_of(const double *control, const double *reference, size_t count);

struct judgement judge(const struct demand *demand, const struct evidence *evidence);
/* All have to hold. Contradicted if one is, confirmed if all are. `count` 0: inconclusive. */
struct judgement judge_all(const struct judgement *list, size_t count);
/* For what could not be measured at all. */
struct judgement judge_not(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
