/* Rules per lock as text. */
#include "conf/internal.h"

#include <string.h>

#define BLANKS " \t"
#define POLICY_MAX 256

/* A piece of a text without the blanks around it. */
struct piece {
	const char *at;
	size_t length;
};

/* Whether the character at `at` has a backslash before it that means it. */
static bool is_escaped(const char *from, const char *at)
{
	const char *first = at;

	while (first > from && first[-1] == '\\')
		first--;
	return (at - first) % 2 != 0;
}

static struct piece piece_of(const char *from, const char *end)
{
	while (from < end && strchr(BLANKS, *from))
		from++;
	while (from < end && strchr(BLANKS, end[-1]) && !is_escaped(from, end - 1))
		end--;
	return (struct piece){from, (size_t)(end - from)};
}

/* The first of the stops that has no backslash before it, or the end. */
static const char *find_stop(const char *at, const char *stops)
{
	for (; *at && !strchr(stops, *at); at++) {
		if (*at == '\\' && at[1])
			at++;
	}
	return at;
}

static bool fail_shape(const char *rule, const struct place *place, struct conf_error *error)
{
	char quoted[CONF_QUOTE_MAX];

	return conf_fail(error, place,
		"%s is no rule; write MATCH=POLICY, as in class=libfoo.so.1+0x4546a=spin-park or "
		"kind=mutex,module=libfoo*=native",
		conf_quote(quoted, rule));
}

static const char *find_key(struct piece word)
{
	for (unsigned i = 0; i < CONF_MATCH_KEYS; i++) {
		if (strlen(conf_match_keys[i]) == word.length &&
			memcmp(conf_match_keys[i], word.at, word.length) == 0)
			return conf_match_keys[i];
	}
	return NULL;
}

static bool fail_key(struct piece word, const struct place *place, struct conf_error *error)
{
	char text[CONF_QUOTE_MAX];
	size_t length = word.length < sizeof(text) ? word.length : sizeof(text) - 1;

	memcpy(text, word.at, length);
	text[length] = '\0';
	return conf_fail_name(
		error, place, "key", text, " of a rule per lock", conf_match_keys, CONF_MATCH_KEYS);
}

/* The name of a rule is no pattern: its backslashes have done their work. */
static void unescape(char *text)
{
	char *to = text;

	for (; *text; text++) {
		if (*text == '\\' && text[1])
			text++;
		*to++ = *text;
	}
	*to = '\0';
}

/* "KEY=VALUE" at *at, up to the ',' or '=' behind. */
static bool parse_match(struct lock_rules *rules, struct lock_rule *rule, uint32_t *given,
	const char **at, const struct place *place, struct conf_error *error)
{
	const char *equals = find_stop(*at, ",=;"), *stop, *key;
	struct piece word = piece_of(*at, equals), value;
	struct place here = {place->where, place->line, NULL};
	uint32_t bit = 0;

	if (*equals != '=')
		return fail_shape(*at, place, error);
	key = here.key = find_key(word);
	if (!key)
		return fail_key(word, place, error);
	while (conf_match_keys[bit] != key)
		bit++;
	if (*given & 1u << bit)
		return conf_fail(error, place, "\"%s\" is given twice in a rule", key);
	*given |= 1u << bit;
	stop = find_stop(equals + 1, ",=;");
	value = piece_of(equals + 1, stop);
	if (!conf_rule_set(rules, rule, key, value.at, value.length, &here, error))
		return false;
	if (strcmp(key, "name") == 0)
		unescape(rules->text + rule->name);
	if (*stop != '=' && *stop != ',')
		return conf_fail(error, place,
			"a rule lacks its policy; write MATCH=POLICY, as in "
			"class=libfoo.so.1+0x4546a=spin-park");
	*at = stop;
	return true;
}

static bool parse_policy(struct lock_rule *rule, const char **at, const struct place *place,
	struct conf_error *error)
{
	const char *end = find_stop(*at, ";");
	struct piece policy = piece_of(*at, end);
	char text[POLICY_MAX];

	if (policy.length >= sizeof(text))
		return conf_fail(error, place,
			"the policy of a rule has %zu characters; at most %d", policy.length,
			POLICY_MAX - 1);
	memcpy(text, policy.at, policy.length);
	text[policy.length] = '\0';
	*at = end;
	return conf_rule_set_policy(rule, text, place, error);
}

static bool parse_rule(struct lock_rules *rules, const char **at, const struct place *place,
	struct conf_error *error)
{
	struct lock_rule *rule = conf_rule_new(rules, place, error);
	uint32_t given = 0;

	if (!rule)
		return false;
	do {
		if (!parse_match(rules, rule, &given, at, place, error))
			return false;
	} while (*(*at)++ == ',');
	return parse_policy(rule, at, place, error);
}

/* As the option itself is `place`, a key in it is not named again. */
bool conf_parse_rules(struct lock_rules *rules, const char *text, const struct place *place,
	struct conf_error *error)
{
	const struct place here = {place->where, place->line, NULL};
	const char *at = text;

	for (;;) {
		const char *end = find_stop(at, ";");
		struct piece rule = piece_of(at, end);

		if (rule.length == 4 && memcmp(rule.at, "none", 4) == 0) {
			rules->ended = true;
			at = end;
		} else if (rule.length == 0) {
			at = end;
		} else if (rules->ended) {
			return conf_fail(
				error, &here, "no rule can follow \"none\", which ends the list");
		} else if (!parse_rule(rules, &at, &here, error)) {
			return false;
		}
		if (*at++ != ';')
			return true;
	}
}

const char *conf_policy_of_rule(const char *rule)
{
	do {
		rule = find_stop(rule, "=");
		rule = *rule ? find_stop(rule + 1, ",=;") : rule;
	} while (*rule++ == ',');
	return rule[-1] == '=' ? rule : "";
}

/* --- writing */

/* Blanks at either end would be taken for blanks around it. */
static void add_literal(struct text *t, const char *text)
{
	const char *first = text;

	for (; *text; text++) {
		bool edge = (text == first || !text[1]) && strchr(BLANKS, *text);

		text_add(t, "%s%c", edge || strchr(",=;|\\", *text) ? "\\" : "", *text);
	}
}

/* A pattern from an INI file has them bare, and may end in a backslash, which means itself. */
static void add_pattern(struct text *t, const char *text)
{
	for (; *text; text++) {
		if (*text == '\\' && text[1])
			text_add(t, "%c", *text++);
		else if (strchr(",=;\\", *text))
			text_add(t, "\\");
		text_add(t, "%c", *text);
	}
}

static void add_classes(
	struct text *t, const struct lock_rules *rules, const struct lock_rule *rule)
{
	uint16_t module = 0;

	for (size_t i = 0; i < rule->ranges; i++) {
		const struct lock_range *range = &rules->range[rule->range + i];

		text_add(t, "%s", i > 0 ? "|" : "");
		if (range->module != module) {
			add_literal(t, rules->text + range->module);
			text_add(t, "+");
		}
		module = range->module;
		text_add(t, "0x%llx", (unsigned long long)range->low);
		if (range->high != range->low)
			text_add(t, "-0x%llx", (unsigned long long)range->high);
	}
}

static void add_rule(struct text *t, const struct lock_rules *rules, const struct lock_rule *rule)
{
	size_t start = t->length;

	if (rule->name) {
		text_add(t, "name=");
		add_literal(t, rules->text + rule->name);
	}
	if (rule->kind != CONF_LOCKS)
		text_add(t, "%skind=%s", t->length > start ? "," : "", conf_kind_names[rule->kind]);
	if (rule->module) {
		text_add(t, "%smodule=", t->length > start ? "," : "");
		add_pattern(t, rules->text + rule->module);
	}
	if (rule->ranges) {
		text_add(t, "%sclass=", t->length > start ? "," : "");
		add_classes(t, rules, rule);
	}
	if (rule->symbol) {
		text_add(t, "%ssymbol=", t->length > start ? "," : "");
		add_pattern(t, rules->text + rule->symbol);
	}
	text_add(t, "=");
	conf_format_choice_of(t, &rule->choice, rule->choice.policy->uses);
}

void conf_add_rule_in_force(struct text *t, const struct conf *c, size_t i)
{
	add_rule(t, &c->lock_rules[c->in_force[i].from], conf_lock_rule(c, i));
}

size_t conf_format_lock_rule(const struct conf *c, size_t i, char *out, size_t size)
{
	struct text t = text_start(out, size);

	conf_add_rule_in_force(&t, c, i);
	return t.length;
}

size_t conf_format_lock_rule_origin(const struct conf *c, size_t i, char *out, size_t size)
{
	struct text t = text_start(out, size);

	if (c->in_force[i].from == RULES_INI)
		text_add(&t, "%s:%d", c->origins.ini, conf_lock_rule(c, i)->line);
	else
		text_add(&t, c->in_force[i].from == RULES_ENVIRONMENT ? "RELOCK_RULES" : "-r");
	return t.length;
}

size_t conf_format_lock_rules(const struct conf *c, char *out, size_t size)
{
	struct text t = text_start(out, size);

	for (size_t i = 0; i < c->in_force_count; i++) {
		if (conf_lock_rule(c, i)->never)
			continue;
		conf_add_rule_in_force(&t, c, i);
		text_add(&t, ";");
	}
	text_add(&t, "none");
	return t.length;
}

size_t conf_format_class(const char *module, uint64_t offset, char *out, size_t size)
{
	struct text t = text_start(out, size);

	add_literal(&t, module);
	text_add(&t, "+0x%llx", (unsigned long long)offset);
	return t.length;
}
