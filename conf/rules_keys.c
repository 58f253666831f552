/* Rules per lock: what they match by, and symbols that become classes. */
#include "conf/internal.h"

#include <string.h>

const char *const conf_match_keys[CONF_MATCH_KEYS] = {"kind", "module", "class", "symbol", "name"};

const char *const conf_kind_names[CONF_LOCKS] = {"mutex", "spin", "rwlock"};

/* --- texts and ranges */

/* Keeps a text; 0: no room. */
static uint16_t text_keep(struct lock_rules *rules, const char *text, size_t length)
{
	size_t at = rules->texts > 0 ? rules->texts : 1;

	rules->text[0] = '\0';
	if (length >= sizeof(rules->text) - at)
		return 0;
	memcpy(rules->text + at, text, length);
	rules->text[at + length] = '\0';
	rules->texts = at + length + 1;
	return (uint16_t)at;
}

static bool fail_room(const struct place *place, struct conf_error *error)
{
	return conf_fail(error, place,
		"too much text in rules per lock; at most %d characters of names and patterns",
		CONF_RULE_TEXTS_MAX);
}

/* The names of files are few: each is kept once. */
static uint16_t module_keep(struct lock_rules *rules, const char *module, size_t length)
{
	for (size_t i = 0; i < rules->ranges; i++) {
		const char *kept = rules->text + rules->range[i].module;

		if (strlen(kept) == length && memcmp(kept, module, length) == 0)
			return rules->range[i].module;
	}
	return text_keep(rules, module, length);
}

static bool range_add(struct lock_rules *rules, struct lock_rule *rule,
	const struct lock_range *range, const struct place *place, struct conf_error *error)
{
	if (rules->ranges == CONF_RANGES_MAX)
		return conf_fail(error, place,
			"the rules have too many classes; at most %d: name fewer, or the module",
			CONF_RANGES_MAX);
	if (rule->ranges == 0)
		rule->range = (uint16_t)rules->ranges;
	rules->range[rules->ranges++] = *range;
	rule->ranges++;
	return true;
}

/* --- keys */

static bool set_kind(struct lock_rule *rule, const char *value, size_t length,
	const struct place *place, struct conf_error *error)
{
	char word[CONF_QUOTE_MAX];

	for (unsigned kind = 0; kind < CONF_LOCKS; kind++) {
		const char *name = conf_kind_names[kind];

		if (strlen(name) == length && memcmp(name, value, length) == 0) {
			rule->kind = kind;
			return true;
		}
	}
	length = length < sizeof(word) ? length : sizeof(word) - 1;
	memcpy(word, value, length);
	word[length] = '\0';
	return conf_fail_name(error, place, "value", word, "", conf_kind_names, CONF_LOCKS);
}

/* "0x1f" at *at. */
static bool take_hex(const char **at, const char *end, uint64_t *out)
{
	const char *p = *at;
	unsigned digits = 0;

	if (end - p < 3 || p[0] != '0' || (p[1] != 'x' && p[1] != 'X'))
		return false;
	*out = 0;
	for (p += 2; p < end; p++, digits++) {
		char lower = (char)(*p | 0x20);

		if (*p >= '0' && *p <= '9')
			*out = *out << 4 | (unsigned)(*p - '0');
		else if (lower >= 'a' && lower <= 'f')
			*out = *out << 4 | (unsigned)(lower - 'a' + 10);
		else
			break;
	}
	*at = p;
	return digits > 0 && digits <= 16;
}

/* "0xLOW" or "0xLOW-0xHIGH", and nothing else up to the end. */
static bool take_range(const char *at, const char *end, struct lock_range *range)
{
	if (!take_hex(&at, end, &range->low))
		return false;
	range->high = range->low;
	if (at == end)
		return true;
	return *at++ == '-' && take_hex(&at, end, &range->high) && at == end &&
	       range->low <= range->high;
}

/* Where the last "+0x" begins; NULL: there is none. */
static const char *find_offset(const char *from, const char *end)
{
	for (const char *at = end; at - from >= 3; at--) {
		if (memcmp(at - 3, "+0x", 3) == 0)
			return at - 3;
	}
	return NULL;
}

static size_t without_backslashes(const char *from, size_t length, char *out)
{
	size_t n = 0;

	for (size_t i = 0; i < length; i++) {
		if (from[i] == '\\' && i + 1 < length)
			i++;
		out[n++] = from[i];
	}
	return n;
}

static bool fail_class(
	const char *value, size_t length, const struct place *place, struct conf_error *error)
{
	char word[CONF_QUOTE_MAX], quoted[CONF_QUOTE_MAX];

	length = length < sizeof(word) ? length : sizeof(word) - 1;
	memcpy(word, value, length);
	word[length] = '\0';
	return conf_fail_key(error, place,
		"%s is no class; write MODULE+0xOFFSET or MODULE+0xLOW-0xHIGH, as in "
		"libfoo.so.1+0x4546a; several are separated by '|'",
		conf_quote(quoted, word));
}

/* A file's name with its directories matches nothing. */
static bool check_module(
	const char *module, size_t length, const struct place *place, struct conf_error *error)
{
	if (!memchr(module, '/', length))
		return true;
	return conf_fail_key(error, place,
		"a file is known by its name, without directories: leave out what is before the "
		"last '/'");
}

/* A file's name with backslashes, before an offset. */
static bool set_module(struct lock_rules *rules, const char *from, size_t length,
	struct lock_range *range, const struct place *place, struct conf_error *error)
{
	char module[256];

	if (length == 0 || length >= sizeof(module))
		return fail_class(from, length, place, error);
	length = without_backslashes(from, length, module);
	if (!check_module(module, length, place, error))
		return false;
	range->module = module_keep(rules, module, length);
	return range->module || fail_room(place, error);
}

static bool set_class(struct lock_rules *rules, struct lock_rule *rule, const char *value,
	size_t length, const struct place *place, struct conf_error *error)
{
	const char *end = value + length, *at, *bar, *stop, *offset;
	struct lock_range range = {0};

	for (at = value; at <= end; at = bar + 1) {
		for (bar = at; bar < end && *bar != '|'; bar++)
			bar += *bar == '\\' && bar + 1 < end;
		at += strspn(at, " ");
		for (stop = bar; stop > at && stop[-1] == ' '; stop--)
			;
		offset = find_offset(at, stop);
		if (offset && !set_module(rules, at, (size_t)(offset - at), &range, place, error))
			return false;
		if (!range.module || !take_range(offset ? offset + 1 : at, stop, &range))
			return fail_class(value, length, place, error);
		if (!range_add(rules, rule, &range, place, error))
			return false;
	}
	return true;
}

static bool check_printable(
	const char *value, size_t length, const struct place *place, struct conf_error *error)
{
	for (size_t i = 0; i < length; i++) {
		if ((unsigned char)value[i] < 0x20 || value[i] == 0x7f)
			return conf_fail_key(error, place, "a control character in its value");
	}
	return true;
}

bool conf_rule_set(struct lock_rules *rules, struct lock_rule *rule, const char *key,
	const char *value, size_t length, const struct place *place, struct conf_error *error)
{
	uint16_t *text = strcmp(key, "module") == 0   ? &rule->module
			 : strcmp(key, "symbol") == 0 ? &rule->symbol
						      : &rule->name;

	if (length == 0)
		return conf_fail(error, place, "%s needs a value", key);
	if (!check_printable(value, length, place, error))
		return false;
	if (strcmp(key, "kind") == 0)
		return set_kind(rule, value, length, place, error);
	if (strcmp(key, "class") == 0)
		return set_class(rules, rule, value, length, place, error);
	if (text == &rule->module && !check_module(value, length, place, error))
		return false;
	*text = text_keep(rules, value, length);
	return *text ? true : fail_room(place, error);
}

bool conf_rule_set_policy(struct lock_rule *rule, const char *text, const struct place *place,
	struct conf_error *error)
{
	struct conf_value value;

	if (!conf_parse_choice_at(text, place, &value, error))
		return false;
	rule->choice = value.choice;
	return true;
}

/* --- symbols that became classes */

/* Adds a place, or makes the last one longer. */
static bool place_add(struct lock_rules *rules, struct lock_rule *rule, const char *module,
	uint64_t low, uint64_t high, struct conf_error *error)
{
	const struct place place = {rules->text + rule->symbol, 0, NULL};
	struct lock_range range = {low, high, module_keep(rules, module, strlen(module))};
	struct lock_range *last = rule->ranges ? &rules->range[rules->ranges - 1] : NULL;

	if (!range.module)
		return fail_room(&place, error);
	if (!last || last->module != range.module || low < last->low || low > last->high + 1)
		return range_add(rules, rule, &range, &place, error);
	if (high > last->high)
		last->high = high;
	return true;
}

/* Adds what of a found place is in the classes that the rule had. */
static bool place_within(struct lock_rules *rules, struct lock_rule *rule,
	const struct lock_rule *before, const struct conf_found *found, struct conf_error *error)
{
	if (rule->module && !conf_match(rules->text + rule->module, found->module))
		return true;
	if (before->ranges == 0)
		return place_add(rules, rule, found->module, found->low, found->high, error);
	for (size_t i = 0; i < before->ranges; i++) {
		const struct lock_range *range = &rules->range[before->range + i];
		uint64_t low = range->low > found->low ? range->low : found->low;
		uint64_t high = range->high < found->high ? range->high : found->high;

		if (low <= high && strcmp(rules->text + range->module, found->module) == 0 &&
			!place_add(rules, rule, found->module, low, high, error))
			return false;
	}
	return true;
}

bool conf_resolve(struct conf *c, size_t i, const struct conf_found *found, size_t count,
	struct conf_error *error)
{
	struct lock_rules *rules = &c->lock_rules[c->in_force[i].from];
	struct lock_rule *rule = &rules->rule[c->in_force[i].index];
	const struct lock_rule before = *rule;

	rule->ranges = 0;
	for (size_t n = 0; n < count; n++) {
		if (!place_within(rules, rule, &before, &found[n], error))
			return false;
	}
	rule->never = rule->ranges == 0;
	if (!rule->name)
		rule->name = rule->symbol;
	rule->symbol = 0;
	return conf_settle_rules(c, LAYER_COMMAND_LINE, error);
}
