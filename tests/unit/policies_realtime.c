#include "tests/unit/policies_check.h"
#include "tests/unit/policies_fake.h"

#include <sched.h>

/* Answers of sched_getscheduler, and whether a thread that gets them may spin on. */
static const struct {
	long scheduler;
	bool real_time;
} schedulers[] = {
	{SCHED_OTHER, false},
	{SCHED_BATCH, false},
	{SCHED_IDLE, false},
	{SCHED_OTHER | SCHED_RESET_ON_FORK, false},
	{-1, false},
	{SCHED_FIFO, true},
	{SCHED_RR, true},
	{SCHED_DEADLINE, true},
	{SCHED_FIFO | SCHED_RESET_ON_FORK, true},
};
#define SCHEDULERS (int)(sizeof(schedulers) / sizeof(schedulers[0]))

START_TEST(real_time_threads_block_before_they_yield)
{
	fake_begin(policy_find("spin-yield"), 4);
	fake.scheduler = schedulers[_i].scheduler;
	fake.busy_tries = 300;
	fake_wait();
	ck_assert_int_eq(fake.wait.result, 0);
	ck_assert_uint_eq(fake.scheduler_calls, 1);
	ck_assert_str_eq(fake.steps, schedulers[_i].real_time ? "255p" : "255p 45y");
	ck_assert_uint_eq(fake.wait.blocks, schedulers[_i].real_time ? 1 : 0);
}
END_TEST

START_TEST(real_time_threads_block_after_256_pauses)
{
	fake_begin(policy_find("spin"), 4);
	fake.scheduler = schedulers[_i].scheduler;
	fake.busy_tries = 3000;
	fake_wait();
	ck_assert_uint_eq(fake.scheduler_calls, 1);
	ck_assert_str_eq(fake.steps, schedulers[_i].real_time ? "256p" : "3000p");
	ck_assert_uint_eq(fake.wait.blocks, schedulers[_i].real_time ? 1 : 0);
}
END_TEST

static long told_fifo(void)
{
	return SCHED_FIFO;
}

/* Where the library has an answer, the kernel is not asked: a filter may have the process killed.
 */
START_TEST(who_knows_the_scheduler_is_asked)
{
	fake_begin(policy_find("spin-yield"), 4);
	fake.wait.scheduler = told_fifo;
	fake.scheduler = SCHED_OTHER;
	fake.busy_tries = 300;
	fake_wait();
	ck_assert_uint_eq(fake.scheduler_calls, 0);
	ck_assert_str_eq(fake.steps, "255p");
	ck_assert_uint_eq(fake.wait.blocks, 1);
}
END_TEST

/* What no thread of real-time priority may do under any policy: spin without end, or yield. */
START_TEST(no_policy_lets_a_real_time_thread_spin_on)
{
	fake_begin(policy_registry[_i], 4);
	fake.scheduler = SCHED_FIFO;
	fake.word = 1;
	fake.free_after = 40;
	fake_wait();
	ck_assert_int_eq(fake.wait.result, 0);
	ck_assert_uint_le(fake.wait.pauses, 256);
	ck_assert_uint_eq(fake.wait.yields, 0);
	ck_assert_uint_gt(fake.wait.blocks + fake.wait.sleeps, 0);
}
END_TEST

START_TEST(a_lock_that_cannot_block_sleeps_50_us)
{
	fake_begin(policy_find("spin-yield"), 4);
	fake.scheduler = SCHED_RR;
	fake.wait.block = NULL;
	fake.word = 1;
	fake.free_after = 5;
	fake_wait();
	ck_assert_str_eq(fake.steps, "255p 5s");
	for (unsigned i = 0; i < 5; i++)
		ck_assert_uint_eq(fake.slept_ns[i], 50000);
}
END_TEST

START_TEST(one_cpu_is_not_spun_on)
{
	fake_begin(policy_find("spin"), 1);
	fake.busy_tries = 3000;
	fake_wait();
	ck_assert_str_eq(fake.steps, "256p");
	ck_assert_uint_eq(fake.wait.blocks, 1);
	fake_begin(policy_find("spin"), 1);
	fake.wait.block = NULL;
	fake.word = 1;
	fake.free_after = 2;
	fake_wait();
	ck_assert_str_eq(fake.steps, "256p 2s");
}
END_TEST

int main(void)
{
	TCase *tests = tcase_create("real-time");

	tcase_add_loop_test(tests, real_time_threads_block_before_they_yield, 0, SCHEDULERS);
	tcase_add_loop_test(tests, real_time_threads_block_after_256_pauses, 0, SCHEDULERS);
	tcase_add_test(tests, who_knows_the_scheduler_is_asked);
	add_for_each_policy(tests, no_policy_lets_a_real_time_thread_spin_on);
	tcase_add_test(tests, a_lock_that_cannot_block_sleeps_50_us);
	tcase_add_test(tests, one_cpu_is_not_spun_on);
	return run_tests(tests);
}
