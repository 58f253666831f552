#include "tests/unit/conf_fixture.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static struct conf c;
static char text[64 * 1024], other[64 * 1024];

/* The names that conf/table.c repeats are those of policies/tunables.c, and every option has what
 * documentation needs. */
START_TEST(table_is_whole)
{
	for (size_t i = 0; i < conf_table_size; i++) {
		const struct conf_option *option = &conf_table[i];
		char capital[64] = "RELOCK_";
		size_t length = strlen(capital);

		ck_assert_str_ne(option->section, "");
		ck_assert_str_ne(option->key, "");
		ck_assert_ptr_nonnull(option->example);
		ck_assert_uint_gt(strlen(conf_option_help(i)), 20);
		ck_assert((option->env != NULL) == !(option->flags & CONF_INI_ONLY));
		for (size_t j = 0; j < i; j++)
			ck_assert(!option->env || !conf_table[j].env ||
				  strcmp(option->env, conf_table[j].env) != 0);
		if (option->type != TYPE_TUNABLE)
			continue;
		ck_assert_str_eq(option->key, tunable_table[option->tunable].name);
		snprintf(capital + length, sizeof(capital) - length, "%s_%s", option->section,
			option->key);
		for (char *at = capital; *at; at++)
			*at = *at >= 'a' && *at <= 'z' ? (char)(*at - 'a' + 'A') : *at;
		ck_assert_str_eq(option->env, capital);
	}
}
END_TEST

/* Each lock kind has a policy and every tunable once. */
START_TEST(every_tunable_is_an_option)
{
	static const char *const sections[CONF_LOCKS] = {"mutex", "spin", "rwlock"};
	char name[64];

	for (unsigned lock = 0; lock < CONF_LOCKS; lock++) {
		for (unsigned id = 0; id < TUNABLE_IDS; id++) {
			size_t option;

			snprintf(name, sizeof(name), "%s.%s", sections[lock],
				tunable_table[id].name);
			option = conf_find(name);
			ck_assert_uint_ne(option, CONF_NONE);
			ck_assert_uint_eq(conf_table[option].lock, lock);
			ck_assert_uint_eq(conf_table[option].tunable, id);
		}
	}
}
END_TEST

/* The examples are read as what they are examples of. */
START_TEST(examples_are_valid)
{
	const struct conf_option *option = &conf_table[_i];
	struct conf_error error;
	size_t policy = 0;
	char name[64];

	if (!option->env || strcmp(option->key, "config") == 0)
		return;
	conf_defaults(&c);
	while (option->type == TYPE_TUNABLE &&
		!(policy_registry[policy]->uses & TUNES(option->tunable)))
		policy++;
	ck_assert(conf_set(
		&c, "policy", policy_registry[policy]->name, FROM_COMMAND_LINE, "-p", &error));
	snprintf(name, sizeof(name), "%s.%s", option->section, option->key);
	ck_assert_msg(conf_set(&c, name, option->example, FROM_COMMAND_LINE, "--set", &error), "%s",
		error.message);
}
END_TEST

START_TEST(finds_options)
{
	ck_assert_uint_eq(conf_find("policy"), conf_find("relock.policy"));
	ck_assert_uint_eq(conf_find("output"), conf_find("record.output"));
	ck_assert_uint_eq(conf_find("enabled"), conf_find("record.enabled"));
	ck_assert_uint_eq(conf_find("spins"), CONF_NONE);
	ck_assert_uint_eq(conf_find("nothing"), CONF_NONE);
	ck_assert_uint_eq(conf_find("record."), CONF_NONE);
	ck_assert_uint_eq(conf_find("rec.output"), CONF_NONE);
	ck_assert_uint_ne(conf_find("process.policy"), CONF_NONE);
}
END_TEST

START_TEST(formats_all)
{
	char config[] = "RELOCK_CONFIG=" INI, policy[] = "RELOCK_SPIN_POLICY=spin-park:spins=3";
	char *environment[] = {config, policy, NULL};
	struct conf_error error;
	static const char ini[] = "[relock]\npolicy = progress\n[record]\nholds = off\n";

	conf_write(INI, ini, sizeof(ini) - 1);
	ck_assert_str_eq(conf_try_environment(&c, environment), "");
	ck_assert(conf_set(&c, "output", "x.rlk", FROM_COMMAND_LINE, "-o", &error));
	ck_assert(conf_set(&c, "mutex.sleep", "1ms", FROM_COMMAND_LINE, "--set", &error));
	conf_format_all(&c, text, sizeof(text));
	ck_assert_str_eq(text, "relock.policy = progress ; " INI ":2\n"
			       "relock.config = " INI " ; RELOCK_CONFIG\n"
			       "relock.report = none ; default\n"
			       "relock.verbose = off ; default\n"
			       "mutex.policy = progress ; " INI ":2\n"
			       "mutex.sleep = 1ms ; command line\n"
			       "mutex.hint = default ; default\n"
			       "mutex.hint_count = 1 ; default\n"
			       "mutex.budget = 0 ; default\n"
			       "spin.policy = spin-park ; RELOCK_SPIN_POLICY\n"
			       "spin.spins = 3 ; RELOCK_SPIN_POLICY\n"
			       "spin.hint = default ; default\n"
			       "spin.hint_count = 1 ; default\n"
			       "rwlock.policy = progress ; " INI ":2\n"
			       "rwlock.sleep = 10us ; default\n"
			       "rwlock.hint = default ; default\n"
			       "rwlock.hint_count = 1 ; default\n"
			       "rwlock.budget = 0 ; default\n"
			       "cond.mode = relock ; default\n"
			       "record.enabled = on ; default\n"
			       "record.output = x.rlk ; -o\n"
			       "record.holds = off ; " INI ":4\n"
			       "record.hold_sample = 64 ; default\n"
			       "record.stacks = on ; default\n"
			       "record.stack_depth = 16 ; default\n"
			       "record.max_memory = 1GiB ; default\n"
			       "record.max_locks = 1000000 ; default\n"
			       "record.deflate_threshold = 90 ; default\n"
			       "record.deflate_interval = 1s ; default\n"
			       "process.enabled = on ; default\n");
}
END_TEST

/* Never beyond the buffer, and always the whole length. */
START_TEST(formats_into_any_size)
{
	size_t whole;

	conf_defaults(&c);
	whole = conf_format_all(&c, text, sizeof(text));
	ck_assert_uint_eq(strlen(text), whole);
	for (size_t size = 0; size < 200; size++) {
		memset(other, '!', 300);
		ck_assert_uint_eq(conf_format_all(&c, other, size), whole);
		ck_assert_int_eq(other[size], '!');
		if (size > 0) {
			ck_assert_uint_eq(strlen(other), size - 1);
			ck_assert_int_eq(strncmp(other, text, size - 1), 0);
		}
	}
	ck_assert_uint_eq(conf_format_default_ini(NULL, 0), conf_format_default_ini(text, 100));
}
END_TEST

/* As it is, with every option that could be given without changing anything, and with those that
 * are shown but not set. */
START_TEST(default_ini_is_the_defaults)
{
	struct conf defaults;
	size_t at = 0;

	ck_assert_uint_lt(conf_format_default_ini(text, sizeof(text)), CONF_FILE_MAX);
	ck_assert_str_eq(conf_try_ini(&c, text), "");
	conf_defaults(&defaults);
	ck_assert_mem_eq(&c.settings.choice, &defaults.settings.choice, sizeof(c.settings.choice));
	conf_format_all(&defaults, text, sizeof(text));
	conf_format_all(&c, other, sizeof(other));
	for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
		size_t length = (size_t)(strstr(line, " ; ") - line);

		ck_assert_int_eq(strncmp(other + at, line, length), 0);
		at += strcspn(other + at, "\n") + 1;
	}
	ck_assert_int_eq(other[at], '\0');
}
END_TEST

START_TEST(default_ini_shows_every_option)
{
	char line[128];

	conf_format_default_ini(text, sizeof(text));
	for (size_t i = 0; i < conf_table_size; i++) {
		const struct conf_option *option = &conf_table[i];
		bool hidden = option->flags & CONF_NOT_IN_INI;
		bool set = option->initial && !(option->flags & CONF_INI_ONLY);

		snprintf(line, sizeof(line), "\n%s%s = %s\n", set ? "" : ";", option->key,
			set ? option->initial : option->example);
		ck_assert_msg((strstr(text, line) != NULL) != hidden, "%s", line);
		if (option->env && !hidden && option->lock == CONF_MUTEX)
			ck_assert_msg(strstr(text, option->env) != NULL, "%s", option->env);
	}
	for (char *at = strtok(text, "\n"); at; at = strtok(NULL, "\n"))
		ck_assert_msg(strlen(at) <= 100, "%s", at);
}
END_TEST

static const char *read_shipped(const char *name)
{
	char path[1024];
	ssize_t length;
	int fd;

	snprintf(path, sizeof(path), "%s/%s", CONF_DIRECTORY, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	ck_assert_msg(fd >= 0, "%s", path);
	length = read(fd, other, sizeof(other) - 1);
	close(fd);
	ck_assert_int_gt(length, 0);
	other[length] = '\0';
	return other;
}

START_TEST(shipped_default_is_current)
{
	conf_format_default_ini(text, sizeof(text));
	ck_assert_msg(strcmp(read_shipped("default.ini"), text) == 0,
		"conf/default.ini is not what the table says; write it anew with\n"
		"  relock config --default > conf/default.ini");
}
END_TEST

static const struct {
	const char *file, *mutex, *spin;
} shipped[] = {
	{"default.ini", "native", "native"},
	{"legacy.ini", "spin-sleep:spins=4095,yields=6,sleep=1ms,hint=default,hint_count=1",
		"spin-sleep:spins=4095,yields=6,sleep=1ms,hint=default,hint_count=1"},
	{"change.ini", "spin-yield:spins=255,hint=default,hint_count=1",
		"spin-yield:spins=255,hint=default,hint_count=1"},
	{"latency.ini", "spin-park:spins=100,hint=default,hint_count=1", "native"},
	{"oversubscribed.ini", "spin-yield:spins=15,hint=default,hint_count=1",
		"spin-yield:spins=15,hint=default,hint_count=1"},
};

START_TEST(shipped_files_mean_what_they_say)
{
	char choice[128];

	ck_assert_str_eq(conf_try_ini(&c, read_shipped(shipped[_i].file)), "");
	conf_format_choice(&c.settings.choice[CONF_MUTEX], choice, sizeof(choice));
	ck_assert_str_eq(choice, shipped[_i].mutex);
	conf_format_choice(&c.settings.choice[CONF_SPIN], choice, sizeof(choice));
	ck_assert_str_eq(choice, shipped[_i].spin);
}
END_TEST

Suite *conf_describe_suite(void)
{
	Suite *suite = suite_create("conf_describe");
	TCase *cases = tcase_create("describe");

	tcase_add_test(cases, table_is_whole);
	tcase_add_test(cases, every_tunable_is_an_option);
	tcase_add_loop_test(cases, examples_are_valid, 0, (int)conf_table_size);
	tcase_add_test(cases, finds_options);
	tcase_add_test(cases, formats_all);
	tcase_add_test(cases, formats_into_any_size);
	tcase_add_test(cases, default_ini_is_the_defaults);
	tcase_add_test(cases, default_ini_shows_every_option);
	tcase_add_test(cases, shipped_default_is_current);
	tcase_add_loop_test(cases, shipped_files_mean_what_they_say, 0,
		(int)(sizeof(shipped) / sizeof(shipped[0])));
	suite_add_tcase(suite, cases);
	return suite;
}
