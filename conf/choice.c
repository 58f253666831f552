#include "conf/internal.h"

#include <stdio.h>
#include <string.h>

#define PAIR_MAX 64

size_t conf_policy_names(const char **names)
{
	size_t count = 0;

	while (policy_registry[count] && count < CONF_NAMES_MAX) {
		names[count] = policy_registry[count]->name;
		count++;
	}
	return count;
}

size_t conf_tunable_names(uint32_t mask, const char **names)
{
	size_t count = 0;

	for (unsigned id = 0; id < TUNABLE_IDS; id++) {
		if (mask & TUNES(id))
			names[count++] = tunable_table[id].name;
	}
	return count;
}

static bool parse_hint(
	const char *text, const struct place *place, uint64_t *out, struct conf_error *error)
{
	const char *names[HINT_COUNT];
	enum arch_hint hint;
	size_t count = 0;

	if (arch_hint_parse(text, &hint) && arch_hint_available(hint)) {
		*out = hint;
		return true;
	}
	for (hint = 0; hint < HINT_COUNT; hint++) {
		if (arch_hint_available(hint))
			names[count++] = arch_hint_name(hint);
	}
	if (arch_hint_parse(text, &hint)) {
		struct text t = text_start(error->message, sizeof(error->message));

		conf_fail_key(error, place, "this processor has no hint \"%s\"; valid: ", text);
		t.length = strlen(error->message);
		text_add_names(&t, names, count);
		return false;
	}
	return conf_fail_name(error, place, "value", text, "", names, count);
}

bool conf_parse_tunable(enum tunable_id id, const char *text, const struct place *place,
	uint64_t *out, struct conf_error *error)
{
	const struct tunable *tunable = &tunable_table[id];
	struct range range = {tunable->min, tunable->max};

	switch (tunable->kind) {
	case TUNABLE_HINT:
		return parse_hint(text, place, out, error);
	case TUNABLE_DURATION:
		return conf_parse_duration_in(text, range, place, out, error);
	case TUNABLE_COUNT:
		break;
	}
	return conf_parse_count_in(text, range, place, out, error);
}

void conf_format_tunable(struct text *t, enum tunable_id id, uint64_t value)
{
	char duration[32];

	switch (tunable_table[id].kind) {
	case TUNABLE_HINT:
		text_add(t, "%s", arch_hint_name((enum arch_hint)value));
		return;
	case TUNABLE_DURATION:
		conf_format_duration(value, duration, sizeof(duration));
		text_add(t, "%s", duration);
		return;
	case TUNABLE_COUNT:
		break;
	}
	text_add(t, "%llu", (unsigned long long)value);
}

static bool fail_tunable(const struct policy *policy, const char *key, const struct place *place,
	struct conf_error *error)
{
	const char *names[TUNABLE_IDS];
	size_t count = conf_tunable_names(policy->uses, names);
	char of[CONF_NAME_MAX];
	struct text t = text_start(of, sizeof(of));

	if (count == 0)
		return conf_fail(error, place, "policy %s has no tunables", policy->name);
	text_add(&t, " of %s", policy->name);
	return conf_fail_name(error, place, "tunable", key, of, names, count);
}

/* One "key=value"; the text is cut up in place. */
static bool parse_pair(
	char *pair, const struct place *place, struct conf_value *value, struct conf_error *error)
{
	const struct policy *policy = value->choice.policy;
	char *equals = strchr(pair, '='), quoted[CONF_QUOTE_MAX];
	struct place at = {place->where, place->line, pair};
	uint64_t number;

	if (!equals)
		return conf_fail(error, place, "%s lacks its value; write %s:key=value,key=value",
			conf_quote(quoted, pair), policy->name);
	*equals = '\0';
	for (unsigned id = 0; id < TUNABLE_IDS; id++) {
		if (strcmp(tunable_table[id].name, pair) != 0 || !(policy->uses & TUNES(id)))
			continue;
		if (value->tuned & TUNES(id))
			return conf_fail(error, place, "tunable \"%s\" is given twice", pair);
		if (!conf_parse_tunable(id, equals + 1, &at, &number, error))
			return false;
		tunable_set(&value->choice.tunables, id, number);
		value->tuned |= TUNES(id);
		return true;
	}
	return fail_tunable(policy, pair, place, error);
}

static bool parse_name(const char *text, size_t length, const struct place *place,
	struct conf_value *value, struct conf_error *error)
{
	const char *names[CONF_NAMES_MAX];
	char name[PAIR_MAX];

	snprintf(name, sizeof(name), "%.*s", (int)length, text);
	value->choice.policy = length < sizeof(name) ? policy_find(name) : NULL;
	if (!value->choice.policy)
		return conf_fail_name(
			error, place, "policy", name, "", names, conf_policy_names(names));
	value->choice.tunables = value->choice.policy->defaults;
	value->tuned = 0;
	return true;
}

bool conf_parse_choice_at(const char *text, const struct place *place, struct conf_value *value,
	struct conf_error *error)
{
	const struct place at = {place->where, place->line, NULL};
	size_t length = strcspn(text, ":");
	char pair[PAIR_MAX], quoted[CONF_QUOTE_MAX];

	if (!parse_name(text, length, &at, value, error))
		return false;
	for (text += length; *text; text += length) {
		text++;
		length = strcspn(text, ",");
		snprintf(pair, sizeof(pair), "%.*s", (int)length, text);
		if (length >= sizeof(pair))
			return conf_fail(error, &at, "%s is too long for a tunable and its value",
				conf_quote(quoted, pair));
		if (!parse_pair(pair, &at, value, error))
			return false;
	}
	return true;
}

bool conf_parse_choice(const char *text, struct policy_choice *out, struct conf_error *error)
{
	struct place nowhere = {NULL, 0, NULL};
	struct conf_value value;

	if (!conf_parse_choice_at(text, &nowhere, &value, error))
		return false;
	*out = value.choice;
	return true;
}

void conf_format_choice_of(struct text *t, const struct policy_choice *choice, uint32_t tunables)
{
	const char *separator = ":";

	text_add(t, "%s", choice->policy->name);
	for (unsigned id = 0; id < TUNABLE_IDS; id++) {
		if (!(tunables & TUNES(id)))
			continue;
		text_add(t, "%s%s=", separator, tunable_table[id].name);
		conf_format_tunable(t, id, tunable_get(&choice->tunables, id));
		separator = ",";
	}
}

size_t conf_format_choice(const struct policy_choice *choice, char *out, size_t size)
{
	struct text t = text_start(out, size);

	conf_format_choice_of(&t, choice, choice->policy->uses);
	return t.length;
}
