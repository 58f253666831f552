#include "stats/experiment/sample.h"
#include "stats/report/memory.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static int compare_values(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

void sample_sort(double *values, size_t count)
{
	if (count > 1)
		qsort(values, count, sizeof(*values), compare_values);
}

double sample_median(const double *sorted, size_t count)
{
	double low, high;

	if (count == 0)
		return NAN;
	low = sorted[(count - 1) / 2];
	high = sorted[count / 2];
	return low == high ? low : low / 2 + high / 2;
}

bool sample_interval(const double *sorted, size_t count, double level, struct interval *out)
{
	/* Chance that so many values lie below the median: binomial, one half each. In logarithms,
	 * for 2^-count may be too small for a double. */
	double tail = 0, choose = -(double)count * M_LN2;
	size_t cut = 0;

	for (; cut < count / 2; cut++) {
		double next = tail + exp(choose);

		if (2 * next > 1 - level)
			break;
		tail = next;
		choose += log((double)(count - cut) / (double)(cut + 1));
	}
	if (cut == 0)
		return false;
	*out = (struct interval){sorted[cut - 1], sorted[count - cut], 1 - 2 * tail};
	return true;
}

struct ranked {
	double size;
	bool positive;
};

static int compare_ranked(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	return (x->size > y->size) - (x->size < y->size);
}

/* Twice the ranks, which are whole numbers even where ties share one. */
static void rank(const struct ranked *row, size_t count, unsigned *doubled)
{
	for (size_t first = 0, next; first < count; first = next) {
		for (next = first + 1; next < count && row[next].size == row[first].size;)
			next++;
		for (size_t i = first; i < next; i++)
			doubled[i] = (unsigned)(first + 1 + next);
	}
}

/* The share of all 2^count choices of signs whose rank sum is `least` or less. */
static double share_below(const unsigned *doubled, size_t count, size_t least)
{
	double *chance = memory_get(least + 1, sizeof(*chance));
	double sum = 0;

	chance[0] = 1;
	for (size_t i = 0; i < count; i++)
		for (size_t at = least + 1; at-- > 0;)
			chance[at] =
				(chance[at] + (at >= doubled[i] ? chance[at - doubled[i]] : 0)) / 2;
	for (size_t at = 0; at <= least; at++)
		sum += chance[at];
	free(chance);
	return sum;
}

double sample_signed_rank(const double *differences, size_t count)
{
	struct ranked row[SAMPLE_MAX];
	unsigned doubled[SAMPLE_MAX];
	size_t used = 0, positive = 0, total = 0;
	double p;

	for (size_t i = 0; i < count && used < SAMPLE_MAX; i++)
		if (differences[i] != 0)
			row[used++] = (struct ranked){fabs(differences[i]), differences[i] > 0};
	if (used == 0)
		return 1;
	qsort(row, used, sizeof(*row), compare_ranked);
	rank(row, used, doubled);
	for (size_t i = 0; i < used; i++) {
		total += doubled[i];
		positive += row[i].positive ? doubled[i] : 0;
	}
	p = 2 *
	    share_below(doubled, used, positive < total - positive ? positive : total - positive);
	return p < 1 ? p : 1;
}

double sample_least_p(size_t count)
{
	return count == 0 ? 1 : exp2(1 - (double)count);
}

void sample_holm(double *p, size_t count)
{
	bool *done = memory_get(count ? count : 1, sizeof(*done));
	size_t family = 0;
	double floor = 0;

	for (size_t i = 0; i < count; i++)
		family += !isnan(p[i]);
	for (; family > 0; family--) {
		size_t least = count;
		double adjusted;

		for (size_t i = 0; i < count; i++)
			if (!done[i] && !isnan(p[i]) && (least == count || p[i] < p[least]))
				least = i;
		adjusted = p[least] * (double)family;
		/* Never less than one that was found stronger. */
		floor = adjusted > floor ? adjusted : floor;
		p[least] = floor < 1 ? floor : 1;
		done[least] = true;
	}
	free(done);
}

double sample_deviation(
	double value, const double *sorted, size_t count, double least, double *scratch)
{
	const double normal = 1.4826; /* makes it the standard deviation of normal values */
	double median = sample_median(sorted, count), typical;

	if (value == median || isnan(median))
		return 0;
	for (size_t i = 0; i < count; i++)
		scratch[i] = sorted[i] == median ? 0 : fabs(sorted[i] - median);
	sample_sort(scratch, count);
	typical = normal * sample_median(scratch, count);
	typical = typical > least ? typical : least;
	return isinf(typical) ? 0 : fabs(value - median) / typical;
}
