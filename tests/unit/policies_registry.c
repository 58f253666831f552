#include "tests/unit/policies_check.h"

#include <ctype.h>
#include <string.h>

static void expect_text(const char *text, size_t shortest, size_t longest)
{
	ck_assert_ptr_nonnull(text);
	ck_assert_uint_ge(strlen(text), shortest);
	ck_assert_uint_le(strlen(text), longest);
	ck_assert(!isspace((unsigned char)text[0]));
	ck_assert_msg(strstr(text, "  ") == NULL, "two spaces in '%s'", text);
	ck_assert_msg(strchr(text, '\n') == NULL, "a line break in '%s'", text);
}

START_TEST(texts_are_complete)
{
	const struct policy *policy = policy_registry[_i];
	size_t length = strlen(policy->name);

	ck_assert_ptr_nonnull(policy->wait);
	expect_text(policy->name, 1, 24);
	ck_assert_uint_eq(strspn(policy->name, "abcdefghijklmnopqrstuvwxyz-"), length);
	expect_text(policy->summary, 10, 80);
	expect_text(policy->description, 200, 1200);
	expect_text(policy->source, 10, 160);
	ck_assert_int_eq(policy->description[strlen(policy->description) - 1], '.');
	ck_assert_ptr_nonnull(strstr(policy->description, "spinlock"));
}
END_TEST

START_TEST(names_find_their_policy)
{
	ck_assert_ptr_eq(policy_find(policy_registry[_i]->name), policy_registry[_i]);
}
END_TEST

START_TEST(other_names_find_nothing)
{
	ck_assert_ptr_null(policy_find(""));
	ck_assert_ptr_null(policy_find("spin-"));
	ck_assert_ptr_null(policy_find("Spin"));
	ck_assert_ptr_eq(policy_registry[0], policy_find("native"));
}
END_TEST

START_TEST(defaults_are_within_range)
{
	const struct policy *policy = policy_registry[_i];

	ck_assert_uint_eq(policy->uses >> TUNABLE_IDS, 0);
	for (unsigned id = 0; id < TUNABLE_IDS; id++) {
		uint64_t value = tunable_get(&policy->defaults, (enum tunable_id)id);

		if (policy->uses & TUNES(id)) {
			ck_assert_uint_ge(value, tunable_table[id].min);
			ck_assert_uint_le(value, tunable_table[id].max);
		} else {
			ck_assert_uint_eq(value, 0);
		}
	}
}
END_TEST

START_TEST(tunables_are_described)
{
	const struct tunable *tunable = &tunable_table[_i];

	expect_text(tunable->name, 1, 16);
	expect_text(tunable->help, 20, 200);
	ck_assert_uint_lt(tunable->min, tunable->max);
}
END_TEST

/* Setting one changes that one, to the limits of its range, and leaves the others alone. */
START_TEST(tunables_keep_their_value)
{
	const uint64_t values[] = {tunable_table[_i].min, tunable_table[_i].max};

	for (int v = 0; v < 2; v++) {
		struct tunables t = {7, 7, 7, (enum arch_hint)7, 7, 7};

		tunable_set(&t, (enum tunable_id)_i, values[v]);
		for (int id = 0; id < TUNABLE_IDS; id++)
			ck_assert_uint_eq(
				tunable_get(&t, (enum tunable_id)id), id == _i ? values[v] : 7);
	}
}
END_TEST

START_TEST(tunables_are_the_fields_they_name)
{
	const struct tunables t = {
		.spins = 1,
		.yields = 2,
		.sleep_ns = 3,
		.hint = HINT_YIELD,
		.hint_count = 5,
		.budget_ns = 6,
	};

	ck_assert_uint_eq(tunable_get(&t, TUNE_SPINS), 1);
	ck_assert_uint_eq(tunable_get(&t, TUNE_YIELDS), 2);
	ck_assert_uint_eq(tunable_get(&t, TUNE_SLEEP), 3);
	ck_assert_uint_eq(tunable_get(&t, TUNE_HINT), HINT_YIELD);
	ck_assert_uint_eq(tunable_get(&t, TUNE_HINT_COUNT), 5);
	ck_assert_uint_eq(tunable_get(&t, TUNE_BUDGET), 6);
}
END_TEST

int main(void)
{
	TCase *tests = tcase_create("registry");

	add_for_each_policy(tests, texts_are_complete);
	add_for_each_policy(tests, names_find_their_policy);
	tcase_add_test(tests, other_names_find_nothing);
	add_for_each_policy(tests, defaults_are_within_range);
	tcase_add_loop_test(tests, tunables_are_described, 0, TUNABLE_IDS);
	tcase_add_loop_test(tests, tunables_keep_their_value, 0, TUNABLE_IDS);
	tcase_add_test(tests, tunables_are_the_fields_they_name);
	return run_tests(tests);
}
