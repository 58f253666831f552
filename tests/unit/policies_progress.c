#include "tests/unit/policies_check.h"
#include "tests/unit/policies_fake.h"

#define STEP_NS 100

/* A lock that does not move until `sleeps` sleeps have gone by. */
static void wait_stuck(unsigned cpus, uint64_t budget_ns, unsigned sleeps)
{
	fake_begin(policy_find("progress"), cpus);
	tunable_set(&fake.tunables, TUNE_BUDGET, budget_ns);
	fake.step_ns = STEP_NS;
	fake.word = 1;
	fake.free_after = sleeps;
	fake_wait();
	ck_assert_int_eq(fake.wait.result, 0);
	ck_assert_uint_eq(fake.wait.sleeps, sleeps);
	ck_assert_uint_eq(fake.wait.yields, 0);
}

/* The clock is read before each pause, so a budget holds one pause less than it has steps. */
START_TEST(budget_follows_the_cpus)
{
	static const struct {
		unsigned cpus;
		uint64_t tuned_ns, budget_ns;
	} cases[] = {
		{1, 0, 0},
		{2, 0, 5000},
		{3, 0, 10000},
		{21, 0, 100000},
		{128, 0, 100000},
		{2, 20000, 20000},
		{1, 20000, 0},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint64_t steps = cases[i].budget_ns / STEP_NS;

		wait_stuck(cases[i].cpus, cases[i].tuned_ns, 1);
		ck_assert_uint_eq(fake.wait.pauses, steps > 0 ? steps - 1 : 0);
	}
}
END_TEST

START_TEST(each_sleep_is_followed_by_a_budget)
{
	wait_stuck(3, 0, 4);
	ck_assert_uint_eq(fake.wait.pauses, 4 * 99);
	for (unsigned i = 0; i < 4; i++)
		ck_assert_uint_eq(fake.slept_ns[i], 10000);
}
END_TEST

/* On one CPU and with a clock that only sleeping moves: 100 sleeps of 10 us make 1 ms. */
START_TEST(old_waits_sleep_longer)
{
	fake_begin(policy_find("progress"), 1);
	fake.word = 1;
	fake.free_after = 103;
	fake_wait();
	for (unsigned i = 0; i < 103; i++)
		ck_assert_uint_eq(fake.slept_ns[i], i < 100 ? 10000 : 1000000);
}
END_TEST

START_TEST(longer_sleeps_stay_as_tuned)
{
	fake_begin(policy_find("progress"), 1);
	tunable_set(&fake.tunables, TUNE_SLEEP, 3000000);
	fake.word = 1;
	fake.free_after = 2;
	fake_wait();
	ck_assert_uint_eq(fake.slept_ns[1], 3000000);
}
END_TEST

/* Tries that fail on a lock that looked free: others are taking it all the time. */
START_TEST(progress_keeps_it_spinning)
{
	fake_begin(policy_find("progress"), 2);
	fake.step_ns = STEP_NS;
	fake.busy_tries = 5000;
	fake_wait();
	ck_assert_str_eq(fake.steps, "5000p");
}
END_TEST

int main(void)
{
	TCase *tests = tcase_create("progress");

	tcase_add_test(tests, budget_follows_the_cpus);
	tcase_add_test(tests, each_sleep_is_followed_by_a_budget);
	tcase_add_test(tests, old_waits_sleep_longer);
	tcase_add_test(tests, longer_sleeps_stay_as_tuned);
	tcase_add_test(tests, progress_keeps_it_spinning);
	return run_tests(tests);
}
