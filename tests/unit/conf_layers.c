#include "tests/unit/conf_fixture.h"

#include <stdio.h>
#include <string.h>

static struct conf c;
static struct conf_error error;

enum { IN_INI = 1, IN_ENVIRONMENT = 2, IN_COMMAND_LINE = 4, EVERYWHERE = 7 };

/* Two values that differ from each other, the first from the default too. */
struct samples {
	char winner[64], loser[64];
};

static void sample_tunable(const struct tunable *tunable, struct samples *s)
{
	switch (tunable->kind) {
	case TUNABLE_HINT:
		strcpy(s->winner, "none");
		strcpy(s->loser, "nop");
		break;
	case TUNABLE_DURATION:
		conf_format_duration(tunable->max, s->winner, sizeof(s->winner));
		conf_format_duration(tunable->min, s->loser, sizeof(s->loser));
		break;
	case TUNABLE_COUNT:
		snprintf(s->winner, sizeof(s->winner), "%llu", (unsigned long long)tunable->max);
		snprintf(s->loser, sizeof(s->loser), "%llu", (unsigned long long)tunable->min);
	}
}

static void sample(const struct conf_option *option, struct samples *s)
{
	const char *last = option->values ? strrchr(option->values, '|') + 1 : NULL;

	switch (option->type) {
	case TYPE_POLICY:
		strcpy(s->winner, "backoff");
		strcpy(s->loser, "spin-park");
		break;
	case TYPE_TUNABLE:
		sample_tunable(&tunable_table[option->tunable], s);
		break;
	case TYPE_BOOL:
		strcpy(s->winner, strcmp(option->initial, "on") == 0 ? "off" : "on");
		strcpy(s->loser, option->initial);
		break;
	case TYPE_ENUM:
		strcpy(s->winner, last);
		snprintf(s->loser, sizeof(s->loser), "%.*s", (int)strcspn(option->values, "|"),
			option->values);
		break;
	case TYPE_SIZE:
		conf_format_size(option->max, s->winner, sizeof(s->winner));
		conf_format_size(option->min, s->loser, sizeof(s->loser));
		break;
	case TYPE_DURATION:
		conf_format_duration(option->max, s->winner, sizeof(s->winner));
		conf_format_duration(option->min, s->loser, sizeof(s->loser));
		break;
	case TYPE_COUNT:
		snprintf(s->winner, sizeof(s->winner), "%llu", (unsigned long long)option->max);
		snprintf(s->loser, sizeof(s->loser), "%llu", (unsigned long long)option->min);
		break;
	case TYPE_RULES:
	case TYPE_MATCH:
	case TYPE_TEXT:
		strcpy(s->winner, "winner");
		strcpy(s->loser, "loser");
	}
	ck_assert_str_ne(s->winner, s->loser);
}

static bool uses(const struct conf_option *option, const struct policy *policy)
{
	return option->type != TYPE_TUNABLE || (policy->uses & TUNES(option->tunable));
}

/* Gives the option in each of the levels: the winner in the last of them, the loser before. */
static void give(const struct conf_option *option, const struct samples *s, unsigned levels)
{
	const char *ini = levels > IN_INI ? s->loser : s->winner;
	const char *env = levels & IN_COMMAND_LINE ? s->loser : s->winner;
	char text[256], variable[256], name[64], config[] = "RELOCK_CONFIG=" INI;
	char *environment[] = {config, levels & IN_ENVIRONMENT ? variable : NULL, NULL};
	size_t policy = 0;

	conf_defaults(&c);
	while (!uses(option, policy_registry[policy]))
		policy++;
	ck_assert(conf_set(
		&c, "relock.policy", policy_registry[policy]->name, FROM_DEFAULT, "test", &error));
	snprintf(text, sizeof(text), "[%s]\n%s = %s\n", option->section, option->key, ini);
	conf_write(INI, text, levels & IN_INI ? strlen(text) : 0);
	snprintf(variable, sizeof(variable), "%s=%s", option->env, env);
	ck_assert_msg(conf_load_environment(&c, environment, &error), "%s", error.message);
	snprintf(name, sizeof(name), "%s.%s", option->section, option->key);
	if (levels & IN_COMMAND_LINE)
		ck_assert_msg(conf_set(&c, name, s->winner, FROM_COMMAND_LINE, "--set", &error),
			"%s", error.message);
}

static const char *origin_in(const struct conf_option *option, unsigned levels)
{
	if (levels & IN_COMMAND_LINE)
		return option->flag ? option->flag : "command line";
	if (levels & IN_ENVIRONMENT)
		return option->env;
	return levels & IN_INI ? INI ":2" : "default";
}

/* Every option, in every subset of the levels. */
START_TEST(later_level_wins)
{
	const struct conf_option *option = &conf_table[_i];
	unsigned where = option->flags & CONF_NOT_IN_INI ? EVERYWHERE - IN_INI : EVERYWHERE;
	char value[CONF_PATH_MAX], origin[CONF_PATH_MAX];
	struct samples s;

	/* Rules add up instead. */
	if (!option->env || strcmp(option->key, "config") == 0 || option->type == TYPE_RULES)
		return;
	sample(option, &s);
	for (unsigned levels = 0; levels <= EVERYWHERE; levels++) {
		if (levels & ~where)
			continue;
		give(option, &s, levels);
		conf_format_value(&c, (size_t)_i, value, sizeof(value));
		conf_format_origin(&c, (size_t)_i, origin, sizeof(origin));
		if (levels != 0)
			ck_assert_str_eq(value, s.winner);
		else
			ck_assert_str_ne(value, s.winner);
		ck_assert_str_eq(origin, origin_in(option, levels));
	}
}
END_TEST

START_TEST(config_names_the_file)
{
	char first[] = "RELOCK_CONFIG=" INI, depth[] = "RELOCK_STACK_DEPTH=3";
	char *environment[] = {depth, first, NULL};

	conf_write(INI, "[record]\nmax_locks = 5\nstack_depth = 6\n", 39);
	conf_write("other.ini", "[record]\nholds = all\n", 21);
	ck_assert_str_eq(conf_try_environment(&c, environment), "");
	ck_assert_str_eq(conf_value_of(&c, "config"), INI);
	ck_assert_str_eq(conf_origin_of(&c, "config"), "RELOCK_CONFIG");
	ck_assert_uint_eq(c.settings.max_locks, 5);
	ck_assert_uint_eq(c.settings.stack_depth, 3);
	/* -c takes its place, whether it comes after the environment was read … */
	ck_assert(conf_set(&c, "config", "other.ini", FROM_COMMAND_LINE, "-c", &error));
	ck_assert_uint_eq(c.settings.max_locks, 1000000);
	ck_assert_uint_eq(c.settings.stack_depth, 3);
	ck_assert_uint_eq(c.settings.holds, HOLDS_ALL);
	/* … or before. */
	conf_defaults(&c);
	ck_assert(conf_set(&c, "config", "other.ini", FROM_COMMAND_LINE, "-c", &error));
	ck_assert(conf_load_environment(&c, environment, &error));
	ck_assert_str_eq(conf_value_of(&c, "config"), "other.ini");
	ck_assert_str_eq(conf_origin_of(&c, "config"), "-c");
	ck_assert_uint_eq(c.settings.max_locks, 1000000);
	ck_assert_uint_eq(c.settings.holds, HOLDS_ALL);
	ck_assert_str_eq(conf_origin_of(&c, "holds"), "other.ini:2");
}
END_TEST

/* RELOCK_POLICY speaks for all locks, over what the file says about one kind. */
START_TEST(later_common_policy_beats_earlier_own)
{
	char config[] = "RELOCK_CONFIG=" INI, policy[] = "RELOCK_POLICY=spin-yield:spins=8";
	char *environment[] = {config, policy, NULL};
	static const char text[] = "[mutex]\npolicy = spin-park\nspins = 3\n";

	conf_write(INI, text, sizeof(text) - 1);
	ck_assert_str_eq(conf_try_environment(&c, environment), "");
	ck_assert_str_eq(conf_value_of(&c, "mutex.policy"), "spin-yield");
	ck_assert_str_eq(conf_origin_of(&c, "mutex.policy"), "RELOCK_POLICY");
	ck_assert_str_eq(conf_value_of(&c, "mutex.spins"), "8");
	ck_assert_str_eq(conf_origin_of(&c, "mutex.spins"), "RELOCK_POLICY");
	ck_assert_str_eq(conf_origin_of(&c, "mutex.hint"), "default");
}
END_TEST

/* In whatever order the environment has them. */
START_TEST(own_policy_beats_common_of_the_same_level)
{
	char common[] = "RELOCK_POLICY=spin-yield", own[] = "RELOCK_SPIN_POLICY=backoff";
	char spins[] = "RELOCK_SPIN_SPINS=5";
	char *orders[][4] = {{common, own, spins, NULL}, {spins, own, common, NULL}};

	for (unsigned i = 0; i < 2; i++) {
		ck_assert_str_eq(conf_try_environment(&c, orders[i]), "");
		ck_assert_str_eq(conf_value_of(&c, "spin.policy"), "backoff");
		ck_assert_str_eq(conf_value_of(&c, "spin.spins"), "5");
		ck_assert_str_eq(conf_value_of(&c, "mutex.policy"), "spin-yield");
		ck_assert_str_eq(conf_value_of(&c, "relock.policy"), "spin-yield");
	}
}
END_TEST

/* A new policy starts from its own defaults; the file's tunables were for another. */
START_TEST(new_policy_drops_earlier_tunables)
{
	char config[] = "RELOCK_CONFIG=" INI, policy[] = "RELOCK_MUTEX_POLICY=spin-yield";
	char *environment[] = {config, policy, NULL};
	static const char text[] = "[mutex]\npolicy = spin-yield-sleep\nspins = 3\nsleep = 5us\n";

	conf_write(INI, text, sizeof(text) - 1);
	ck_assert_str_eq(conf_try_environment(&c, environment), "");
	ck_assert_uint_eq(c.settings.choice[CONF_MUTEX].tunables.spins,
		policy_find("spin-yield")->defaults.spins);
	ck_assert_str_eq(conf_value_of(&c, "mutex.sleep"), "");
}
END_TEST

START_TEST(later_tunables_apply_to_an_earlier_policy)
{
	char config[] = "RELOCK_CONFIG=" INI, spins[] = "RELOCK_MUTEX_SPINS=4";
	char sleep[] = "RELOCK_MUTEX_SLEEP=1ms";
	char *environment[] = {config, spins, NULL}, *unread[] = {config, sleep, NULL};
	static const char text[] = "[mutex]\npolicy = spin-park\nspins = 3\nhint_count = 2\n";

	conf_write(INI, text, sizeof(text) - 1);
	ck_assert_str_eq(conf_try_environment(&c, environment), "");
	ck_assert_uint_eq(c.settings.choice[CONF_MUTEX].tunables.spins, 4);
	ck_assert_uint_eq(c.settings.choice[CONF_MUTEX].tunables.hint_count, 2);
	ck_assert_str_eq(conf_try_environment(&c, unread),
		"RELOCK_MUTEX_SLEEP: policy spin-park (line 2) does not read \"sleep\"; it reads "
		"spins, hint, hint_count");
}
END_TEST

/* The file is wrong for everyone, even where the environment would have hidden it. */
START_TEST(file_has_to_be_right_by_itself)
{
	char config[] = "RELOCK_CONFIG=" INI, policy[] = "RELOCK_POLICY=spin-park";
	char *environment[] = {config, policy, NULL};

	conf_write(INI, "[mutex]\nspins = 3\n", 18);
	ck_assert_str_eq(conf_try_environment(&c, environment),
		INI ":2: policy native (default) does not read \"spins\"; it reads no tunables");
}
END_TEST

Suite *conf_layers_suite(void)
{
	Suite *suite = suite_create("conf_layers");
	TCase *cases = tcase_create("layers");

	tcase_add_loop_test(cases, later_level_wins, 0, (int)conf_table_size);
	tcase_add_test(cases, config_names_the_file);
	tcase_add_test(cases, later_common_policy_beats_earlier_own);
	tcase_add_test(cases, own_policy_beats_common_of_the_same_level);
	tcase_add_test(cases, new_policy_drops_earlier_tunables);
	tcase_add_test(cases, later_tunables_apply_to_an_earlier_policy);
	tcase_add_test(cases, file_has_to_be_right_by_itself);
	suite_add_tcase(suite, cases);
	return suite;
}
