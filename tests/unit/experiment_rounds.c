/* What is run, in which order, and what becomes of failures and interruptions. */
#include "tests/unit/experiment_synthetic.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Notes what was asked for; candidates fail and the whole is interrupted as told. */
struct script {
	size_t seen[1024];
	size_t calls, starts, rounds_done;
	struct experiment_progress last;
	bool (*fails)(size_t candidate, size_t call);
	size_t interrupt_at; /* call, from 1; 0: never */
};

static void measure(void *context, size_t candidate, struct experiment_run *run)
{
	struct script *s = context;

	s->seen[s->calls++] = candidate;
	ck_assert_int_eq(run->outcome, RUN_DONE);
	ck_assert(isnan(run->value[0]));
	run->value[0] = 100 + (double)s->calls;
	if (s->calls == s->interrupt_at) {
		run->outcome = RUN_INTERRUPTED;
	} else if (s->fails && s->fails(candidate, s->calls)) {
		run->outcome = RUN_FAILED;
		snprintf(run->failure, sizeof(run->failure), "exit status %zu", candidate);
	}
}

static void starting(void *context, const struct experiment_progress *progress)
{
	struct script *s = context;

	s->starts++;
	s->last = *progress;
}

static void round_done(void *context, const struct experiment *e)
{
	struct script *s = context;

	s->rounds_done++;
	ck_assert_uint_eq(experiment_rounds(e), s->rounds_done);
}

static struct experiment *perform(struct experiment_plan *plan, struct script *script)
{
	struct experiment_hooks hooks = {script, measure, starting, round_done};
	struct experiment *e = experiment_new(plan);

	experiment_run(e, &hooks);
	return e;
}

START_TEST(every_slot_once_a_round)
{
	struct experiment_plan plan = synthetic_plan(3, 1, 7);
	struct script script = {.interrupt_at = 0};
	struct experiment *e;

	plan.warmup = 2;
	e = perform(&plan, &script);
	ck_assert_uint_eq(script.calls, 9 * 4);
	ck_assert_uint_eq(script.starts, 9 * 4);
	ck_assert_uint_eq(script.rounds_done, 7);
	ck_assert_uint_eq(script.last.run, 36);
	ck_assert_uint_eq(script.last.runs, 36);
	ck_assert_uint_eq(script.last.round, 7);
	for (size_t round = 0; round < 9; round++) {
		unsigned count[3] = {0};

		for (size_t i = 0; i < 4; i++)
			count[script.seen[round * 4 + i]]++;
		ck_assert_uint_eq(count[0], 2); /* the reference and its control */
		ck_assert_uint_eq(count[1], 1);
		ck_assert_uint_eq(count[2], 1);
	}
	for (size_t slot = 0; slot < 4; slot++)
		ck_assert_uint_eq(experiment_tried(e, slot), 7);
	ck_assert_str_eq(experiment_name(e, 3), "a again");
	experiment_free(e);
}
END_TEST

START_TEST(order_follows_the_seed)
{
	struct experiment_plan plan = synthetic_plan(5, 1, 4);
	struct script one = {.interrupt_at = 0}, two = one, three = one;

	experiment_free(perform(&plan, &one));
	experiment_free(perform(&plan, &two));
	plan.seed++;
	experiment_free(perform(&plan, &three));
	ck_assert_mem_eq(one.seen, two.seen, sizeof(one.seen));
	ck_assert_mem_ne(one.seen, three.seen, sizeof(one.seen));
}
END_TEST

static bool third_fails(size_t candidate, size_t call)
{
	(void)call;
	return candidate == 2;
}

START_TEST(a_failing_candidate_is_given_up_and_the_rest_goes_on)
{
	struct experiment_plan plan = synthetic_plan(3, 1, 10);
	struct script script = {.fails = third_fails};
	struct experiment *e = perform(&plan, &script);

	ck_assert_uint_eq(experiment_tried(e, 2), EXPERIMENT_GIVE_UP);
	ck_assert_uint_eq(experiment_failed(e, 2), EXPERIMENT_GIVE_UP);
	ck_assert(experiment_given_up(e, 2));
	ck_assert_str_eq(experiment_failure(e, 2), "exit status 2");
	ck_assert_uint_eq(experiment_tried(e, 0), 10);
	ck_assert_uint_eq(experiment_tried(e, 1), 10);
	ck_assert_ptr_null(experiment_failure(e, 1));
	ck_assert_uint_eq(script.calls, 10 * 4 - (10 - EXPERIMENT_GIVE_UP));
	experiment_free(e);
}
END_TEST

static bool reference_fails(size_t candidate, size_t call)
{
	(void)call;
	return candidate == 0;
}

START_TEST(without_a_reference_it_ends)
{
	struct experiment_plan plan = synthetic_plan(2, 1, 10);
	struct script script = {.fails = reference_fails};
	struct experiment *e = perform(&plan, &script);

	ck_assert(experiment_given_up(e, 0));
	ck_assert_uint_eq(experiment_rounds(e), EXPERIMENT_GIVE_UP);
	experiment_free(e);
}
END_TEST

static bool every_other_fails(size_t candidate, size_t call)
{
	return candidate == 1 && call % 2 == 0;
}

START_TEST(failures_now_and_then_are_no_reason_to_give_up)
{
	struct experiment_plan plan = synthetic_plan(2, 1, 30);
	struct script script = {.fails = every_other_fails};
	struct experiment *e;

	plan.seed = 5;
	e = perform(&plan, &script);
	ck_assert_uint_gt(experiment_failed(e, 1), 0);
	if (!experiment_given_up(e, 1))
		ck_assert_uint_eq(experiment_tried(e, 1), 30);
	experiment_free(e);
}
END_TEST

START_TEST(interruption_keeps_what_is_there)
{
	struct experiment_plan plan = synthetic_plan(2, 1, 10);
	struct script script = {.interrupt_at = 3 * 7 + 2};
	struct experiment *e = perform(&plan, &script);
	struct experiment_results *r = experiment_evaluate(e);
	unsigned done = 0;

	ck_assert(experiment_interrupted(e));
	ck_assert_uint_eq(experiment_rounds(e), 8);
	for (size_t slot = 0; slot < 3; slot++)
		done += experiment_tried(e, slot);
	ck_assert_uint_eq(done, 3 * 7 + 1);
	ck_assert_uint_eq(script.rounds_done, 8);
	ck_assert(experiment_cell(r, 1, 0)->interval);
	ck_assert_uint_ge(experiment_cell(r, 1, 0)->pairs, 7);
	experiment_results_free(r);
	experiment_free(e);
}
END_TEST

START_TEST(interrupted_before_anything_was_done)
{
	struct experiment_plan plan = synthetic_plan(2, 2, 10);
	struct script script = {.interrupt_at = 1};
	struct experiment *e;
	struct experiment_results *r;

	plan.warmup = (unsigned)_i;
	e = perform(&plan, &script);
	r = experiment_evaluate(e);
	ck_assert(experiment_interrupted(e));
	ck_assert_uint_eq(experiment_rounds(e), 0);
	ck_assert_int_eq(experiment_cell(r, 1, 0)->verdict, VERDICT_NOT_MEASURED);
	experiment_results_free(r);
	experiment_free(e);
}
END_TEST

START_TEST(rounds_needed)
{
	ck_assert_uint_eq(experiment_rounds_needed(2, 1), 6);
	ck_assert_uint_eq(experiment_rounds_needed(3, 1), 7);
	ck_assert_uint_eq(experiment_rounds_needed(11, 2), 9);
	ck_assert_uint_eq(experiment_rounds_needed(2, 8), 9);
	ck_assert_uint_eq(experiment_rounds_needed(6, 8), 11);
	ck_assert_uint_le(
		experiment_rounds_needed(EXPERIMENT_CANDIDATES_MAX, 1), EXPERIMENT_ROUNDS_DEFAULT);
}
END_TEST

Suite *experiment_rounds_suite(void)
{
	Suite *suite = suite_create("experiment rounds");
	TCase *tests = tcase_create("rounds");

	tcase_add_test(tests, every_slot_once_a_round);
	tcase_add_test(tests, order_follows_the_seed);
	tcase_add_test(tests, a_failing_candidate_is_given_up_and_the_rest_goes_on);
	tcase_add_test(tests, without_a_reference_it_ends);
	tcase_add_test(tests, failures_now_and_then_are_no_reason_to_give_up);
	tcase_add_test(tests, interruption_keeps_what_is_there);
	tcase_add_loop_test(tests, interrupted_before_anything_was_done, 0, 2);
	tcase_add_test(tests, rounds_needed);
	suite_add_tcase(suite, tests);
	return suite;
}
