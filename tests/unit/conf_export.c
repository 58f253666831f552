#include "tests/unit/conf_fixture.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static struct conf c;
static struct conf_error error;

#define VARIABLES_MAX 64

/* What `relock run` does: the environment it has, changed as conf_export() says. */
static char **exported(char *const *environment, const char *directory)
{
	static char storage[VARIABLES_MAX][2 * CONF_PATH_MAX];
	static char *variables[VARIABLES_MAX];
	size_t count = 0;

	for (; *environment; environment++) {
		size_t option = 0;
		char value[CONF_PATH_MAX];

		while (option < conf_table_size &&
			(!conf_table[option].env ||
				strncmp(*environment, conf_table[option].env,
					strcspn(*environment, "=")) != 0 ||
				strlen(conf_table[option].env) != strcspn(*environment, "=")))
			option++;
		if (option == conf_table_size ||
			conf_export(&c, option, directory, value, sizeof(value)) == EXPORT_KEEP)
			variables[count++] = *environment;
	}
	for (size_t i = 0; i < conf_table_size; i++) {
		char value[CONF_PATH_MAX];

		if (conf_export(&c, i, directory, value, sizeof(value)) != EXPORT_SET)
			continue;
		snprintf(storage[count], sizeof(storage[count]), "%s=%s", conf_table[i].env, value);
		variables[count] = storage[count];
		count++;
	}
	variables[count] = NULL;
	return variables;
}

static const struct {
	const char *environment[4];
	const char *name, *value; /* on the command line */
} cases_of_export[] = {
	{{NULL}, "relock.policy", "spin-yield:spins=3"},
	{{NULL}, "spin.policy", "native"},
	{{NULL}, "holds", "all"},
	{{NULL}, "max_memory", "3MiB"},
	{{NULL}, "verbose", "on"},
	{{NULL}, "relock.run_id", "abc"},
	{{"RELOCK_POLICY=spin"}, "relock.policy", "spin-park"},
	{{"RELOCK_MUTEX_POLICY=spin"}, "relock.policy", "spin-park"},
	{{"RELOCK_MUTEX_POLICY=spin", "RELOCK_MUTEX_HINT=none"}, "relock.policy", "spin-park"},
	{{"RELOCK_POLICY=spin-yield-sleep", "RELOCK_SPIN_SLEEP=5us"}, "spin.policy", "spin-park"},
	{{"RELOCK_POLICY=spin-yield-sleep", "RELOCK_SPIN_SLEEP=5us"}, "mutex.policy", "spin-park"},
	{{"RELOCK_POLICY=spin-yield-sleep", "RELOCK_SPIN_SLEEP=5us"}, "spin.sleep", "7us"},
	{{"RELOCK_CONFIG=" INI, "RELOCK_HOLDS=all"}, "relock.policy", "spin-park"},
	{{"RELOCK_CONFIG=" INI}, "mutex.spins", "3"},
	{{"RELOCK_CONFIG=other.ini"}, "config", INI},
};

/* The settings alone: a choice's unread tunables and origins may differ. */
static void describe(const struct conf *conf, char *out, size_t size)
{
	char value[CONF_PATH_MAX];
	size_t length = 0;

	for (size_t i = 0; i < conf_table_size; i++) {
		/* Which variable brought a policy may change; which policies act may not. */
		if (i == conf_find("relock.policy") || conf_table[i].type == TYPE_TEXT)
			continue;
		conf_format_value(conf, i, value, sizeof(value));
		length += (size_t)snprintf(out + length, size - length, "%s.%s=%s\n",
			conf_table[i].section, conf_table[i].key, value);
	}
	ck_assert_uint_lt(length, size);
}

/* The library in the program arrives where the command was. */
START_TEST(hands_over)
{
	static const char ini[] =
		"[mutex]\npolicy = spin-park\nspins = 77\n[record]\nstacks = off\n";
	static char before[8192], after[8192];
	static struct conf again;
	char **environment, directory[512];

	conf_write(INI, ini, sizeof(ini) - 1);
	conf_write("other.ini", "[cond]\nmode = native\n", 21);
	ck_assert_ptr_nonnull(getcwd(directory, sizeof(directory)));
	conf_defaults(&c);
	if (strcmp(cases_of_export[_i].name, "config") == 0)
		ck_assert(conf_set(&c, "config", INI, FROM_COMMAND_LINE, "-c", &error));
	ck_assert(
		conf_load_environment(&c, (char *const *)cases_of_export[_i].environment, &error));
	ck_assert_msg(conf_set(&c, cases_of_export[_i].name, cases_of_export[_i].value,
			      FROM_COMMAND_LINE, "--set", &error),
		"%s", error.message);
	describe(&c, before, sizeof(before));
	environment = exported((char *const *)cases_of_export[_i].environment, directory);
	/* From anywhere. */
	ck_assert_int_eq(chdir("/"), 0);
	ck_assert_msg(conf_load_process(&again, "x", environment, &error), "%s", error.message);
	ck_assert_int_eq(chdir(directory), 0);
	describe(&again, after, sizeof(after));
	ck_assert_str_eq(after, before);
	ck_assert_str_eq(again.settings.run_id, c.settings.run_id);
}
END_TEST

START_TEST(makes_names_absolute)
{
	char value[CONF_PATH_MAX];

	conf_defaults(&c);
	ck_assert_int_eq(
		conf_export(&c, conf_find("output"), "/a/50%", value, sizeof(value)), EXPORT_SET);
	ck_assert_str_eq(value, "/a/50%%/relock.%e.%p.rlk");
	ck_assert_str_eq(conf_try_set(&c, "output", "/b/%p"), "");
	conf_export(&c, conf_find("output"), "/a", value, sizeof(value));
	ck_assert_str_eq(value, "/b/%p");
	conf_write(INI, "", 0);
	ck_assert_str_eq(conf_try_set(&c, "config", INI), "");
	conf_export(&c, conf_find("config"), "/a/50%", value, sizeof(value));
	ck_assert_str_eq(value, "/a/50%/" INI);
	/* A name that does not fit is not handed over in part. */
	ck_assert_int_eq(conf_export(&c, conf_find("config"), "/a/50%", value, 8), EXPORT_KEEP);
}
END_TEST

START_TEST(keeps_what_the_environment_says)
{
	char policy[] = "RELOCK_POLICY=spin", *environment[] = {policy, NULL};
	char value[CONF_PATH_MAX];

	ck_assert_str_eq(conf_try_environment(&c, environment), "");
	for (size_t i = 0; i < conf_table_size; i++) {
		if (i != conf_find("output"))
			ck_assert_int_eq(
				conf_export(&c, i, "/", value, sizeof(value)), EXPORT_KEEP);
	}
}
END_TEST

static const struct {
	const char *pattern, *path; /* NULL: refused */
} outputs[] = {
	{"relock.%e.%p.rlk", "/work dir/relock.db_bench.4121.rlk"},
	{"/var/%h/%t.rlk", "/var/host.example/1700000000.rlk"},
	{"%%e.%%", "/work dir/%e.%"},
	{"sub/%e%e", "/work dir/sub/db_benchdb_bench"},
	{"%", NULL},
	{"%q", NULL},
	{"a%", NULL},
};

START_TEST(expands_output)
{
	char out[128];
	bool fine = conf_expand_output(outputs[_i].pattern, "/work dir", "db_bench", 4121,
		"host.example", 1700000000, out, sizeof(out));

	ck_assert_int_eq(fine, outputs[_i].path != NULL);
	if (fine)
		ck_assert_str_eq(out, outputs[_i].path);
}
END_TEST

START_TEST(expands_no_further_than_fits)
{
	char out[16];

	ck_assert(conf_expand_output("/a.%p.rlk", "/", "e", 12345, "h", 0, out, sizeof(out)));
	ck_assert_str_eq(out, "/a.12345.rlk");
	ck_assert(!conf_expand_output("/a.%p.rlk", "/", "e", 12345, "h", 0, out, 12));
	ck_assert(conf_expand_output("/a.%p.rlk", "/", "e", 12345, "h", 0, out, 13));
	/* A name must not lead into another directory. */
	ck_assert(conf_expand_output("/%e.%h", "/", "a/../b", 1, "c/d", 0, out, sizeof(out)));
	ck_assert_str_eq(out, "/a_.._b.c_d");
}
END_TEST

Suite *conf_export_suite(void)
{
	Suite *suite = suite_create("conf_export");
	TCase *cases = tcase_create("export");

	tcase_add_loop_test(
		cases, hands_over, 0, (int)(sizeof(cases_of_export) / sizeof(cases_of_export[0])));
	tcase_add_test(cases, makes_names_absolute);
	tcase_add_test(cases, keeps_what_the_environment_says);
	tcase_add_loop_test(cases, expands_output, 0, (int)(sizeof(outputs) / sizeof(outputs[0])));
	tcase_add_test(cases, expands_no_further_than_fits);
	suite_add_tcase(suite, cases);
	return suite;
}
