#include "tests/unit/conf_fixture.h"

#include <string.h>

static struct conf c;
static struct conf_error error;

static const struct {
	const char *variable, *message; /* %s: the policies */
} variables[] = {
	{"RELOCK_POLICY=spin-yeld", "RELOCK_POLICY: unknown policy \"spin-yeld\"; did you mean "
				    "\"spin-yield\"? valid: %s"},
	{"RELOCK_POLICY=spin-park:spinz=1",
		"RELOCK_POLICY: unknown tunable \"spinz\" of spin-park; did you mean \"spins\"? "
		"valid: spins, hint, hint_count"},
	{"RELOCK_POLICY=spin-park:spins=-1",
		"RELOCK_POLICY: spins: \"-1\" is not a whole number; valid: 0 to 1000000000"},
	{"RELOCK_MUTEX_SPINS=many",
		"RELOCK_MUTEX_SPINS: \"many\" is not a whole number; valid: 0 to 1000000000"},
	{"RELOCK_MUTEX_SPINS=1", "RELOCK_MUTEX_SPINS: policy native (default) does not read "
				 "\"spins\"; it reads no tunables"},
	{"RELOCK_RECORD=onn", "RELOCK_RECORD: unknown value \"onn\"; did you mean \"on\"? valid: "
			      "on, off, yes, no, true, false, 1, 0"},
	{"RELOCK_HOLDS=sampeld", "RELOCK_HOLDS: unknown value \"sampeld\"; did you mean "
				 "\"sampled\"? valid: off, sampled, all"},
	{"RELOCK_STACK_DEPTH=99", "RELOCK_STACK_DEPTH: \"99\" is out of range; valid: 1 to 24"},
	{"RELOCK_MAX_MEMORY=1k", "RELOCK_MAX_MEMORY: unknown unit \"k\" in \"1k\"; valid units: B, "
				 "KiB, MiB, GiB (or K, M, G)"},
	{"RELOCK_OUTPUT=%q", "RELOCK_OUTPUT: unknown \"%q\"; valid: %e, %p, %h, %t, %%"},
	{"RELOCK_CONFIG=missing.ini", "RELOCK_CONFIG: missing.ini: No such file or directory"},
	{"RELOCK_CONFIG=/", "RELOCK_CONFIG: /: a directory, not an INI file"},
	{"RELOCK_CONFIG=" INI, INI ":2: unknown key \"moed\" in [cond]; did you mean \"mode\"? "
				   "valid: mode"},
	/* names that are nearly one of ours */
	{"RELOCK_POLCY=native", "RELOCK_POLCY: unknown variable; did you mean RELOCK_POLICY? "
				"`relock config --default` lists all"},
	{"RELOCK_MUTEX_SPIN=3", "RELOCK_MUTEX_SPIN: unknown variable; did you mean "
				"RELOCK_MUTEX_SPINS? `relock config --default` lists all"},
	{"RELOCK_policy=native", "RELOCK_policy: unknown variable; did you mean RELOCK_POLICY? "
				 "`relock config --default` lists all"},
	/* none of our business */
	{"RELOCK_BUILD_DIR=/tmp", ""},
	{"RELOCK_SOURCE_DIR=/tmp", ""},
	{"RELOCK_SOMETHING_ELSE", ""},
	{"RELOCKPOLICY=x", ""},
	{"XRELOCK_POLICY=x", ""},
	{"relock_policy=x", ""},
	/* empty is as good as unset */
	{"RELOCK_POLICY=", ""},
	{"RELOCK_CONFIG=", ""},
	{"RELOCK_STACK_DEPTH=", ""},
};

START_TEST(environment_errors)
{
	char variable[64], expected[2 * CONF_MESSAGE_MAX], *list;
	char *environment[] = {variable, NULL};

	conf_write(INI, "[cond]\nmoed = native\n", 21);
	strcpy(variable, variables[_i].variable);
	strcpy(expected, variables[_i].message);
	list = strstr(expected, "%s");
	if (list)
		conf_format_values(conf_find("policy"), list, CONF_MESSAGE_MAX);
	ck_assert_str_eq(conf_try_environment(&c, environment), expected);
}
END_TEST

/* As getenv() has it. */
START_TEST(first_of_two_variables_counts)
{
	char first[] = "RELOCK_STACK_DEPTH=3", second[] = "RELOCK_STACK_DEPTH=4";
	char *environment[] = {first, second, NULL};

	ck_assert_str_eq(conf_try_environment(&c, environment), "");
	ck_assert_uint_eq(c.settings.stack_depth, 3);
}
END_TEST

START_TEST(long_texts)
{
	static char variable[2 * CONF_PATH_MAX];
	char *environment[] = {variable, NULL};

	strcpy(variable, "RELOCK_OUTPUT=");
	memset(variable + 14, 'x', CONF_PATH_MAX - 1);
	ck_assert_str_eq(conf_try_environment(&c, environment), "");
	ck_assert_uint_eq(strlen(c.settings.output), CONF_PATH_MAX - 1);
	variable[14 + CONF_PATH_MAX - 1] = 'x';
	ck_assert_str_eq(conf_try_environment(&c, environment),
		"RELOCK_OUTPUT: 1024 characters are too many; at most 1023");
	memset(variable, 'x', sizeof(variable) - 1);
	memcpy(variable, "RELOCK_RUN_ID=", 14);
	variable[14 + 64] = '\0';
	ck_assert_str_eq(conf_try_environment(&c, environment),
		"RELOCK_RUN_ID: 64 characters are too many; at most 63");
}
END_TEST

static const struct {
	const char *name, *value, *message;
} sets[] = {
	{"policy", "spin-park:spins=3", ""},
	{"holds", "all", ""},
	{"record.holds", "all", ""},
	{"mode", "native", ""},
	{"holdz", "all",
		"--set: unknown option \"holdz\"; did you mean \"holds\"? `relock config "
		"--default` lists all"},
	{"record.holdz", "all",
		"--set: unknown option \"record.holdz\"; did you mean "
		"\"record.holds\"? `relock config --default` lists all"},
	{"foo.bar", "all",
		"--set: unknown option \"foo.bar\"; `relock config --default` lists all"},
	{"hint", "none",
		"--set: \"hint\" is in several sections; valid: mutex.hint, spin.hint, "
		"rwlock.hint"},
	{"process.enabled", "off", "--set: \"process.enabled\" can only be given in an INI file"},
	{"holds", "maybe", "--set: holds: unknown value \"maybe\"; valid: off, sampled, all"},
	{"holds", "", "--set: holds needs a value"},
	{"mutex.spins", "3",
		"command line: policy native (default) does not read \"spins\"; it "
		"reads no tunables"},
};

START_TEST(set)
{
	conf_defaults(&c);
	ck_assert_str_eq(conf_try_set(&c, sets[_i].name, sets[_i].value), sets[_i].message);
}
END_TEST

START_TEST(set_names_the_flag)
{
	conf_defaults(&c);
	ck_assert(!conf_set(&c, "output", "%x", FROM_COMMAND_LINE, "-o", &error));
	ck_assert_str_eq(error.message, "-o: unknown \"%x\"; valid: %e, %p, %h, %t, %%");
	conf_defaults(&c);
	ck_assert(!conf_set(&c, "config", "none.ini", FROM_COMMAND_LINE, "-c", &error));
	ck_assert_str_eq(error.message, "-c: none.ini: No such file or directory");
}
END_TEST

Suite *conf_environment_suite(void)
{
	Suite *suite = suite_create("conf_environment");
	TCase *cases = tcase_create("environment and command line");

	tcase_add_loop_test(
		cases, environment_errors, 0, (int)(sizeof(variables) / sizeof(variables[0])));
	tcase_add_test(cases, first_of_two_variables_counts);
	tcase_add_test(cases, long_texts);
	tcase_add_loop_test(cases, set, 0, (int)(sizeof(sets) / sizeof(sets[0])));
	tcase_add_test(cases, set_names_the_flag);
	suite_add_tcase(suite, cases);
	return suite;
}
