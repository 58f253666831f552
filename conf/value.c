#include "conf/internal.h"

#include <string.h>

#define VALUES_MAX 64

static const char *const booleans[] = {"on", "off", "yes", "no", "true", "false", "1", "0"};
#define BOOLEANS (sizeof(booleans) / sizeof(booleans[0]))

/* Cuts "a|b|c" up in the buffer. */
size_t conf_enum_names(const char *values, char *buffer, size_t size, const char **names)
{
	size_t count = 0;
	char *rest = buffer, *bar;

	if (!conf_copy(buffer, size, values))
		return 0;
	while ((bar = strchr(rest, '|'))) {
		*bar = '\0';
		names[count++] = rest;
		rest = bar + 1;
	}
	names[count++] = rest;
	return count;
}

static bool parse_word(const char *text, const char *const *names, size_t count,
	const struct place *place, uint64_t *out, struct conf_error *error)
{
	for (size_t i = 0; i < count; i++) {
		if (strcmp(text, names[i]) == 0) {
			*out = i;
			return true;
		}
	}
	return conf_fail_name(error, place, "value", text, "", names, count);
}

static bool check_output(const char *text, const struct place *place, struct conf_error *error)
{
	for (; *text; text++) {
		if (*text != '%')
			continue;
		text++;
		if (!*text || !strchr("epht%", *text))
			return conf_fail_key(error, place,
				"unknown \"%%%.1s\"; valid: %%e, %%p, %%h, %%t, %%%%", text);
	}
	return true;
}

static bool check_text(
	size_t option, const char *text, const struct place *place, struct conf_error *error)
{
	size_t length = strlen(text);

	if (length > conf_table[option].max)
		return conf_fail_key(error, place, "%zu characters are too many; at most %llu",
			length, (unsigned long long)conf_table[option].max);
	if (conf_table[option].text == TEXT_OUTPUT)
		return check_output(text, place, error);
	return true;
}

bool conf_parse_value(size_t index, const char *text, const struct place *place,
	struct conf_value *value, struct conf_error *error)
{
	const struct conf_option *option = &conf_table[index];
	struct range range = {option->min, option->max};
	const char *names[CONF_NAMES_MAX];
	char buffer[VALUES_MAX];
	size_t count;

	switch (option->type) {
	case TYPE_POLICY:
		return conf_parse_choice_at(text, place, value, error);
	case TYPE_TUNABLE:
		return conf_parse_tunable(option->tunable, text, place, &value->number, error);
	case TYPE_BOOL:
		if (!parse_word(text, booleans, BOOLEANS, place, &value->number, error))
			return false;
		value->number = value->number % 2 == 0;
		return true;
	case TYPE_ENUM:
		count = conf_enum_names(option->values, buffer, sizeof(buffer), names);
		return parse_word(text, names, count, place, &value->number, error);
	case TYPE_COUNT:
		return conf_parse_count_in(text, range, place, &value->number, error);
	case TYPE_SIZE:
		return conf_parse_size_in(text, range, place, &value->number, error);
	case TYPE_DURATION:
		return conf_parse_duration_in(text, range, place, &value->number, error);
	case TYPE_TEXT:
	case TYPE_RULES: /* conf_parse_rules(), conf_rule_set() */
	case TYPE_MATCH:
		break;
	}
	return check_text(index, text, place, error);
}

void conf_format_number(struct text *t, size_t index, uint64_t number)
{
	const struct conf_option *option = &conf_table[index];
	const char *names[CONF_NAMES_MAX];
	char buffer[VALUES_MAX];

	switch (option->type) {
	case TYPE_TUNABLE:
		conf_format_tunable(t, option->tunable, number);
		return;
	case TYPE_BOOL:
		text_add(t, "%s", number ? "on" : "off");
		return;
	case TYPE_ENUM:
		conf_enum_names(option->values, buffer, sizeof(buffer), names);
		text_add(t, "%s", names[number]);
		return;
	case TYPE_SIZE:
		conf_format_size(number, buffer, sizeof(buffer));
		text_add(t, "%s", buffer);
		return;
	case TYPE_DURATION:
		conf_format_duration(number, buffer, sizeof(buffer));
		text_add(t, "%s", buffer);
		return;
	default:
		text_add(t, "%llu", (unsigned long long)number);
	}
}

/* Every hint of any architecture, since documentation is read on other machines too. */
static void add_tunable_values(struct text *t, const struct tunable *tunable)
{
	char min[32], max[32];

	if (tunable->kind == TUNABLE_COUNT) {
		text_add(t, "%llu to %llu", (unsigned long long)tunable->min,
			(unsigned long long)tunable->max);
		return;
	}
	if (tunable->kind == TUNABLE_DURATION) {
		conf_format_duration(tunable->min, min, sizeof(min));
		conf_format_duration(tunable->max, max, sizeof(max));
		text_add(t, "%s to %s", min, max);
		return;
	}
	for (unsigned hint = 0; hint < HINT_COUNT; hint++)
		text_add(t, "%s%s", hint > 0 ? ", " : "", arch_hint_name(hint));
}

size_t conf_format_values(size_t index, char *out, size_t size)
{
	const struct conf_option *option = &conf_table[index];
	struct text t = text_start(out, size);
	const char *names[CONF_NAMES_MAX];
	char buffer[VALUES_MAX];

	switch (option->type) {
	case TYPE_POLICY:
		text_add_names(&t, names, conf_policy_names(names));
		break;
	case TYPE_TUNABLE:
		add_tunable_values(&t, &tunable_table[option->tunable]);
		break;
	case TYPE_BOOL:
		text_add(&t, "on, off");
		break;
	case TYPE_ENUM:
		text_add_names(
			&t, names, conf_enum_names(option->values, buffer, sizeof(buffer), names));
		break;
	case TYPE_MATCH:
		if (strcmp(option->key, "kind") == 0)
			text_add_names(&t, conf_kind_names, CONF_LOCKS);
		break;
	case TYPE_TEXT:
	case TYPE_RULES:
		break;
	default:
		conf_format_number(&t, index, option->min);
		text_add(&t, " to ");
		conf_format_number(&t, index, option->max);
	}
	return t.length;
}
