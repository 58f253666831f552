#include "tests/unit/policies_check.h"
#include "tests/unit/policies_fake.h"

#include <string.h>

/* Waits on a lock that is taken for `busy` tests, on `cpus` CPUs. */
static void wait_busy(const char *policy, unsigned cpus, unsigned busy)
{
	fake_begin(policy_find(policy), cpus);
	fake.busy_tries = busy;
	fake_wait();
	ck_assert_int_eq(fake.wait.result, 0);
}

/* The same with one tunable changed. */
static void wait_tuned(
	const char *policy, enum tunable_id id, uint64_t value, unsigned cpus, unsigned busy)
{
	fake_begin(policy_find(policy), cpus);
	tunable_set(&fake.tunables, id, value);
	fake.busy_tries = busy;
	fake_wait();
	ck_assert_int_eq(fake.wait.result, 0);
}

START_TEST(native_blocks_at_once)
{
	wait_busy("native", 4, 1000);
	ck_assert_uint_eq(fake.wait.tries, 0);
	ck_assert_uint_eq(fake.wait.blocks, 1);
	ck_assert_int_eq(fake.wait.stage, STAGE_BLOCK);
	ck_assert_str_eq(fake.steps, "");
}
END_TEST

START_TEST(native_sleeps_where_it_cannot_block)
{
	static const unsigned expected_us[] = {50, 100, 200, 400, 800, 1000, 1000};
	const unsigned count = sizeof(expected_us) / sizeof(expected_us[0]);

	fake_begin(policy_find("native"), 4);
	fake.wait.block = NULL;
	fake.word = 1;
	fake.free_after = count;
	fake_wait();
	ck_assert_int_eq(fake.wait.result, 0);
	ck_assert_uint_eq(fake.sleeps, count);
	for (unsigned i = 0; i < count; i++)
		ck_assert_uint_eq(fake.slept_ns[i], expected_us[i] * 1000);
	ck_assert_int_eq(fake.wait.stage, STAGE_SLEEP);
}
END_TEST

/* Eight rounds of 4096 tests: six end in a yield, the others in a sleep of 1 ms. */
START_TEST(spin_sleep_refills_its_spins)
{
	char expected[256] = "";

	for (int round = 0; round < 8; round++)
		strcat(expected, round < 6 ? "4095p 1y " : "4095p 1s ");
	strcat(expected, "1p");
	wait_busy("spin-sleep", 4, 8 * 4096 + 1);
	ck_assert_str_eq(fake.steps, expected);
	ck_assert_uint_eq(fake.slept_ns[0], 1000000);
	ck_assert_uint_eq(fake.slept_ns[1], 1000000);
}
END_TEST

START_TEST(spin_sleep_never_spins_on_one_cpu)
{
	wait_busy("spin-sleep", 1, 20);
	ck_assert_str_eq(fake.steps, "6y 14s");
}
END_TEST

START_TEST(spin_yield_spends_its_spins_once)
{
	wait_tuned("spin-yield", TUNE_SPINS, 15, 4, 1000);
	ck_assert_str_eq(fake.steps, "15p 985y");
	ck_assert_int_eq(fake.wait.stage, STAGE_YIELD);
	wait_busy("spin-yield", 4, 1000);
	ck_assert_str_eq(fake.steps, "255p 745y");
	wait_busy("spin-yield", 4, 255);
	ck_assert_str_eq(fake.steps, "255p");
	ck_assert_int_eq(fake.wait.stage, STAGE_SPIN);
	wait_busy("spin-yield", 4, 0);
	ck_assert_int_eq(fake.wait.stage, STAGE_FIRST);
}
END_TEST

START_TEST(spin_yield_only_yields)
{
	wait_tuned("spin-yield", TUNE_SPINS, 0, 4, 100);
	ck_assert_str_eq(fake.steps, "100y");
	wait_busy("spin-yield", 1, 100);
	ck_assert_str_eq(fake.steps, "100y");
}
END_TEST

START_TEST(spin_yield_keeps_its_spins_while_urgent)
{
	fake_begin(policy_find("spin-yield"), 4);
	tunable_set(&fake.tunables, TUNE_SPINS, 15);
	fake.busy_tries = 30;
	fake.urgent = 1;
	fake.calm_after = 3;
	fake_wait();
	ck_assert_str_eq(fake.steps, "3y 15p 12y");
}
END_TEST

START_TEST(spin_yield_sleep_goes_round)
{
	wait_busy("spin-yield-sleep", 4, 255 + 10);
	ck_assert_str_eq(fake.steps, "255p 3y 1s 3y 1s 2y");
	ck_assert_uint_eq(fake.slept_ns[0], 100000);
	wait_tuned("spin-yield-sleep", TUNE_YIELDS, 1, 1, 5);
	ck_assert_str_eq(fake.steps, "1y 1s 1y 1s 1y");
	wait_tuned("spin-yield-sleep", TUNE_SLEEP, 7000, 1, 4);
	ck_assert_uint_eq(fake.slept_ns[0], 7000);
}
END_TEST

START_TEST(spin_only_pauses)
{
	wait_busy("spin", 4, 100000);
	ck_assert_str_eq(fake.steps, "100000p");
	ck_assert_uint_eq(fake.wait.blocks, 0);
}
END_TEST

START_TEST(spin_park_blocks_after_its_spins)
{
	wait_busy("spin-park", 4, 100);
	ck_assert_str_eq(fake.steps, "100p");
	ck_assert_uint_eq(fake.wait.blocks, 0);
	wait_busy("spin-park", 4, 101);
	ck_assert_str_eq(fake.steps, "100p");
	ck_assert_uint_eq(fake.wait.blocks, 1);
	ck_assert_int_eq(fake.wait.stage, STAGE_BLOCK);
	wait_busy("spin-park", 1, 101);
	ck_assert_str_eq(fake.steps, "");
	ck_assert_uint_eq(fake.wait.blocks, 1);
}
END_TEST

START_TEST(spin_park_sleeps_where_it_cannot_block)
{
	fake_begin(policy_find("spin-park"), 4);
	fake.wait.block = NULL;
	fake.busy_tries = 100 + 3;
	fake_wait();
	ck_assert_str_eq(fake.steps, "100p 2s");
	ck_assert_uint_eq(fake.slept_ns[0], 50000);
	ck_assert_uint_eq(fake.slept_ns[1], 100000);
}
END_TEST

static void wait_backing_off(uint64_t spins, unsigned cpus, unsigned busy, const char *expected)
{
	fake_begin(policy_find("backoff"), cpus);
	tunable_set(&fake.tunables, TUNE_SPINS, spins);
	fake.each_test = true;
	fake.busy_tries = busy;
	fake_wait();
	ck_assert_str_eq(fake.steps, expected);
}

START_TEST(backoff_doubles_up_to_its_limit)
{
	wait_backing_off(256, 4, 11, "1p 2p 4p 8p 16p 32p 64p 128p 256p 1y 256p 1y 256p 1y");
	wait_backing_off(20, 4, 7, "1p 2p 4p 8p 16p 20p 1y 20p 1y");
	wait_backing_off(1, 4, 2, "1p 1y 1p 1y");
	wait_backing_off(0, 4, 2, "1y 1y");
	wait_backing_off(256, 1, 2, "1y 1y");
}
END_TEST

/* With the flag up no policy pauses. Those that end in blocking do so at once. */
START_TEST(urgent_stops_the_spinning)
{
	fake_begin(policy_registry[_i], 4);
	fake.urgent = 1;
	fake.busy_tries = 12;
	fake_wait();
	ck_assert_int_eq(fake.wait.result, 0);
	ck_assert_uint_eq(fake.wait.pauses, 0);
	ck_assert_uint_eq(fake.wait.blocks + fake.wait.yields + fake.wait.sleeps,
		fake.wait.blocks > 0 ? 1 : 12);
}
END_TEST

/* A run of pauses under way when the flag goes up is cut short, and the flag may be absent. */
START_TEST(runs_of_pauses_end_early)
{
	fake_begin(policy_find("backoff"), 4);
	wait_pauses(&fake.wait, 100);
	ck_assert_uint_eq(fake.wait.pauses, 100);
	fake.urgent = 1;
	wait_pauses(&fake.wait, 100);
	ck_assert_uint_eq(fake.wait.pauses, 100);
	fake.wait.urgent = NULL;
	wait_pauses(&fake.wait, 1);
	ck_assert_uint_eq(fake.wait.pauses, 101);
	fake.wait.expired = true;
	wait_pauses(&fake.wait, 1000000000);
	fake.wait.expired = false;
	fake.wait.must_block = true;
	wait_pauses(&fake.wait, 1000000000);
	ck_assert_uint_eq(fake.wait.pauses, 101);
}
END_TEST

int main(void)
{
	TCase *tests = tcase_create("algorithms");

	tcase_add_test(tests, native_blocks_at_once);
	tcase_add_test(tests, native_sleeps_where_it_cannot_block);
	tcase_add_test(tests, spin_sleep_refills_its_spins);
	tcase_add_test(tests, spin_sleep_never_spins_on_one_cpu);
	tcase_add_test(tests, spin_yield_spends_its_spins_once);
	tcase_add_test(tests, spin_yield_only_yields);
	tcase_add_test(tests, spin_yield_keeps_its_spins_while_urgent);
	tcase_add_test(tests, spin_yield_sleep_goes_round);
	tcase_add_test(tests, spin_only_pauses);
	tcase_add_test(tests, spin_park_blocks_after_its_spins);
	tcase_add_test(tests, spin_park_sleeps_where_it_cannot_block);
	tcase_add_test(tests, backoff_doubles_up_to_its_limit);
	add_for_each_policy(tests, urgent_stops_the_spinning);
	tcase_add_test(tests, runs_of_pauses_end_early);
	return run_tests(tests);
}
