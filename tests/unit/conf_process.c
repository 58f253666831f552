#include "conf/internal.h"
#include "tests/unit/conf_fixture.h"

#include <errno.h>
#include <fnmatch.h>
#include <string.h>

static struct conf c;
static struct conf_error error;

static const struct {
	const char *rules, *process;
	bool enabled;
	const char *origin; /* of process.enabled */
} decisions[] = {
	{"", "java", true, "default"},
	/* no section says on: off for those that match */
	{"[process \"java\"]\nenabled=off\n", "java", false, INI ":2"},
	{"[process \"java\"]\nenabled=off\n", "java2", true, "default"},
	{"[process \"java\"]\nenabled=off\n", "", true, "default"},
	/* some section says on: only for those that match */
	{"[process \"java\"]\nenabled=on\n", "java", true, INI ":2"},
	{"[process \"java\"]\nenabled=on\n", "sh", false, INI ":2"},
	/* the command knows no executable yet */
	{"[process \"java\"]\nenabled=on\n", "", true, "default"},
	/* the last that matches decides */
	{"[process \"db_*\"]\nenabled=on\n[process \"db_bench\"]\nenabled=off\n", "db_bench", false,
		INI ":4"},
	{"[process \"db_*\"]\nenabled=on\n[process \"db_bench\"]\nenabled=off\n", "db_stress", true,
		INI ":2"},
	{"[process \"db_bench\"]\nenabled=off\n[process \"db_*\"]\nenabled=on\n", "db_bench", true,
		INI ":4"},
	{"[process \"*\"]\nenabled=off\n[process \"java\"]\nenabled=on\n", "java", true, INI ":4"},
	{"[process \"*\"]\nenabled=off\n[process \"java\"]\nenabled=on\n", "sh", false, INI ":2"},
	/* a section that only names a policy does not decide */
	{"[process \"java\"]\nenabled=on\n[process \"*\"]\npolicy=spin\n", "sh", false, INI ":2"},
	{"[process \"java\"]\nenabled=off\n[process \"java*\"]\npolicy=spin\n", "java", false,
		INI ":2"},
	/* the shell's patterns, brackets included */
	{"[process \"x[0-9]?\"]\nenabled=off\n", "x1y", false, INI ":2"},
	{"[process \"x[0-9]?\"]\nenabled=off\n", "xay", true, "default"},
	{"[process \"x[!a]\"] ; not xa\nenabled=off\n", "xb", false, INI ":2"},
	{"[process \"a name; with # signs\"]\nenabled=off\n", "a name; with # signs", false,
		INI ":2"},
	{"[process \"a\\*\"]\nenabled=off\n", "a*", false, INI ":2"},
	{"[process \"a\\*\"]\nenabled=off\n", "ab", true, "default"},
	{"[process \"this-pattern-is-longer-than-the-49-characters-inih-keeps-of-a-section\"]\n"
	 "enabled=off\n",
		"this-pattern-is-longer-than-the-49-characters-inih-keeps-of-a-section", false,
		INI ":2"},
};

static void load(const char *ini, const char *process, const char *variable)
{
	char config[] = "RELOCK_CONFIG=" INI, copy[128];
	char *environment[] = {config, variable ? copy : NULL, NULL};

	conf_write(INI, ini, strlen(ini));
	strcpy(copy, variable ? variable : "");
	ck_assert_msg(conf_load_process(&c, process, environment, &error), "%s", error.message);
}

START_TEST(decides)
{
	load(decisions[_i].rules, decisions[_i].process, NULL);
	ck_assert_int_eq(c.settings.enabled, decisions[_i].enabled);
	ck_assert_str_eq(
		conf_value_of(&c, "process.enabled"), decisions[_i].enabled ? "on" : "off");
	ck_assert_str_eq(conf_origin_of(&c, "process.enabled"), decisions[_i].origin);
}
END_TEST

#define POLICIES                                                                                   \
	"[process \"ja*\"]\npolicy = spin-park:spins=7\n"                                          \
	"[process \"java\"]\npolicy = backoff\n"                                                   \
	"[relock]\npolicy = spin-yield\n"                                                          \
	"[mutex]\npolicy = spin-yield-sleep\nsleep = 7us\n"

/* The section beats the rest of the file, and drops the tunables that were for another policy. */
START_TEST(policy_for_one_executable)
{
	load(POLICIES, "jar", NULL);
	ck_assert_str_eq(conf_value_of(&c, "mutex.policy"), "spin-park");
	ck_assert_str_eq(conf_value_of(&c, "mutex.spins"), "7");
	ck_assert_str_eq(conf_origin_of(&c, "mutex.policy"), INI ":2");
	ck_assert_str_eq(conf_value_of(&c, "mutex.sleep"), "");
	ck_assert_str_eq(conf_value_of(&c, "process.policy"), "spin-park");
	ck_assert(c.settings.enabled);
	load(POLICIES, "java", NULL);
	ck_assert_str_eq(conf_value_of(&c, "mutex.policy"), "backoff");
	ck_assert_str_eq(conf_value_of(&c, "rwlock.policy"), "backoff");
	load(POLICIES, "sh", NULL);
	ck_assert_str_eq(conf_value_of(&c, "mutex.policy"), "spin-yield-sleep");
	ck_assert_str_eq(conf_value_of(&c, "mutex.sleep"), "7us");
	ck_assert_str_eq(conf_value_of(&c, "spin.policy"), "spin-yield");
	ck_assert_str_eq(conf_value_of(&c, "process.policy"), "");
}
END_TEST

START_TEST(environment_beats_it)
{
	load(POLICIES, "java", "RELOCK_POLICY=spin");
	ck_assert_str_eq(conf_value_of(&c, "mutex.policy"), "spin");
	load(POLICIES, "java", "RELOCK_MUTEX_SPINS=9");
	ck_assert_str_eq(conf_value_of(&c, "mutex.policy"), "backoff");
	ck_assert_str_eq(conf_value_of(&c, "mutex.spins"), "9");
	load(POLICIES, "java", "RELOCK_SPIN_POLICY=native");
	ck_assert_str_eq(conf_value_of(&c, "mutex.policy"), "backoff");
	ck_assert_str_eq(conf_value_of(&c, "spin.policy"), "native");
}
END_TEST

/* Made-up patterns and names over few characters, against the C library's idea of them. Backslashes
 * and brackets that are not closed are left out: those the C library refuses. */
START_TEST(matches_as_fnmatch_does)
{
	static const char *const pieces[] = {"a", "b", "*", "?", "[ab]", "[!a]", "[^b]", "[a-c]",
		"[]a]", "[a-]", "\\*", "\\a", "]", "-"};
	uint32_t seed = 1;

	for (unsigned i = 0; i < 50000; i++) {
		char pattern[64] = "", name[8] = "";

		for (unsigned j = 0; j < i % 7; j++) {
			seed = seed * 1664525 + 1013904223;
			strcat(pattern,
				pieces[(seed >> 16) % (sizeof(pieces) / sizeof(pieces[0]))]);
		}
		for (unsigned j = 0; j < i % 5; j++) {
			seed = seed * 1664525 + 1013904223;
			name[j] = "abc]*-"[(seed >> 16) % 6];
		}
		ck_assert_msg(conf_match(pattern, name) == (fnmatch(pattern, name, 0) == 0),
			"%s against %s", pattern, name);
	}
}
END_TEST

START_TEST(matches_what_is_not_closed_literally)
{
	ck_assert(conf_match("[ab", "[ab"));
	ck_assert(!conf_match("[ab", "a"));
	ck_assert(conf_match("a\\", "a\\"));
	ck_assert(conf_match("[[]x", "[x"));
	ck_assert(conf_match("[\\]]x", "]x"));
	ck_assert(conf_match("\xc3?*", "\xc3\xa4\xff"));
	ck_assert(conf_match("[\x80-\xff]", "\xa4"));
	ck_assert(conf_match("*", "") && conf_match("", "") && !conf_match("?", ""));
}
END_TEST

/* A name longer than fits is cut, not overrun. */
START_TEST(long_name)
{
	char name[512];

	memset(name, 'x', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	load("[process \"xxx*\"]\nenabled=off\n", name, NULL);
	ck_assert(!c.settings.enabled);
}
END_TEST

/* What the library does after an error: nothing at all. */
START_TEST(error_disables)
{
	char policy[] = "RELOCK_POLICY=x", output[] = "RELOCK_OUTPUT=y";
	char config[] = "RELOCK_CONFIG=missing.ini", *file[] = {config, NULL};
	char *environment[] = {output, policy, NULL};

	errno = EXDEV;
	ck_assert(!conf_load_process(&c, "java", environment, &error));
	ck_assert_int_eq(errno, EXDEV);
	ck_assert(!c.settings.enabled);
	ck_assert_str_eq(c.settings.choice[CONF_MUTEX].policy->name, "native");
	ck_assert_str_eq(c.settings.output, "relock.%e.%p.rlk");
	ck_assert(!conf_load_process(&c, "java", file, &error));
	ck_assert_int_eq(errno, EXDEV);
}
END_TEST

Suite *conf_process_suite(void)
{
	Suite *suite = suite_create("conf_process");
	TCase *cases = tcase_create("process");

	tcase_add_loop_test(cases, decides, 0, (int)(sizeof(decisions) / sizeof(decisions[0])));
	tcase_add_test(cases, policy_for_one_executable);
	tcase_add_test(cases, environment_beats_it);
	tcase_add_test(cases, matches_as_fnmatch_does);
	tcase_add_test(cases, matches_what_is_not_closed_literally);
	tcase_add_test(cases, long_name);
	tcase_add_test(cases, error_disables);
	suite_add_tcase(suite, cases);
	return suite;
}
