/* Rules per lock in an INI file: the sections [lock "name"]. */
#include "conf/internal.h"

#include <string.h>

bool conf_enter_lock(struct lock_section *section, struct lock_rules *rules, const char *name,
	const struct place *place, struct conf_error *error)
{
	const struct place named = {place->where, place->line, "name"};
	char quoted[CONF_QUOTE_MAX];

	for (size_t i = 0; i < rules->count; i++) {
		if (strcmp(rules->text + rules->rule[i].name, name) == 0)
			return conf_fail(error, place,
				"section [lock %s] appears twice; first on line %d",
				conf_quote(quoted, name), rules->rule[i].line);
	}
	memset(section, 0, sizeof(*section));
	section->line = place->line;
	section->rule = conf_rule_new(rules, place, error);
	return section->rule &&
	       conf_rule_set(rules, section->rule, "name", name, strlen(name), &named, error);
}

static bool fail_twice(
	const char *key, int line, const struct place *place, struct conf_error *error)
{
	return conf_fail(
		error, place, "\"%s\" is given twice in [lock]; first on line %d", key, line);
}

static bool fail_unknown(const char *key, const struct place *place, struct conf_error *error)
{
	const struct place here = {place->where, place->line, NULL};
	const char *names[CONF_MATCH_KEYS + 1 + TUNABLE_IDS];
	size_t count = 0;

	for (unsigned i = 0; i < CONF_MATCH_KEYS; i++) {
		if (strcmp(conf_match_keys[i], "name") != 0)
			names[count++] = conf_match_keys[i];
	}
	names[count++] = "policy";
	for (unsigned id = 0; id < TUNABLE_IDS; id++)
		names[count++] = tunable_table[id].name;
	return conf_fail_name(error, &here, "key", key, " in [lock]", names, count);
}

/* Kept until the section's policy is known, since that may stand below. */
static bool assign_tunable(struct lock_section *section, enum tunable_id id, const char *text,
	const struct place *place, struct conf_error *error)
{
	uint64_t number;

	if (section->tuned_line[id])
		return fail_twice(place->key, section->tuned_line[id], place, error);
	if (!conf_parse_tunable(id, text, place, &number, error))
		return false;
	tunable_set(&section->tunables, id, number);
	section->tuned_line[id] = place->line;
	return true;
}

static bool assign_match(struct lock_section *section, struct lock_rules *rules, unsigned key,
	const char *text, const struct place *place, struct conf_error *error)
{
	if (section->key_line[key])
		return fail_twice(place->key, section->key_line[key], place, error);
	section->key_line[key] = place->line;
	return conf_rule_set(
		rules, section->rule, conf_match_keys[key], text, strlen(text), place, error);
}

bool conf_assign_lock(struct lock_section *section, struct lock_rules *rules, const char *key,
	const char *text, const struct place *place, struct conf_error *error)
{
	if (!*text)
		return conf_fail(error, place, "%s needs a value", key);
	if (strcmp(key, "policy") == 0) {
		if (section->policy_line)
			return fail_twice(key, section->policy_line, place, error);
		section->policy_line = place->line;
		return conf_rule_set_policy(section->rule, text, place, error);
	}
	for (unsigned i = 0; i < CONF_MATCH_KEYS; i++) {
		if (strcmp(conf_match_keys[i], key) == 0 && strcmp(key, "name") != 0)
			return assign_match(section, rules, i, text, place, error);
	}
	for (unsigned id = 0; id < TUNABLE_IDS; id++) {
		if (strcmp(tunable_table[id].name, key) == 0)
			return assign_tunable(section, id, text, place, error);
	}
	return fail_unknown(key, place, error);
}

static bool fail_unread(const struct lock_section *section, const struct policy *policy,
	enum tunable_id id, const struct place *place, struct conf_error *error)
{
	const struct place here = {place->where, section->tuned_line[id], NULL};
	const char *names[TUNABLE_IDS];
	char reads[128];
	struct text t = text_start(reads, sizeof(reads));
	size_t count = conf_tunable_names(policy->uses, names);

	text_add(&t, count == 0 ? "no tunables" : "");
	text_add_names(&t, names, count);
	return conf_fail(error, &here, "policy %s (line %d) does not read \"%s\"; it reads %s",
		policy->name, section->policy_line, tunable_table[id].name, reads);
}

static bool matches_something(const struct lock_section *section)
{
	for (unsigned i = 0; i < CONF_MATCH_KEYS; i++) {
		if (section->key_line[i])
			return true;
	}
	return false;
}

bool conf_leave_lock(
	struct lock_section *section, const struct place *place, struct conf_error *error)
{
	const struct place here = {place->where, section->line, NULL};
	struct lock_rule *rule = section->rule;

	if (!rule)
		return true;
	section->rule = NULL;
	if (!matches_something(section))
		return conf_fail(error, &here,
			"this [lock] section does not say which locks; valid: kind, module, class, "
			"symbol");
	if (!section->policy_line)
		return conf_fail(error, &here, "this [lock] section has no policy");
	for (unsigned id = 0; id < TUNABLE_IDS; id++) {
		if (!section->tuned_line[id])
			continue;
		if (!(rule->choice.policy->uses & TUNES(id)))
			return fail_unread(section, rule->choice.policy, id, place, error);
		tunable_set(&rule->choice.tunables, id, tunable_get(&section->tunables, id));
	}
	return true;
}
