#include "tests/unit/conf_fixture.h"

#include <stdio.h>
#include <string.h>

/* The list of policies as messages have it. */
static const char *policies(void)
{
	static char list[CONF_MESSAGE_MAX];

	conf_format_values(conf_find("relock.policy"), list, sizeof(list));
	return list;
}

START_TEST(reads_names)
{
	struct policy_choice choice;
	struct conf_error error;

	for (size_t i = 0; policy_registry[i]; i++) {
		ck_assert(conf_parse_choice(policy_registry[i]->name, &choice, &error));
		ck_assert_ptr_eq(choice.policy, policy_registry[i]);
		for (unsigned id = 0; id < TUNABLE_IDS; id++)
			ck_assert_uint_eq(tunable_get(&choice.tunables, id),
				tunable_get(&policy_registry[i]->defaults, id));
	}
}
END_TEST

START_TEST(reads_tunables)
{
	struct policy_choice choice;
	struct conf_error error;

	ck_assert(conf_parse_choice(
		"spin-yield-sleep:spins=7,sleep=1.5ms,hint=none,yields=2", &choice, &error));
	ck_assert_str_eq(choice.policy->name, "spin-yield-sleep");
	ck_assert_uint_eq(choice.tunables.spins, 7);
	ck_assert_uint_eq(choice.tunables.sleep_ns, 1500000);
	ck_assert_uint_eq(choice.tunables.hint, HINT_NONE);
	ck_assert_uint_eq(choice.tunables.yields, 2);
	ck_assert_uint_eq(choice.tunables.hint_count, choice.policy->defaults.hint_count);
}
END_TEST

/* Every policy, each of its tunables at either end of its range, there and back. */
START_TEST(round_trips)
{
	const struct policy *policy = policy_registry[_i];
	struct policy_choice choice = {policy, policy->defaults}, back;
	struct conf_error error;
	char text[256], again[256];

	for (unsigned side = 0; side < 3; side++) {
		for (unsigned id = 0; id < TUNABLE_IDS && side > 0; id++) {
			const struct tunable *tunable = &tunable_table[id];

			if (tunable->kind == TUNABLE_HINT)
				tunable_set(&choice.tunables, id, HINT_NONE);
			else
				tunable_set(&choice.tunables, id,
					side == 1 ? tunable->min : tunable->max);
		}
		ck_assert_uint_lt(conf_format_choice(&choice, text, sizeof(text)), sizeof(text));
		ck_assert_msg(conf_parse_choice(text, &back, &error), "%s", error.message);
		conf_format_choice(&back, again, sizeof(again));
		ck_assert_str_eq(text, again);
		for (unsigned id = 0; id < TUNABLE_IDS; id++) {
			if (policy->uses & TUNES(id))
				ck_assert_uint_eq(tunable_get(&back.tunables, id),
					tunable_get(&choice.tunables, id));
		}
	}
}
END_TEST

START_TEST(writes_canonically)
{
	struct policy_choice choice;
	struct conf_error error;
	char text[128];

	ck_assert(conf_parse_choice("native", &choice, &error));
	ck_assert_uint_eq(conf_format_choice(&choice, text, sizeof(text)), 6);
	ck_assert_str_eq(text, "native");
	ck_assert(conf_parse_choice("spin-park:hint_count=2,spins=9", &choice, &error));
	conf_format_choice(&choice, text, sizeof(text));
	ck_assert_str_eq(text, "spin-park:spins=9,hint=default,hint_count=2");
}
END_TEST

static const struct {
	const char *text, *message; /* %s in it: the policies */
} wrong[] = {
	{"spin-yeld", "unknown policy \"spin-yeld\"; did you mean \"spin-yield\"? valid: %s"},
	{"", "unknown policy \"\"; valid: %s"},
	{"mcs", "unknown policy \"mcs\"; valid: %s"},
	{"spin-park:spinz=3", "unknown tunable \"spinz\" of spin-park; did you mean \"spins\"? "
			      "valid: spins, hint, hint_count"},
	{"spin-park:sleep=1ms", "unknown tunable \"sleep\" of spin-park; valid: spins, hint, "
				"hint_count"},
	{"native:spins=3", "policy native has no tunables"},
	{"spin-park:spins", "\"spins\" lacks its value; write spin-park:key=value,key=value"},
	{"spin-park:", "\"\" lacks its value; write spin-park:key=value,key=value"},
	{"spin-park:spins=1,", "\"\" lacks its value; write spin-park:key=value,key=value"},
	{"spin-park:spins=1,spins=2", "tunable \"spins\" is given twice"},
	{"spin-park:spins=", "spins: \"\" is not a whole number; valid: 0 to 1000000000"},
	{"spin-park:spins=1.5", "spins: \"1.5\" is not a whole number; valid: 0 to 1000000000"},
	{"spin-park:hint_count=0", "hint_count: \"0\" is out of range; valid: 1 to 99"},
	{"spin-sleep:sleep=1", "sleep: \"1\" needs a unit; valid units: ns, us, ms, s"},
	{"spin-sleep:sleep=2s", "sleep: \"2s\" is out of range; valid: 1us to 1s"},
	{"spin-park:spins=00000000000000000000000000000000000000000000000000000000000000000001",
		"\"spins=0000000000000000000000000000000000000000000000000000...\" is too long "
		"for a tunable and its value"},
};

START_TEST(refuses)
{
	struct policy_choice choice;
	struct conf_error error;
	char expected[CONF_MESSAGE_MAX];

	ck_assert(!conf_parse_choice(wrong[_i].text, &choice, &error));
	strcpy(expected, wrong[_i].message);
	if (strstr(expected, "%s"))
		strcpy(strstr(expected, "%s"), policies());
	ck_assert_str_eq(error.message, expected);
}
END_TEST

/* Which hints there are depends on the processor; that the others are refused does not. */
START_TEST(refuses_hints_of_other_processors)
{
	struct policy_choice choice;
	struct conf_error error;
	char text[64], expected[CONF_MESSAGE_MAX] = "", list[128] = "";

	for (unsigned hint = 0; hint < HINT_COUNT; hint++) {
		if (arch_hint_available(hint)) {
			strcat(list, *list ? ", " : "");
			strcat(list, arch_hint_name(hint));
		}
	}
	for (unsigned hint = 0; hint < HINT_COUNT; hint++) {
		snprintf(text, sizeof(text), "spin:hint=%s", arch_hint_name(hint));
		ck_assert_int_eq(
			conf_parse_choice(text, &choice, &error), arch_hint_available(hint));
		snprintf(expected, sizeof(expected),
			"hint: this processor has no hint \"%s\"; valid: %s", arch_hint_name(hint),
			list);
		if (!arch_hint_available(hint))
			ck_assert_str_eq(error.message, expected);
	}
	ck_assert(!conf_parse_choice("spin:hint=pausse", &choice, &error));
	snprintf(expected, sizeof(expected), "hint: unknown value \"pausse\"; %svalid: %s",
		arch_hint_available(HINT_PAUSE) ? "did you mean \"pause\"? " : "", list);
	ck_assert_str_eq(error.message, expected);
}
END_TEST

Suite *conf_choice_suite(void)
{
	Suite *suite = suite_create("conf_choice");
	TCase *cases = tcase_create("choice");
	int count = 0;

	while (policy_registry[count])
		count++;
	tcase_add_test(cases, reads_names);
	tcase_add_test(cases, reads_tunables);
	tcase_add_loop_test(cases, round_trips, 0, count);
	tcase_add_test(cases, writes_canonically);
	tcase_add_loop_test(cases, refuses, 0, (int)(sizeof(wrong) / sizeof(wrong[0])));
	tcase_add_test(cases, refuses_hints_of_other_processors);
	suite_add_tcase(suite, cases);
	return suite;
}
