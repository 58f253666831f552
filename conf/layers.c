#include "conf/internal.h"

#include <string.h>

enum conf_origin conf_layer_origin(enum conf_layer_id layer)
{
	static const enum conf_origin origins[CONF_LAYERS] = {
		[LAYER_DEFAULT] = FROM_DEFAULT,
		[LAYER_INI] = FROM_INI,
		[LAYER_PROCESS] = FROM_INI,
		[LAYER_ENVIRONMENT] = FROM_ENVIRONMENT,
		[LAYER_COMMAND_LINE] = FROM_COMMAND_LINE,
	};

	return origins[layer];
}

enum conf_layer_id conf_given(const struct conf *c, size_t option, enum conf_layer_id upto)
{
	for (int layer = (int)upto; layer >= 0; layer--) {
		if (c->layers[layer].given[option])
			return (enum conf_layer_id)layer;
	}
	return CONF_LAYERS;
}

void conf_clear_layer(struct conf *c, enum conf_layer_id layer)
{
	memset(c->layers[layer].given, 0, sizeof(c->layers[layer].given));
	conf_clear_rules(c, layer);
}

bool conf_assign(struct conf *c, enum conf_layer_id layer, size_t option, const char *text,
	const struct place *place, struct conf_error *error)
{
	struct conf_layer *l = &c->layers[layer];

	if (!*text && layer != LAYER_DEFAULT)
		return conf_fail(error, place, "%s needs a value", conf_table[option].key);
	if (conf_table[option].type == TYPE_RULES) {
		struct lock_rules *rules = conf_rules_of(c, layer);

		if (!rules)
			return conf_fail(error, place, "there are no rules per lock by default");
		if (!conf_parse_rules(rules, text, place, error))
			return false;
	} else if (!conf_parse_value(option, text, place, &l->value[option], error)) {
		return false;
	}
	if (conf_table[option].type == TYPE_TEXT)
		conf_copy(l->text[conf_table[option].text], CONF_PATH_MAX, text);
	l->given[option] = true;
	l->line[option] = place->line;
	return true;
}

static void set_origin(struct conf *c, size_t option, enum conf_layer_id layer, size_t from)
{
	c->origins.origin[option] = (uint8_t)conf_layer_origin(layer);
	c->origins.from[option] = (uint8_t)from;
	c->origins.line[option] = c->layers[layer].line[from];
}

static void store_number(char *field, size_t size, uint64_t number)
{
	uint32_t narrow = (uint32_t)number;
	bool yes = number != 0;

	if (size == sizeof(number))
		memcpy(field, &number, size);
	else if (size == sizeof(narrow))
		memcpy(field, &narrow, size);
	else
		memcpy(field, &yes, sizeof(yes));
}

_Static_assert(sizeof(enum conf_holds) == sizeof(uint32_t), "stored as 32 bits");

static void settle_plain(struct conf *c, size_t index, enum conf_layer_id upto)
{
	const struct conf_option *option = &conf_table[index];
	enum conf_layer_id layer = conf_given(c, index, upto);
	char *field = (char *)&c->settings + option->field;

	set_origin(c, index, layer, index);
	if (option->size == 0)
		return;
	if (option->type == TYPE_TEXT)
		conf_copy(field, option->size, c->layers[layer].text[option->text]);
	else
		store_number(field, option->size, c->layers[layer].value[index].number);
}

/* "policy spin-sleep (line 6) does not read "budget"; it reads …" */
static bool fail_unread(const struct conf *c, enum conf_lock lock, size_t option,
	enum conf_layer_id layer, struct conf_error *error)
{
	const struct policy *policy = c->settings.choice[lock].policy;
	size_t policy_option = conf_policy_option(lock), count;
	const char *const where[CONF_LAYERS] = {
		"default", c->origins.ini, c->origins.ini, conf_table[option].env, "command line"};
	const struct place place = {where[layer], c->layers[layer].line[option], NULL};
	const char *names[TUNABLE_IDS];
	char reads[128], origin[32];
	struct text t = text_start(reads, sizeof(reads)), o = text_start(origin, sizeof(origin));

	count = conf_tunable_names(policy->uses, names);
	text_add(&t, count == 0 ? "no tunables" : "");
	text_add_names(&t, names, count);
	if (c->origins.origin[policy_option] == FROM_INI)
		text_add(&o, "line %d", c->origins.line[policy_option]);
	else
		conf_format_origin(c, policy_option, origin, sizeof(origin));
	return conf_fail(error, &place, "policy %s (%s) does not read \"%s\"; it reads %s",
		policy->name, origin, conf_table[option].key, reads);
}

/* A tunable given with a key of its own, in the policy's layer or a later one. */
static bool settle_tunable(struct conf *c, enum conf_lock lock, enum tunable_id id,
	enum conf_layer_id from, enum conf_layer_id upto, struct conf_error *error)
{
	struct policy_choice *choice = &c->settings.choice[lock];
	size_t option = conf_tunable_option(lock, id);
	enum conf_layer_id layer = conf_given(c, option, upto);

	if (layer == CONF_LAYERS || layer < from)
		return true;
	if (!(choice->policy->uses & TUNES(id)))
		return fail_unread(c, lock, option, layer, error);
	tunable_set(&choice->tunables, id, c->layers[layer].value[option].number);
	set_origin(c, option, layer, option);
	return true;
}

/* Within a layer the lock's own policy is the one that counts. */
static bool settle_lock(
	struct conf *c, enum conf_lock lock, enum conf_layer_id upto, struct conf_error *error)
{
	size_t own = conf_policy_option(lock), common = conf_policy_option(CONF_LOCKS);
	enum conf_layer_id own_layer = conf_given(c, own, upto);
	enum conf_layer_id common_layer = conf_given(c, common, upto);
	bool use_own = own_layer != CONF_LAYERS && own_layer >= common_layer;
	enum conf_layer_id layer = use_own ? own_layer : common_layer;
	size_t from = use_own ? own : common;
	const struct conf_value *value = &c->layers[layer].value[from];

	c->settings.choice[lock] = value->choice;
	set_origin(c, own, layer, from);
	for (unsigned id = 0; id < TUNABLE_IDS; id++) {
		size_t option = conf_tunable_option(lock, id);

		if (value->tuned & TUNES(id))
			set_origin(c, option, layer, from);
		else
			set_origin(c, option, LAYER_DEFAULT, option);
		if (!settle_tunable(c, lock, id, layer, upto, error))
			return false;
	}
	return true;
}

bool conf_settle(struct conf *c, enum conf_layer_id upto, struct conf_error *error)
{
	for (size_t i = 0; i < conf_table_size; i++) {
		if (conf_given(c, i, LAYER_DEFAULT) == LAYER_DEFAULT)
			settle_plain(c, i, upto);
	}
	for (unsigned lock = 0; lock < CONF_LOCKS; lock++) {
		if (!settle_lock(c, lock, upto, error))
			return false;
	}
	return conf_settle_rules(c, upto, error);
}
