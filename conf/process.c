#include "conf/internal.h"

#include <string.h>

struct conf_rule *conf_add_rule(
	struct conf *c, const char *pattern, const struct place *place, struct conf_error *error)
{
	struct conf_rule *rule;
	char quoted[CONF_QUOTE_MAX];

	for (size_t i = 0; i < c->rules_count; i++) {
		if (strcmp(c->rules[i].pattern, pattern) != 0)
			continue;
		conf_fail(error, place, "section [process %s] appears twice; first on line %d",
			conf_quote(quoted, pattern), c->rules[i].line);
		return NULL;
	}
	if (c->rules_count == CONF_PATTERNS_MAX) {
		conf_fail(
			error, place, "too many [process] sections; at most %d", CONF_PATTERNS_MAX);
		return NULL;
	}
	rule = &c->rules[c->rules_count];
	memset(rule, 0, sizeof(*rule));
	if (!conf_copy(rule->pattern, sizeof(rule->pattern), pattern)) {
		conf_fail(error, place,
			"the pattern of [process] is too long; at most %d characters",
			CONF_PATTERN_MAX - 1);
		return NULL;
	}
	rule->line = place->line;
	c->rules_count++;
	return rule;
}

bool conf_assign_rule(struct conf_rule *rule, const char *key, const char *text,
	const struct place *place, struct conf_error *error)
{
	size_t option = conf_find_key("process", key);
	bool is_policy = conf_table[option].type == TYPE_POLICY;
	int *line = is_policy ? &rule->policy_line : &rule->enabled_line;
	struct conf_value value;

	if (!*text)
		return conf_fail(error, place, "%s needs a value", key);
	if (*line > 0)
		return conf_fail(error, place,
			"\"%s\" is given twice in [process \"%s\"]; first on line %d", key,
			rule->pattern, *line);
	if (!conf_parse_value(option, text, place, &value, error))
		return false;
	*line = place->line;
	if (is_policy)
		rule->policy = value;
	else
		rule->enabled = value.number != 0;
	return true;
}

static void give(struct conf *c, size_t option, const struct conf_value *value, int line)
{
	struct conf_layer *layer = &c->layers[LAYER_PROCESS];

	layer->given[option] = true;
	layer->value[option] = *value;
	layer->line[option] = line;
}

void conf_apply_rules(struct conf *c)
{
	size_t enabled = conf_find_key("process", "enabled");
	size_t policy = conf_policy_option(CONF_LOCKS);
	struct conf_value on = {.number = 1}, off = {.number = 0};

	conf_clear_layer(c, LAYER_PROCESS);
	if (!*c->process)
		return;
	for (size_t i = 0; i < c->rules_count; i++) {
		const struct conf_rule *rule = &c->rules[i];

		if (rule->enabled_line > 0 && rule->enabled &&
			!c->layers[LAYER_PROCESS].given[enabled])
			give(c, enabled, &off, rule->enabled_line);
		if (!conf_match(rule->pattern, c->process))
			continue;
		if (rule->enabled_line > 0)
			give(c, enabled, rule->enabled ? &on : &off, rule->enabled_line);
		if (rule->policy_line > 0)
			give(c, policy, &rule->policy, rule->policy_line);
	}
}
