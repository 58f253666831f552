#include "conf/internal.h"

#include <string.h>

#define WIDTH 96 /* of comments in the annotated file */

static const struct conf_layer *effective_layer(const struct conf *c, size_t option)
{
	return &c->layers[conf_given(c, option, LAYER_COMMAND_LINE)];
}

static void add_policy(struct text *t, const struct conf *c, size_t index)
{
	enum conf_lock lock = conf_table[index].lock;
	size_t common = conf_policy_option(CONF_LOCKS);

	if (lock != CONF_LOCKS)
		text_add(t, "%s", c->settings.choice[lock].policy->name);
	else if (!(conf_table[index].flags & CONF_INI_ONLY))
		text_add(t, "%s", effective_layer(c, index)->value[index].choice.policy->name);
	else if (c->layers[LAYER_PROCESS].given[common])
		text_add(t, "%s", c->layers[LAYER_PROCESS].value[common].choice.policy->name);
}

size_t conf_format_value(const struct conf *c, size_t index, char *out, size_t size)
{
	const struct conf_option *option = &conf_table[index];
	struct text t = text_start(out, size);
	const struct policy_choice *choice;

	if (option->flags & CONF_OF_LOCK)
		return 0;
	switch (option->type) {
	case TYPE_POLICY:
		add_policy(&t, c, index);
		break;
	case TYPE_TUNABLE:
		choice = &c->settings.choice[option->lock];
		if (choice->policy->uses & TUNES(option->tunable))
			conf_format_tunable(&t, option->tunable,
				tunable_get(&choice->tunables, option->tunable));
		break;
	case TYPE_TEXT:
		text_add(&t, "%s", effective_layer(c, index)->text[option->text]);
		break;
	case TYPE_RULES:
		return conf_lock_rules(c) ? conf_format_lock_rules(c, out, size) : 0;
	case TYPE_MATCH:
		break;
	default:
		conf_format_number(&t, index, effective_layer(c, index)->value[index].number);
	}
	return t.length;
}

size_t conf_format_origin(const struct conf *c, size_t index, char *out, size_t size)
{
	const struct conf_option *from = &conf_table[c->origins.from[index]];
	struct text t = text_start(out, size);

	switch ((enum conf_origin)c->origins.origin[index]) {
	case FROM_DEFAULT:
		text_add(&t, "default");
		break;
	case FROM_INI:
		text_add(&t, "%s:%d", c->origins.ini, c->origins.line[index]);
		break;
	case FROM_ENVIRONMENT:
		text_add(&t, "%s", from->env);
		break;
	case FROM_COMMAND_LINE:
		text_add(&t, "%s", from->flag ? from->flag : "command line");
		break;
	}
	return t.length;
}

size_t conf_format_all(const struct conf *c, char *out, size_t size)
{
	struct text t = text_start(out, size);
	char name[CONF_NAME_MAX], value[CONF_PATH_MAX], origin[CONF_PATH_MAX];

	for (size_t i = 0; i < conf_table_size; i++) {
		if ((conf_table[i].flags & CONF_HIDDEN) || conf_table[i].type == TYPE_RULES ||
			conf_format_value(c, i, value, sizeof(value)) == 0)
			continue;
		conf_format_origin(c, i, origin, sizeof(origin));
		text_add(&t, "%s = %s ; %s\n", conf_name(i, name), value, origin);
	}
	for (size_t i = 0; i < conf_lock_rules(c); i++) {
		text_add(&t, "lock.%zu = ", i + 1);
		conf_add_rule_in_force(&t, c, i);
		conf_format_lock_rule_origin(c, i, origin, sizeof(origin));
		text_add(&t, " ; %s\n", origin);
	}
	return t.length;
}

/* --- the annotated INI file --- */

/* Sentences as comment lines of at most WIDTH characters. */
static void add_comment(struct text *t, const char *sentences)
{
	while (*sentences) {
		size_t length = strlen(sentences);

		if (length > WIDTH - 2) {
			length = WIDTH - 2;
			while (length > 0 && sentences[length] != ' ')
				length--;
		}
		text_add(t, "# %.*s\n", (int)length, sentences);
		sentences += length + strspn(sentences + length, " ");
	}
}

/* The default all policies share, or "spin-yield 255, spin-park 100". */
static void add_tunable_default(struct text *t, enum tunable_id id)
{
	const char *separator = "";
	uint64_t first = 0;
	bool any = false, differ = false;

	for (size_t i = 0; policy_registry[i]; i++) {
		uint64_t value = tunable_get(&policy_registry[i]->defaults, id);

		if (!(policy_registry[i]->uses & TUNES(id)))
			continue;
		differ = differ || (any && value != first);
		first = any ? first : value;
		any = true;
	}
	if (!differ) {
		conf_format_tunable(t, id, first);
		return;
	}
	for (size_t i = 0; policy_registry[i]; i++) {
		if (!(policy_registry[i]->uses & TUNES(id)))
			continue;
		text_add(t, "%s%s ", separator, policy_registry[i]->name);
		conf_format_tunable(t, id, tunable_get(&policy_registry[i]->defaults, id));
		separator = ", ";
	}
}

static void add_facts(struct text *t, size_t index, bool in_force)
{
	const struct conf_option *option = &conf_table[index];
	char line[CONF_MESSAGE_MAX], values[CONF_MESSAGE_MAX];
	struct text l = text_start(line, sizeof(line));

	if (conf_format_values(index, values, sizeof(values)) > 0) {
		text_add(&l, "Valid: %s", values);
		add_comment(t, line);
	}
	l = text_start(line, sizeof(line));
	text_add(&l, "Default: ");
	if (option->type == TYPE_TUNABLE)
		add_tunable_default(&l, option->tunable);
	else
		text_add(&l, "%s", option->initial ? option->initial : "not set");
	add_comment(t, line);
	if (in_force)
		text_add(t, "# Example: %s = %s\n", option->key, option->example);
	if (option->env)
		text_add(t, "# Also: %s%s%s\n", option->env, option->flag ? ", " : "",
			option->flag ? option->flag : "");
}

/* Whatever follows from another option is shown, but not in force. */
static void add_option(struct text *t, size_t index)
{
	const struct conf_option *option = &conf_table[index];
	bool brief = option->type == TYPE_TUNABLE && option->lock != CONF_MUTEX;
	bool in_force = option->initial && !(option->flags & CONF_INI_ONLY);

	if (!brief) {
		text_add(t, "\n");
		add_comment(t, conf_option_help(index));
		add_facts(t, index, in_force);
	}
	text_add(t, "%s%s = %s\n", in_force ? "" : ";", option->key,
		in_force ? option->initial : option->example);
}

size_t conf_format_default_ini(char *out, size_t size)
{
	struct text t = text_start(out, size);

	add_comment(&t,
		"Configuration of relock: every option, at its default. Lines that begin with "
		"';' show options that are not set. The environment overrides this file, "
		"and the command line overrides both: \"Also\" names the variable and the flag.");
	for (size_t s = 0; s < conf_sections_count; s++) {
		const char *section = conf_sections[s].name;
		const char *named = strcmp(section, "process") == 0 ? "pattern"
				    : strcmp(section, "lock") == 0  ? "name"
								    : NULL;

		text_add(&t, "\n");
		add_comment(&t, conf_sections[s].help);
		if (named)
			text_add(&t, ";[%s \"%s\"]\n", section, named);
		else
			text_add(&t, "[%s]\n", section);
		for (size_t i = 0; i < conf_table_size; i++) {
			if (strcmp(conf_table[i].section, section) == 0 &&
				!(conf_table[i].flags & CONF_NOT_IN_INI))
				add_option(&t, i);
		}
	}
	return t.length;
}
