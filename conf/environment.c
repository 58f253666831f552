#include "conf/internal.h"

#include <string.h>

/* Value of the assignment if it is one to the name. */
static const char *match(const char *assignment, const char *name)
{
	size_t length = strlen(name);

	return strncmp(assignment, name, length) == 0 && assignment[length] == '='
		       ? assignment + length + 1
		       : NULL;
}

/* A command line's file was read already, in place of this one. */
static bool load_config_variable(struct conf *c, char *const *environment, struct conf_error *error)
{
	size_t option = conf_text_option(TEXT_CONFIG);
	const char *env = conf_table[option].env, *path = NULL;
	const struct place place = {env, 0, NULL};

	for (; *environment && !path; environment++)
		path = match(*environment, env);
	if (!path || !*path)
		return true;
	if (!conf_assign(c, LAYER_ENVIRONMENT, option, path, &place, error))
		return false;
	return c->layers[LAYER_COMMAND_LINE].given[option] || conf_use_ini(c, path, env, error);
}

static bool fail_variable(const char *assignment, struct conf_error *error)
{
	const char *names[CONF_OPTIONS_MAX], *near;
	char name[CONF_NAME_MAX];
	const struct place place = {name, 0, NULL};
	size_t length = strcspn(assignment, "="), count = 0;

	if (length >= sizeof(name))
		return true;
	memcpy(name, assignment, length);
	name[length] = '\0';
	for (size_t i = 0; i < conf_table_size; i++) {
		if (conf_table[i].env && !(conf_table[i].flags & CONF_HIDDEN))
			names[count++] = conf_table[i].env;
	}
	near = conf_nearest_within(name, names, count, 2);
	return !near || conf_fail(error, &place,
				"unknown variable; did you mean %s? `relock config "
				"--default` lists all",
				near);
}

/* Of a variable that appears twice the first counts, as for getenv(). */
static bool load_variable(struct conf *c, const char *assignment, struct conf_error *error)
{
	for (size_t i = 0; i < conf_table_size; i++) {
		const char *value = conf_table[i].env ? match(assignment, conf_table[i].env) : NULL;
		const struct place place = {conf_table[i].env, 0, NULL};

		if (!value)
			continue;
		if (!*value || c->layers[LAYER_ENVIRONMENT].given[i])
			return true;
		return conf_assign(c, LAYER_ENVIRONMENT, i, value, &place, error);
	}
	return fail_variable(assignment, error);
}

bool conf_load_environment(struct conf *c, char *const *environment, struct conf_error *error)
{
	conf_clear_layer(c, LAYER_ENVIRONMENT);
	if (!load_config_variable(c, environment, error))
		return false;
	for (; *environment; environment++) {
		if (strncmp(*environment, "RELOCK_", 7) == 0 &&
			!load_variable(c, *environment, error))
			return false;
	}
	return conf_settle(c, LAYER_COMMAND_LINE, error);
}
