#include "conf/internal.h"

#include <string.h>

static bool fail_name(const char *name, const char *where, struct conf_error *error)
{
	const struct place place = {where, 0, NULL};
	static char full[CONF_OPTIONS_MAX][CONF_NAME_MAX];
	const char *names[CONF_OPTIONS_MAX], *near;
	char quoted[CONF_QUOTE_MAX];
	bool dotted = strchr(name, '.') != NULL;
	size_t count = 0;

	for (size_t i = 0; i < conf_table_size; i++) {
		if (conf_table[i].flags & (CONF_HIDDEN | CONF_INI_ONLY))
			continue;
		names[count] = dotted ? conf_name(i, full[count]) : conf_table[i].key;
		count++;
	}
	near = conf_nearest(name, names, count);
	return conf_fail(error, &place,
		"unknown option %s; %s%s%s`relock config --default` lists all",
		conf_quote(quoted, name), near ? "did you mean \"" : "", near ? near : "",
		near ? "\"? " : "");
}

/* A bare key that several sections have: "spins" alone says too little. */
static bool fail_ambiguous(const char *key, const char *where, struct conf_error *error)
{
	const struct place place = {where, 0, NULL};
	char list[CONF_MESSAGE_MAX], name[CONF_NAME_MAX];
	struct text t = text_start(list, sizeof(list));

	for (size_t i = 0; i < conf_table_size; i++) {
		if (strcmp(conf_table[i].key, key) == 0)
			text_add(&t, "%s%s", t.length > 0 ? ", " : "", conf_name(i, name));
	}
	if (t.length == 0)
		return fail_name(key, where, error);
	return conf_fail(error, &place, "\"%s\" is in several sections; valid: %s", key, list);
}

bool conf_set(struct conf *c, const char *name, const char *value, enum conf_origin origin,
	const char *where, struct conf_error *error)
{
	static const enum conf_layer_id layers[] = {[FROM_DEFAULT] = LAYER_DEFAULT,
		[FROM_INI] = LAYER_INI,
		[FROM_ENVIRONMENT] = LAYER_ENVIRONMENT,
		[FROM_COMMAND_LINE] = LAYER_COMMAND_LINE};
	size_t option = conf_find(name);
	struct place place = {where, 0, NULL};

	if (option == CONF_NONE)
		return strchr(name, '.') ? fail_name(name, where, error)
					 : fail_ambiguous(name, where, error);
	if (conf_table[option].flags & CONF_INI_ONLY)
		return conf_fail(error, &place, "\"%s\" can only be given in an INI file", name);
	if (strcmp(where, conf_table[option].env) != 0 &&
		(!conf_table[option].flag || strcmp(where, conf_table[option].flag) != 0))
		place.key = conf_table[option].key;
	if (!conf_assign(c, layers[origin], option, value, &place, error))
		return false;
	if (conf_table[option].type == TYPE_TEXT && conf_table[option].text == TEXT_CONFIG &&
		!conf_use_ini(c, value, where, error))
		return false;
	return conf_settle(c, LAYER_COMMAND_LINE, error);
}
