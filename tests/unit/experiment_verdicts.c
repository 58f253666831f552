/* Verdicts on figures given one by one. */
#include "tests/unit/experiment_synthetic.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define ROUNDS 12

/* The figure of a candidate in a round; `again`: the second call for the reference in that round.
 */
typedef double figure_fn(size_t candidate, unsigned round, bool again);

struct table {
	figure_fn *figure;
	unsigned calls[8];
};

#define FAILS -1234.0

static void measure(void *context, size_t candidate, struct experiment_run *run)
{
	struct table *t = context;
	unsigned call = t->calls[candidate]++;
	bool reference = candidate == 0;

	run->value[0] = t->figure(candidate, reference ? call / 2 : call, reference && call % 2);
	run->value[1] = run->value[0];
	if (run->value[0] == FAILS) {
		run->outcome = RUN_FAILED;
		snprintf(run->failure, sizeof(run->failure), "signal 11");
	}
}

struct outcome {
	struct experiment *e;
	struct experiment_results *r;
	struct experiment_plan plan;
};

static void perform(struct outcome *o, figure_fn *figure, size_t candidates, unsigned rounds)
{
	struct table table = {.figure = figure};
	struct experiment_hooks hooks = {.context = &table, .measure = measure};

	o->plan = synthetic_plan(candidates, 2, rounds);
	o->e = experiment_new(&o->plan);
	experiment_run(o->e, &hooks);
	o->r = experiment_evaluate(o->e);
}

static void leave(struct outcome *o)
{
	experiment_results_free(o->r);
	experiment_free(o->e);
}

/* A little of everyone's own, so that no two figures tie. */
static double wobble(size_t candidate, unsigned round, bool again)
{
	return 1 + 0.001 * (double)((candidate * 7 + round * 5 + again * 3) % 11);
}

static double half(size_t candidate, unsigned round, bool again)
{
	return 100 * (1 + round) * (candidate == 1 ? 0.5 : 1) * wobble(candidate, round, again);
}

START_TEST(better_and_worse_follow_the_direction)
{
	struct outcome o;

	perform(&o, half, 2, ROUNDS);
	ck_assert_int_eq(experiment_cell(o.r, 0, 0)->verdict, VERDICT_REFERENCE);
	ck_assert_int_eq(experiment_cell(o.r, 2, 0)->verdict, VERDICT_CONTROL);
	ck_assert_int_eq(experiment_cell(o.r, 1, 0)->verdict, VERDICT_BETTER);
	ck_assert_int_eq(experiment_cell(o.r, 1, 1)->verdict, VERDICT_WORSE);
	ck_assert_double_eq_tol(experiment_cell(o.r, 1, 0)->ratio, 0.5, 0.01);
	ck_assert_double_ge(experiment_cell(o.r, 1, 0)->confidence, 0.95);
	ck_assert_uint_eq(experiment_best(o.e, o.r, 0), 1);
	ck_assert_uint_eq(experiment_best(o.e, o.r, 1), 0);
	ck_assert_str_eq(experiment_word(&o.plan.metric[0], VERDICT_BETTER), "faster");
	ck_assert_str_eq(experiment_word(&o.plan.metric[1], VERDICT_WORSE), "slower");
	leave(&o);
}
END_TEST

/* The machine gets ten times slower between rounds, and the pairs do not mind. */
START_TEST(rounds_may_differ)
{
	struct outcome o;

	perform(&o, half, 2, ROUNDS);
	ck_assert_double_lt(experiment_cell(o.r, 1, 0)->high, 0.52);
	ck_assert_double_lt(o.r->floor[0], 1.02);
	leave(&o);
}
END_TEST

static double small(size_t candidate, unsigned round, bool again)
{
	(void)round, (void)again;
	return candidate == 1 ? 100.9 : 100;
}

START_TEST(nothing_below_the_threshold)
{
	struct outcome o;

	perform(&o, small, 2, ROUNDS);
	ck_assert_double_lt(experiment_cell(o.r, 1, 0)->p_adjusted, 0.001);
	ck_assert_int_eq(experiment_cell(o.r, 1, 0)->verdict, VERDICT_NO_DIFFERENCE);
	ck_assert_double_eq_tol(o.r->floor[0], 1.01, 1e-9);
	leave(&o);
}
END_TEST

/* Candidate 1 is 10 % faster every time, but so uneven is the reference with itself. */
static double uneven_control(size_t candidate, unsigned round, bool again)
{
	if (candidate == 1)
		return 90 * wobble(candidate, round, again);
	return again ? (round % 2 ? 85 : 118) : 100;
}

START_TEST(nothing_below_the_noise_floor)
{
	struct outcome o;

	perform(&o, uneven_control, 2, ROUNDS);
	/* Which of the reference's two runs is the control is up to chance; either way it is 18 %
	 * off. */
	ck_assert_double_gt(o.r->floor[0], 1.15);
	ck_assert_int_eq(experiment_cell(o.r, 1, 0)->verdict, VERDICT_NO_DIFFERENCE);
	leave(&o);
}
END_TEST

static double all_zero(size_t candidate, unsigned round, bool again)
{
	(void)candidate, (void)round, (void)again;
	return 0;
}

START_TEST(zeros_are_the_same)
{
	struct outcome o;

	perform(&o, all_zero, 2, ROUNDS);
	ck_assert_double_eq_tol(experiment_cell(o.r, 1, 0)->ratio, 1, 1e-12);
	ck_assert_int_eq(experiment_cell(o.r, 1, 0)->verdict, VERDICT_NO_DIFFERENCE);
	ck_assert_uint_eq(o.r->outliers, 0);
	leave(&o);
}
END_TEST

static double zero_reference(size_t candidate, unsigned round, bool again)
{
	return candidate == 0 ? 0 : 5 * wobble(candidate, round, again);
}

START_TEST(something_against_zero_is_infinitely_more)
{
	struct outcome o;

	perform(&o, zero_reference, 2, ROUNDS);
	ck_assert(isinf(experiment_cell(o.r, 1, 0)->ratio));
	ck_assert_int_eq(experiment_cell(o.r, 1, 0)->verdict, VERDICT_WORSE);
	ck_assert_int_eq(experiment_cell(o.r, 1, 1)->verdict, VERDICT_BETTER);
	leave(&o);
}
END_TEST

static double zero_now_and_then(size_t candidate, unsigned round, bool again)
{
	return (candidate + round + again) % 2 ? 0 : 10;
}

START_TEST(zeros_on_both_sides_leave_no_verdict)
{
	struct outcome o;

	perform(&o, zero_now_and_then, 2, ROUNDS);
	ck_assert_int_eq(experiment_cell(o.r, 1, 0)->verdict, VERDICT_NO_DIFFERENCE);
	leave(&o);
}
END_TEST

static double negative_or_missing(size_t candidate, unsigned round, bool again)
{
	(void)again;
	return candidate == 0 ? 10 : round % 2 ? -3 : NAN;
}

START_TEST(negative_figures_count_as_missing)
{
	struct outcome o;

	perform(&o, negative_or_missing, 2, ROUNDS);
	ck_assert_int_eq(experiment_cell(o.r, 1, 0)->verdict, VERDICT_NOT_MEASURED);
	ck_assert_uint_eq(experiment_cell(o.r, 1, 0)->values, 0);
	ck_assert(isnan(experiment_cell(o.r, 1, 0)->ratio));
	leave(&o);
}
END_TEST

static double some_missing(size_t candidate, unsigned round, bool again)
{
	if (candidate == 1 && round % 3 == 0)
		return NAN;
	return half(candidate, round, again);
}

START_TEST(missing_figures_cost_pairs)
{
	struct outcome o;

	perform(&o, some_missing, 2, ROUNDS);
	ck_assert_uint_eq(experiment_cell(o.r, 1, 0)->pairs, 8);
	ck_assert_int_eq(experiment_cell(o.r, 1, 0)->verdict, VERDICT_BETTER);
	leave(&o);
	perform(&o, some_missing, 2, 7);
	ck_assert_int_eq(experiment_cell(o.r, 1, 0)->verdict, VERDICT_TOO_FEW);
	ck_assert(!experiment_cell(o.r, 1, 0)->interval);
	ck_assert_double_eq_tol(experiment_cell(o.r, 1, 0)->ratio, 0.5, 0.01);
	leave(&o);
}
END_TEST

static double fails_once(size_t candidate, unsigned round, bool again)
{
	return candidate == 1 && round == 4 ? FAILS : half(candidate, round, again);
}

START_TEST(who_fails_is_not_faster)
{
	struct outcome o;

	perform(&o, fails_once, 3, ROUNDS);
	ck_assert_int_eq(experiment_cell(o.r, 1, 0)->verdict, VERDICT_FAILED);
	ck_assert_uint_eq(experiment_cell(o.r, 1, 0)->pairs, ROUNDS - 1);
	ck_assert_uint_eq(experiment_best(o.e, o.r, 0), 0);
	ck_assert_int_eq(experiment_cell(o.r, 2, 0)->verdict, VERDICT_NO_DIFFERENCE);
	leave(&o);
}
END_TEST

static double one_hiccup(size_t candidate, unsigned round, bool again)
{
	double value = half(candidate, 0, again) * (1 + 0.002 * round);

	return candidate == 1 && round == 7 ? value * 20 : value;
}

START_TEST(unusual_runs_are_named_and_stay)
{
	struct outcome o;

	perform(&o, one_hiccup, 2, ROUNDS);
	ck_assert_uint_eq(o.r->outliers, 2); /* one a metric */
	ck_assert_uint_eq(o.r->outlier[0].slot, 1);
	ck_assert_uint_eq(o.r->outlier[0].round, 7);
	ck_assert_double_eq_tol(o.r->outlier[0].times, 20, 0.5);
	ck_assert_uint_eq(experiment_cell(o.r, 1, 0)->pairs, ROUNDS);
	ck_assert_int_eq(experiment_cell(o.r, 1, 0)->verdict, VERDICT_BETTER);
	leave(&o);
}
END_TEST

/* Seven of nine pairs say faster, the other two hardly the contrary: enough for one candidate, not
 * for the best of seven. */
static double mostly(size_t candidate, unsigned round, bool again)
{
	double base = 100 * wobble(0, round, again);

	if (candidate == 0)
		return base;
	return round < 2 ? base * (1.002 + 0.001 * round) : base * (0.97 - 0.001 * round);
}

START_TEST(many_candidates_need_more_evidence)
{
	struct outcome few, many;

	perform(&few, mostly, 2, 9);
	perform(&many, mostly, 8, 9);
	ck_assert_double_le(experiment_cell(few.r, 1, 0)->p_adjusted, 0.05);
	ck_assert_double_gt(experiment_cell(many.r, 1, 0)->p_adjusted, 0.05);
	ck_assert_int_eq(experiment_cell(many.r, 1, 0)->verdict, VERDICT_NO_DIFFERENCE);
	leave(&few);
	leave(&many);
	/* With a round less, not even eight of eight would do. */
	perform(&many, mostly, 8, 8);
	ck_assert_int_eq(experiment_cell(many.r, 1, 0)->verdict, VERDICT_TOO_FEW);
	leave(&many);
}
END_TEST

Suite *experiment_verdicts_suite(void)
{
	Suite *suite = suite_create("experiment verdicts");
	TCase *tests = tcase_create("verdicts");

	tcase_add_test(tests, better_and_worse_follow_the_direction);
	tcase_add_test(tests, rounds_may_differ);
	tcase_add_test(tests, nothing_below_the_threshold);
	tcase_add_test(tests, nothing_below_the_noise_floor);
	tcase_add_test(tests, zeros_are_the_same);
	tcase_add_test(tests, something_against_zero_is_infinitely_more);
	tcase_add_test(tests, zeros_on_both_sides_leave_no_verdict);
	tcase_add_test(tests, negative_figures_count_as_missing);
	tcase_add_test(tests, missing_figures_cost_pairs);
	tcase_add_test(tests, who_fails_is_not_faster);
	tcase_add_test(tests, unusual_runs_are_named_and_stay);
	tcase_add_test(tests, many_candidates_need_more_evidence);
	suite_add_tcase(suite, tests);
	return suite;
}
