/* Verdicts on made-up results: each of the three, and for the reason it should be. */
#include "cli/reproduce/judge.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

Suite *reproduce_tables(void);

/* Repetitions of a reference, a second run of it, and a candidate. */
struct made {
	double reference[12], control[12], candidate[12];
	size_t count;
};

/* Spreads values around `middle` by up to `spread`, the same way each time. */
static void spread(double *out, size_t count, double middle, double spread_by, unsigned phase)
{
	for (size_t i = 0; i < count; i++)
		out[i] = middle * pow(spread_by, sin(1.7 * (double)i + phase));
}

static struct made make(size_t count, double ratio, double noise)
{
	struct made m = {.count = count};

	spread(m.reference, count, 1000, sqrt(noise), 0);
	spread(m.control, count, 1000, sqrt(noise), 2);
	spread(m.candidate, count, 1000 * ratio, sqrt(noise), 4);
	return m;
}

static struct judgement verdict_of(const struct made *m, struct demand demand, double others)
{
	struct evidence e = evidence_of_ratios(
		m->candidate, m->reference, m->count, noise_of(m->control, m->reference, m->count));

	e.others = others;
	return judge(&demand, &e);
}

#define EXPECT(made, demand, others, expected)                                                     \
	do {                                                                                       \
		struct judgement j_ = verdict_of(&(made), demand, others);                         \
		ck_assert_msg(                                                                     \
			j_.verdict == (expected), "%s: %s", judged_words[j_.verdict], j_.reason);  \
		ck_assert_int_eq(j_.reason[0] != '\0', (expected) == INCONCLUSIVE);                \
	} while (0)

static const struct demand five_times = {5, INFINITY, false};
static const struct demand seven_tenths = {0, 0.7, false};
static const struct demand same = {0.97, 1.03, false};
static const struct demand no_longer = {0, 1.1, false};
static const struct demand above = {1, INFINITY, false};

START_TEST(test_clear_effects)
{
	struct made big = make(7, 8, 1.05), small = make(7, 1.5, 1.05), half = make(7, 0.5, 1.05);

	EXPECT(big, five_times, 0, CONFIRMED);
	EXPECT(small, five_times, 0, CONTRADICTED);
	EXPECT(half, seven_tenths, 0, CONFIRMED);
	EXPECT(big, seven_tenths, 0, CONTRADICTED);
	EXPECT(small, above, 0, CONFIRMED);
	EXPECT(half, above, 0, CONTRADICTED);
}
END_TEST

START_TEST(test_sameness)
{
	struct made equal = make(7, 1, 1.01), noisy = make(7, 1, 1.3), other = make(7, 1.2, 1.01);
	struct made far_less = make(7, 0.2, 1.5);

	EXPECT(equal, same, 0, CONFIRMED);
	EXPECT(noisy, same, 0, INCONCLUSIVE);
	EXPECT(other, same, 0, CONTRADICTED);
	EXPECT(other, no_longer, 0, CONTRADICTED);
	/* Noise that only the candidate has. */
	spread(equal.candidate, equal.count, 1000, 1.3, 4);
	EXPECT(equal, same, 0, INCONCLUSIVE);
	/* Beyond doubt on the right side, however noisy. */
	EXPECT(far_less, no_longer, 0, CONFIRMED);
}
END_TEST

START_TEST(test_noise_above_the_effect)
{
	struct made weak = make(9, 0.65, 3), missed = make(9, 0.8, 3);

	EXPECT(weak, seven_tenths, 0, INCONCLUSIVE);
	EXPECT(missed, seven_tenths, 0, INCONCLUSIVE);
	ck_assert_ptr_nonnull(strstr(verdict_of(&weak, seven_tenths, 0).reason, "noise"));
	/* The same medians without the noise. */
	weak = make(9, 0.65, 1.02);
	missed = make(9, 0.8, 1.02);
	EXPECT(weak, seven_tenths, 0, CONFIRMED);
	EXPECT(missed, seven_tenths, 0, CONTRADICTED);
}
END_TEST

START_TEST(test_an_effect_no_larger_than_the_control_is_none)
{
	struct made m = make(7, 0.6, 1.02);

	/* The reference is farther from itself. */
	spread(m.control, m.count, 550, 1.01, 0);
	EXPECT(m, seven_tenths, 0, INCONCLUSIVE);
	EXPECT(m, above, 0, INCONCLUSIVE);
}
END_TEST

START_TEST(test_too_few_repetitions)
{
	for (size_t count = 0; count < JUDGE_REPETITIONS; count++) {
		struct made m = make(count, 0.5, 1.01);

		EXPECT(m, seven_tenths, 0, INCONCLUSIVE);
	}
	struct made enough = make(JUDGE_REPETITIONS, 0.5, 1.01);

	EXPECT(enough, seven_tenths, 0, CONFIRMED);
}
END_TEST

START_TEST(test_what_was_not_measured_does_not_count)
{
	struct made m = make(9, 0.5, 1.01);

	for (size_t i = 0; i < 4; i++)
		m.candidate[i] = NAN;
	EXPECT(m, seven_tenths, 0, CONFIRMED);
	m.reference[8] = NAN;
	EXPECT(m, seven_tenths, 0, INCONCLUSIVE);
	m = make(7, 0.5, 1.01);
	for (size_t i = 0; i < 7; i++)
		m.control[i] = NAN;
	EXPECT(m, seven_tenths, 0, INCONCLUSIVE);
}
END_TEST

START_TEST(test_a_busy_machine_contradicts_nothing)
{
	struct made good = make(7, 0.5, 1.05), bad = make(7, 2, 1.05);

	EXPECT(bad, seven_tenths, 0.02, CONTRADICTED);
	EXPECT(bad, seven_tenths, 0.5, INCONCLUSIVE);
	ck_assert_ptr_nonnull(strstr(verdict_of(&bad, seven_tenths, 0.5).reason, "50 %"));
	EXPECT(good, seven_tenths, 0.5, CONFIRMED);
}
END_TEST

START_TEST(test_values)
{
	const struct demand at_most = {0, 180, true}, none = {0, 0, true};
	const double below[] = {80, 90, 100, 110, 120, 130},
		     above_it[] = {200, 210, 300, 310, 320, 330};
	const double around[] = {100, 110, 190, 200, 210, 220}, zero[] = {0, 0, 0, 0, 0, 0};
	const double some[] = {0, 0, 0, 3, 3, 3};
	const struct {
		const struct demand *demand;
		const double *values;
		enum judged expected;
	} cases[] = {
		{&at_most, below, CONFIRMED},
		{&at_most, above_it, CONTRADICTED},
		{&at_most, around, INCONCLUSIVE},
		{&none, zero, CONFIRMED},
		{&none, below, CONTRADICTED},
		{&none, some, INCONCLUSIVE},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct evidence e = evidence_of_values(cases[i].values, 6);

		ck_assert_int_eq(judge(cases[i].demand, &e).verdict, cases[i].expected);
	}
}
END_TEST

START_TEST(test_ratios_to_zero)
{
	const double zero[6] = {0}, one[6] = {1, 1, 1, 1, 1, 1};
	struct evidence less = evidence_of_ratios(zero, one, 6, 1.01);
	struct evidence more = evidence_of_ratios(one, zero, 6, 1.01);
	struct evidence equal = evidence_of_ratios(zero, zero, 6, 1.01);

	ck_assert_int_eq(judge(&seven_tenths, &less).verdict, CONFIRMED);
	ck_assert_int_eq(judge(&five_times, &more).verdict, CONFIRMED);
	ck_assert_int_eq(judge(&seven_tenths, &more).verdict, CONTRADICTED);
	ck_assert_int_eq(judge(&same, &equal).verdict, CONFIRMED);
}
END_TEST

START_TEST(test_all_have_to_hold)
{
	const struct judgement yes = {.verdict = CONFIRMED}, no = {.verdict = CONTRADICTED};
	const struct judgement open = judge_not("too few CPUs");
	const struct judgement mixed[] = {yes, open, no}, undecided[] = {yes, open},
			       good[] = {yes, yes};

	ck_assert_int_eq(judge_all(mixed, 3).verdict, CONTRADICTED);
	ck_assert_int_eq(judge_all(undecided, 2).verdict, INCONCLUSIVE);
	ck_assert_str_eq(judge_all(undecided, 2).reason, "too few CPUs");
	ck_assert_int_eq(judge_all(good, 2).verdict, CONFIRMED);
	ck_assert_int_eq(judge_all(NULL, 0).verdict, INCONCLUSIVE);
}
END_TEST

static Suite *reproduce_judge(void)
{
	const TTest *const tests[] = {test_clear_effects, test_sameness,
		test_noise_above_the_effect, test_an_effect_no_larger_than_the_control_is_none,
		test_too_few_repetitions, test_what_was_not_measured_does_not_count,
		test_a_busy_machine_contradicts_nothing, test_values, test_ratios_to_zero,
		test_all_have_to_hold};
	Suite *suite = suite_create("judge");
	TCase *all = tcase_create("verdicts");

	for (size_t i = 0; i < sizeof(tests) / sizeof(tests[0]); i++)
		tcase_add_test(all, tests[i]);
	suite_add_tcase(suite, all);
	return suite;
}

int main(void)
{
	SRunner *runner = srunner_create(reproduce_judge());
	int failed;

	srunner_add_suite(runner, reproduce_tables());
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
