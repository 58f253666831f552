#include "tests/unit/policies_check.h"
#include "tests/unit/policies_fake.h"

#include <errno.h>

/* A wait for a lock that is never given, with every look at the clock taking 1 us. */
static void begin_hopeless(int policy, int64_t deadline_ns, bool can_block)
{
	fake_begin(policy_registry[policy], 4);
	fake.step_ns = 1000;
	fake.word = 1;
	fake.block_result = ETIMEDOUT;
	fake_deadline(deadline_ns);
	if (!can_block)
		fake.wait.block = NULL;
}

START_TEST(deadlines_end_every_wait)
{
	begin_hopeless(_i, 20000000, true);
	fake_wait();
	ck_assert_int_eq(fake.wait.result, ETIMEDOUT);
	ck_assert_uint_eq(fake.wait.tries, 0);
}
END_TEST

START_TEST(deadlines_end_waits_that_cannot_block)
{
	begin_hopeless(_i, 20000000, false);
	fake_wait();
	ck_assert_int_eq(fake.wait.result, ETIMEDOUT);
	ck_assert_uint_eq(fake.wait.blocks, 0);
}
END_TEST

START_TEST(deadlines_in_the_past_end_waits_soon)
{
	begin_hopeless(_i, -1, true);
	fake.wait.clock = CLOCK_REALTIME;
	fake_wait();
	ck_assert_int_eq(fake.wait.result, ETIMEDOUT);
	ck_assert_uint_eq(fake.wait.yields + fake.wait.sleeps, 0);
	begin_hopeless(_i, 0, false);
	fake.deadline = (struct timespec){.tv_sec = INT64_MIN};
	fake_wait();
	ck_assert_int_eq(fake.wait.result, ETIMEDOUT);
	ck_assert_uint_eq(fake.wait.yields + fake.wait.sleeps, 0);
}
END_TEST

/* The largest time there is stands for "never", and must not wrap into the past. */
START_TEST(deadlines_far_away_do_not_end_waits)
{
	fake_begin(policy_registry[_i], 4);
	fake.word = 1;
	fake.free_after = 20;
	fake.deadline = (struct timespec){.tv_sec = INT64_MAX, .tv_nsec = 999999999};
	fake.wait.deadline = &fake.deadline;
	if (fake.policy == policy_find("spin"))
		fake.word = 0;
	fake.busy_tries = 20;
	fake.wait.block = NULL;
	fake.step_ns = 1000;
	fake_wait();
	ck_assert_int_eq(fake.wait.result, 0);
}
END_TEST

START_TEST(deadlines_are_looked_at_every_64_pauses)
{
	begin_hopeless(0, -1, true);
	for (int i = 0; i < 63; i++) {
		wait_pause(&fake.wait);
		ck_assert(!wait_try(&fake.wait));
	}
	wait_pause(&fake.wait);
	ck_assert(wait_try(&fake.wait));
	ck_assert_int_eq(fake.wait.result, ETIMEDOUT);
}
END_TEST

START_TEST(a_lock_free_at_the_deadline_is_taken)
{
	begin_hopeless(0, 1000, true);
	wait_sleep(&fake.wait, 10000);
	wait_yield(&fake.wait);
	ck_assert(fake.wait.expired);
	fake.word = 0;
	ck_assert(wait_try(&fake.wait));
	ck_assert_int_eq(fake.wait.result, 0);
}
END_TEST

START_TEST(sleeps_are_cut_to_the_deadline)
{
	begin_hopeless(0, 70000, false);
	fake.step_ns = 0;
	wait_sleep(&fake.wait, 50000);
	wait_sleep(&fake.wait, 50000);
	wait_sleep(&fake.wait, 50000);
	ck_assert_uint_eq(fake.sleeps, 2);
	ck_assert_uint_eq(fake.slept_ns[1], 20000);
	ck_assert(fake.wait.expired);
	ck_assert_uint_eq(fake.wait.parked_ticks, 70000);
}
END_TEST

START_TEST(errors_of_a_try_end_the_wait)
{
	fake_begin(policy_registry[_i], 4);
	fake.busy_tries = 40;
	fake.try_result = fake.block_result = EOWNERDEAD;
	fake_wait();
	ck_assert_int_eq(fake.wait.result, EOWNERDEAD);
}
END_TEST

START_TEST(errors_of_blocking_end_the_wait)
{
	fake_begin(policy_registry[_i], 1);
	fake.word = 1;
	fake.block_result = EDEADLK;
	fake.wait.must_block = true;
	fake_wait();
	ck_assert_int_eq(fake.wait.result, EDEADLK);
	ck_assert_uint_eq(fake.wait.blocks, 1);
	ck_assert_uint_eq(fake.wait.pauses + fake.wait.yields + fake.wait.sleeps, 0);
}
END_TEST

/* A readers' count in the low bits, a writer's bit above: free for a reader, not for a writer. */
START_TEST(masks_and_inversion_decide_what_looks_free)
{
	fake_begin(policy_registry[0], 4);
	fake.word = 3;
	fake.wait.mask = 0x80000000u;
	ck_assert(wait_try(&fake.wait));
	fake.wait.mask = ~0u;
	ck_assert(!wait_try(&fake.wait));
	fake.wait.inverted = true;
	ck_assert(wait_try(&fake.wait));
	fake.wait.free = 3;
	ck_assert(!wait_try(&fake.wait));
	ck_assert_uint_eq(wait_peek(&fake.wait), 3);
	ck_assert_uint_eq(fake.wait.tries, 2);
}
END_TEST

START_TEST(everything_is_counted)
{
	fake_begin(policy_registry[0], 4);
	fake.yield_ns = 700;
	wait_pause(&fake.wait);
	ck_assert_int_eq(fake.wait.stage, STAGE_SPIN);
	wait_yield(&fake.wait);
	wait_yield(&fake.wait);
	ck_assert_int_eq(fake.wait.stage, STAGE_YIELD);
	wait_sleep(&fake.wait, 1500000000);
	ck_assert_int_eq(fake.wait.stage, STAGE_SLEEP);
	wait_block(&fake.wait);
	ck_assert_int_eq(fake.wait.stage, STAGE_BLOCK);
	ck_assert_uint_eq(fake.wait.pauses, 1);
	ck_assert_uint_eq(fake.wait.yields, 2);
	ck_assert_uint_eq(fake.wait.sleeps, 1);
	ck_assert_uint_eq(fake.wait.blocks, 1);
	ck_assert_uint_eq(fake.wait.yielded_ticks, 1400);
	ck_assert_uint_eq(fake.wait.parked_ticks, 1500000000);
}
END_TEST

int main(void)
{
	TCase *tests = tcase_create("wait");

	add_for_each_policy(tests, deadlines_end_every_wait);
	add_for_each_policy(tests, deadlines_end_waits_that_cannot_block);
	add_for_each_policy(tests, deadlines_in_the_past_end_waits_soon);
	add_for_each_policy(tests, deadlines_far_away_do_not_end_waits);
	tcase_add_test(tests, deadlines_are_looked_at_every_64_pauses);
	tcase_add_test(tests, a_lock_free_at_the_deadline_is_taken);
	tcase_add_test(tests, sleeps_are_cut_to_the_deadline);
	add_for_each_policy(tests, errors_of_a_try_end_the_wait);
	add_for_each_policy(tests, errors_of_blocking_end_the_wait);
	tcase_add_test(tests, masks_and_inversion_decide_what_looks_free);
	tcase_add_test(tests, everything_is_counted);
	return run_tests(tests);
}
