/* The statistics against values worked out by hand, from tables, or by trying every choice of
 * signs. */
#include "tests/unit/experiment_synthetic.h"

#include "stats/experiment/order.h"
#include "stats/experiment/sample.h"

#include <math.h>
#include <string.h>

#define NEAR(a, b) ck_assert_double_eq_tol(a, b, 1e-9)

START_TEST(medians)
{
	const double odd[] = {1, 2, 10}, even[] = {1, 2, 4, 100};
	const double wide[] = {-INFINITY, INFINITY}, high[] = {1, INFINITY, INFINITY, INFINITY};

	NEAR(sample_median(odd, 3), 2);
	NEAR(sample_median(even, 4), 3);
	ck_assert(isnan(sample_median(odd, 0)));
	ck_assert(isnan(sample_median(wide, 2)));
	ck_assert(isinf(sample_median(high, 4)));
}
END_TEST

/* The ranks are those of tables of the binomial distribution, e.g. NIST's. */
static const struct {
	size_t count, rank;
	double confidence;
} intervals[] = {
	{6, 1, 0.96875},
	{8, 1, 0.9921875},
	{9, 2, 0.9609375},
	{10, 2, 0.978515625},
	{12, 3, 0.96142578125},
	{15, 4, 0.96484375},
	{20, 6, 0.9586105346679688},
	{100, 40, 0.9647997997822952},
};

START_TEST(interval_ranks)
{
	double values[SAMPLE_MAX];
	struct interval interval;
	size_t count = intervals[_i].count;

	for (size_t i = 0; i < count; i++)
		values[i] = (double)(i + 1);
	ck_assert(sample_interval(values, count, 0.95, &interval));
	NEAR(interval.low, (double)intervals[_i].rank);
	NEAR(interval.high, (double)(count + 1 - intervals[_i].rank));
	NEAR(interval.confidence, intervals[_i].confidence);
}
END_TEST

START_TEST(interval_needs_six)
{
	const double values[] = {1, 2, 3, 4, 5, 6};
	struct interval interval;

	for (size_t count = 0; count < 6; count++)
		ck_assert(!sample_interval(values, count, 0.95, &interval));
	ck_assert(sample_interval(values, 6, 0.95, &interval));
}
END_TEST

START_TEST(interval_of_very_many)
{
	double values[SAMPLE_MAX];
	struct interval interval;

	for (size_t i = 0; i < SAMPLE_MAX; i++)
		values[i] = (double)i;
	ck_assert(sample_interval(values, SAMPLE_MAX, 0.95, &interval));
	ck_assert_double_ge(interval.confidence, 0.95);
	ck_assert_double_le(interval.confidence, 0.96);
}
END_TEST

/* Two-sided p by trying all choices of signs. */
static double by_trying(const double *differences, size_t count)
{
	double rank[16], total = 0, seen = 0, positive;
	unsigned long as_uneven = 0, all = 1ul << count;

	for (size_t i = 0; i < count; i++) {
		double below = 0, same = 0;

		for (size_t j = 0; j < count; j++) {
			below += fabs(differences[j]) < fabs(differences[i]);
			same += fabs(differences[j]) == fabs(differences[i]);
		}
		rank[i] = below + (same + 1) / 2;
		total += rank[i];
		seen += differences[i] > 0 ? rank[i] : 0;
	}
	for (unsigned long signs = 0; signs < all; signs++) {
		positive = 0;
		for (size_t i = 0; i < count; i++)
			positive += signs >> i & 1 ? rank[i] : 0;
		as_uneven += fabs(positive - total / 2) >= fabs(seen - total / 2);
	}
	return (double)as_uneven / (double)all;
}

START_TEST(signed_rank_by_trying)
{
	struct synthetic s = {
		.state = (uint64_t)_i, .noise = (enum noise)(_i % NOISES), .spread = 1};
	size_t count = 1 + (size_t)_i % 12, used = 0;
	double differences[16], nonzero[16];

	for (size_t i = 0; i < count; i++) {
		differences[i] = synthetic_noise(&s);
		if (differences[i] != 0)
			nonzero[used++] = differences[i];
	}
	NEAR(sample_signed_rank(differences, count), used ? by_trying(nonzero, used) : 1);
}
END_TEST

START_TEST(signed_rank_extremes)
{
	double values[SAMPLE_MAX];

	for (size_t i = 0; i < SAMPLE_MAX; i++)
		values[i] = (double)(i + 1);
	NEAR(sample_signed_rank(values, 10), 2.0 / 1024);
	NEAR(sample_signed_rank(values, 10), sample_least_p(10));
	NEAR(sample_signed_rank(values, 0), 1);
	ck_assert_double_lt(sample_signed_rank(values, SAMPLE_MAX), 1e-60);
	for (size_t i = 0; i < 10; i++)
		values[i] = i % 2 ? INFINITY : -INFINITY;
	NEAR(sample_signed_rank(values, 10), 1);
	memset(values, 0, sizeof(values));
	NEAR(sample_signed_rank(values, 10), 1);
}
END_TEST

START_TEST(holm)
{
	double p[] = {0.01, NAN, 0.04, 0.03, 0.005}; /* the example of many textbooks */

	sample_holm(p, 5);
	NEAR(p[0], 0.03);
	ck_assert(isnan(p[1]));
	NEAR(p[2], 0.06);
	NEAR(p[3], 0.06);
	NEAR(p[4], 0.02);
}
END_TEST

START_TEST(deviations)
{
	const double values[] = {1, 2, 3, 4, 5}, same[] = {3, 3, 3, 3, 3};
	double scratch[5];

	NEAR(sample_deviation(3, values, 5, 0.1, scratch), 0);
	NEAR(sample_deviation(103, values, 5, 0.1, scratch), 100 / 1.4826);
	NEAR(sample_deviation(4, same, 5, 0.1, scratch), 10);
	ck_assert(isinf(sample_deviation(INFINITY, values, 5, 0.1, scratch)));
}
END_TEST

START_TEST(orders_are_orders)
{
	size_t order[9], again[9], other[9];
	unsigned seen = 0;

	order_round(7, (uint64_t)_i, order, 9);
	order_round(7, (uint64_t)_i, again, 9);
	order_round(8, (uint64_t)_i, other, 9);
	for (size_t i = 0; i < 9; i++)
		seen |= 1u << order[i];
	ck_assert_uint_eq(seen, 0x1ff);
	ck_assert_mem_eq(order, again, sizeof(order));
	ck_assert_mem_ne(order, other, sizeof(order));
}
END_TEST

/* Each of the 24 orders of four, over 24 000 rounds: chi-square with 23 degrees of freedom
 * exceeds 49.7 once in a thousand seeds. */
START_TEST(orders_are_equally_likely)
{
	unsigned count[256] = {0};
	double chi = 0;

	for (unsigned round = 0; round < 24000; round++) {
		size_t order[4];

		order_round(3, round, order, 4);
		count[order[0] | order[1] << 2 | order[2] << 4 | order[3] << 6]++;
	}
	for (unsigned i = 0; i < 256; i++)
		if (count[i])
			chi += (count[i] - 1000.0) * (count[i] - 1000.0) / 1000;
	ck_assert_double_gt(chi, 5);
	ck_assert_double_lt(chi, 49.7);
}
END_TEST

Suite *experiment_sample_suite(void)
{
	Suite *suite = suite_create("experiment sample");
	TCase *tests = tcase_create("sample");

	tcase_add_test(tests, medians);
	tcase_add_loop_test(
		tests, interval_ranks, 0, (int)(sizeof(intervals) / sizeof(intervals[0])));
	tcase_add_test(tests, interval_needs_six);
	tcase_add_test(tests, interval_of_very_many);
	tcase_add_loop_test(tests, signed_rank_by_trying, 0, 60);
	tcase_add_test(tests, signed_rank_extremes);
	tcase_add_test(tests, holm);
	tcase_add_test(tests, deviations);
	tcase_add_loop_test(tests, orders_are_orders, 0, 20);
	tcase_add_test(tests, orders_are_equally_likely);
	suite_add_tcase(suite, tests);
	return suite;
}
