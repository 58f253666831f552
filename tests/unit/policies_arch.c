#include "tests/unit/policies_check.h"

START_TEST(hints_round_trip)
{
	enum arch_hint parsed = HINT_COUNT;

	ck_assert(arch_hint_parse(arch_hint_name((enum arch_hint)_i), &parsed));
	ck_assert_int_eq(parsed, _i);
}
END_TEST

START_TEST(other_names_are_no_hints)
{
	static const char *const names[] = {"", "Pause", "pause ", "unknown", "halt"};
	enum arch_hint parsed = HINT_ISB;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		ck_assert_msg(!arch_hint_parse(names[i], &parsed), "'%s' was taken", names[i]);
	ck_assert_int_eq(parsed, HINT_ISB);
	ck_assert_str_eq(arch_hint_name(HINT_COUNT), "unknown");
}
END_TEST

START_TEST(some_hints_are_everywhere)
{
	ck_assert(arch_hint_available(HINT_DEFAULT));
	ck_assert(arch_hint_available(HINT_NONE));
	ck_assert(!arch_hint_available(HINT_COUNT));
#if defined(__x86_64__)
	ck_assert(arch_hint_available(HINT_PAUSE));
	ck_assert(!arch_hint_available(HINT_ISB));
#elif defined(__aarch64__)
	ck_assert(arch_hint_available(HINT_ISB));
	ck_assert(!arch_hint_available(HINT_PAUSE));
#endif
}
END_TEST

/* A hint this processor lacks must not trap: a configuration may have been written elsewhere. */
START_TEST(every_hint_can_be_executed)
{
	arch_pause((enum arch_hint)_i, 1);
	arch_pause((enum arch_hint)_i, 99);
}
END_TEST

START_TEST(clock_is_chosen_once)
{
	enum arch_clock chosen = arch_clock_init();

	ck_assert_int_eq(arch_clock_in_use, chosen);
	ck_assert_int_eq(arch_clock_init(), chosen);
	ck_assert_str_ne(arch_clock_name(chosen), "unknown");
#if defined(__x86_64__)
	ck_assert_int_ne(chosen, CLOCK_IS_CNTVCT);
#elif defined(__aarch64__)
	ck_assert_int_eq(chosen, CLOCK_IS_CNTVCT);
#else
	ck_assert_int_eq(chosen, CLOCK_IS_MONOTONIC);
#endif
}
END_TEST

START_TEST(ticks_do_not_go_back)
{
	uint64_t before, now;

	arch_clock_init();
	before = arch_ticks();
	for (int i = 0; i < 100000; i++) {
		now = arch_ticks();
		ck_assert_uint_ge(now, before);
		before = now;
	}
	arch_pause(HINT_DEFAULT, 1000);
	ck_assert_uint_gt(arch_ticks(), before);
}
END_TEST

START_TEST(ticks_go_on_without_the_counter)
{
	enum arch_clock chosen = arch_clock_init();
	uint64_t first = arch_ticks(), before = first, now;

#if defined(__x86_64__)
	ck_assert(arch_clock_forbid());
#endif
	ck_assert(!arch_clock_forbid());
	ck_assert_int_eq(arch_clock_init(), chosen == CLOCK_IS_TSC ? CLOCK_IS_CONVERTED : chosen);
	for (int i = 0; i < 100000; i++) {
		now = arch_ticks();
		ck_assert_uint_ge(now, before);
		before = now;
	}
	ck_assert_uint_gt(before, first);
}
END_TEST

int main(void)
{
	TCase *tests = tcase_create("arch");

	tcase_add_loop_test(tests, hints_round_trip, 0, HINT_COUNT);
	tcase_add_test(tests, other_names_are_no_hints);
	tcase_add_test(tests, some_hints_are_everywhere);
	tcase_add_loop_test(tests, every_hint_can_be_executed, 0, HINT_COUNT);
	tcase_add_test(tests, clock_is_chosen_once);
	tcase_add_test(tests, ticks_do_not_go_back);
	tcase_add_test(tests, ticks_go_on_without_the_counter);
	return run_tests(tests);
}
