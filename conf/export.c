#include "conf/internal.h"

#include <string.h>

/* In a pattern, a percent sign of the directory's own is written twice. */
static void add_directory(struct text *t, const char *directory, bool is_pattern)
{
	for (; *directory; directory++)
		text_add(t, "%s%c", is_pattern && *directory == '%' ? "%" : "", *directory);
	text_add(t, "/");
}

/* Files keep their place when the program, or one it starts, works in another directory. */
static enum conf_export export_file(const struct conf *c, size_t option, const char *directory,
	enum conf_layer_id layer, struct text *t)
{
	enum conf_text id = conf_table[option].text;
	const char *name = c->layers[layer].text[id];
	bool relative = *name && *name != '/' && id != TEXT_RUN_ID;

	if (!relative && layer != LAYER_COMMAND_LINE)
		return EXPORT_KEEP;
	if (relative)
		add_directory(t, directory, id == TEXT_OUTPUT);
	text_add(t, "%s", name);
	return EXPORT_SET;
}

/* The command line's policy starts from its own defaults: whatever the environment says about the
 * same locks, at the same level for the library, has to go. */
static bool is_overridden(const struct conf *c, size_t option)
{
	const bool *given = c->layers[LAYER_COMMAND_LINE].given;
	enum conf_lock lock = conf_table[option].lock;

	if (!c->layers[LAYER_ENVIRONMENT].given[option] || lock == CONF_LOCKS)
		return false;
	if (conf_table[option].type == TYPE_POLICY)
		return given[conf_policy_option(CONF_LOCKS)];
	if (conf_table[option].type == TYPE_TUNABLE)
		return given[conf_policy_option(CONF_LOCKS)] || given[conf_policy_option(lock)];
	return false;
}

/* All that are in force, since those of the INI file may have got their symbols resolved here. */
static enum conf_export export_rules(const struct conf *c, size_t option, struct text *t)
{
	bool given = c->layers[LAYER_COMMAND_LINE].given[option] ||
		     c->layers[LAYER_ENVIRONMENT].given[option];

	if (!given && conf_lock_rules(c) == 0)
		return EXPORT_KEEP;
	t->length = conf_format_lock_rules(c, t->out, t->size);
	return EXPORT_SET;
}

enum conf_export conf_export(
	const struct conf *c, size_t index, const char *directory, char *out, size_t size)
{
	const struct conf_option *option = &conf_table[index];
	const struct conf_layer *line = &c->layers[LAYER_COMMAND_LINE];
	const struct conf_value *value = &line->value[index];
	enum conf_export what = EXPORT_SET;
	struct text t = text_start(out, size);

	if (!option->env)
		return EXPORT_KEEP;
	if (option->type == TYPE_RULES)
		what = export_rules(c, index, &t);
	else if (option->type == TYPE_TEXT)
		what = export_file(
			c, index, directory, conf_given(c, index, LAYER_COMMAND_LINE), &t);
	else if (!line->given[index])
		what = is_overridden(c, index) ? EXPORT_UNSET : EXPORT_KEEP;
	else if (option->type == TYPE_POLICY)
		conf_format_choice_of(&t, &value->choice, value->tuned);
	else
		conf_format_number(&t, index, value->number);
	return t.length < size ? what : EXPORT_KEEP;
}
