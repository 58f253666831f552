/* Rules per lock: those of each place, which are in force, which matches. */
#include "conf/internal.h"

#include <string.h>

/* --- places */

static enum conf_layer_id layer_of(enum conf_rules_from from)
{
	static const enum conf_layer_id layers[RULES_PLACES] = {
		[RULES_COMMAND_LINE] = LAYER_COMMAND_LINE,
		[RULES_ENVIRONMENT] = LAYER_ENVIRONMENT,
		[RULES_INI] = LAYER_INI,
	};

	return layers[from];
}

struct lock_rules *conf_rules_of(struct conf *c, enum conf_layer_id layer)
{
	for (unsigned from = 0; from < RULES_PLACES; from++) {
		if (layer_of(from) == layer)
			return &c->lock_rules[from];
	}
	return NULL;
}

void conf_clear_rules(struct conf *c, enum conf_layer_id layer)
{
	struct lock_rules *rules = conf_rules_of(c, layer);

	if (!rules)
		return;
	rules->count = rules->ranges = rules->texts = 0;
	rules->ended = false;
}

struct lock_rule *conf_rule_new(
	struct lock_rules *rules, const struct place *place, struct conf_error *error)
{
	struct lock_rule *rule = &rules->rule[rules->count];

	if (rules->count == CONF_LOCK_RULES_MAX) {
		conf_fail(error, place, "too many rules per lock; at most %d", CONF_LOCK_RULES_MAX);
		return NULL;
	}
	memset(rule, 0, sizeof(*rule));
	rule->kind = CONF_LOCKS;
	rule->line = place->line;
	rules->count++;
	return rule;
}

/* --- those in force */

/* False: the list ends here. */
static bool enforce(struct conf *c, enum conf_rules_from from, size_t *wanted)
{
	const struct lock_rules *rules = &c->lock_rules[from];

	for (size_t i = 0; i < rules->count; i++) {
		if (*wanted < CONF_LOCK_RULES_MAX)
			c->in_force[c->in_force_count++] =
				(struct lock_rule_at){(uint8_t)from, (uint8_t)i};
		++*wanted;
	}
	return !rules->ended;
}

bool conf_settle_rules(struct conf *c, enum conf_layer_id upto, struct conf_error *error)
{
	const struct place place = {"rules per lock", 0, NULL};
	size_t wanted = 0, length;

	c->in_force_count = 0;
	for (unsigned from = 0; from < RULES_PLACES; from++) {
		if (layer_of(from) <= upto && !enforce(c, from, &wanted))
			break;
	}
	if (wanted > CONF_LOCK_RULES_MAX)
		return conf_fail(error, &place,
			"command line, environment and INI file have %zu together; at most %d",
			wanted, CONF_LOCK_RULES_MAX);
	length = wanted ? conf_format_lock_rules(c, NULL, 0) : 0;
	return length < CONF_RULES_TEXT_MAX ||
	       conf_fail(error, &place,
		       "they have %zu characters together; at most %d: name fewer classes", length,
		       CONF_RULES_TEXT_MAX - 1);
}

size_t conf_lock_rules(const struct conf *c)
{
	return c->in_force_count;
}

const struct lock_rule *conf_lock_rule(const struct conf *c, size_t i)
{
	return &c->lock_rules[c->in_force[i].from].rule[c->in_force[i].index];
}

const char *conf_lock_rule_text(const struct conf *c, size_t i, uint16_t text)
{
	return text ? c->lock_rules[c->in_force[i].from].text + text : "";
}

/* --- matching */

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static bool in_ranges(const struct lock_rules *rules, const struct lock_rule *rule,
	const char *module, uint64_t offset)
{
	for (size_t i = 0; i < rule->ranges; i++) {
		const struct lock_range *range = &rules->range[rule->range + i];

		if (offset >= range->low && offset <= range->high &&
			strcmp(rules->text + range->module, module) == 0)
			return true;
	}
	return false;
}

static bool rule_matches(const struct lock_rules *rules, const struct lock_rule *rule,
	const struct lock_birth *birth)
{
	const char *module = birth->module ? base_name(birth->module) : NULL;

	if (rule->symbol || rule->never)
		return false;
	if (rule->kind != CONF_LOCKS && rule->kind != birth->kind)
		return false;
	if (rule->module && (!module || !conf_match(rules->text + rule->module, module)))
		return false;
	return rule->ranges == 0 || (module && in_ranges(rules, rule, module, birth->offset));
}

size_t conf_match_lock(const struct conf *c, const struct lock_birth *birth)
{
	for (size_t i = 0; i < c->in_force_count; i++) {
		if (rule_matches(&c->lock_rules[c->in_force[i].from], conf_lock_rule(c, i), birth))
			return i + 1;
	}
	return 0;
}
