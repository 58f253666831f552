#include "cli/settings.h"
#include "cli/install.h"

#include <limits.h>
#include <string.h>
#include <unistd.h>

#define NAME_MAX_LENGTH 128

static bool complain(const struct conf_error *error)
{
	cli_say("%s", error->message);
	return false;
}

/* -c names a file, or one of the configurations that came with relock. */
static bool load_file(const struct cli_args *args, struct conf *conf)
{
	const char *name = cli_value(args, "config");
	char shipped[PATH_MAX];
	struct conf_error error;

	if (!name)
		return true;
	if (access(name, F_OK) != 0 && install_configuration(name, shipped, sizeof(shipped)))
		name = shipped;
	return conf_set(conf, "config", name, FROM_COMMAND_LINE, "-c", &error) || complain(&error);
}

/* Splits "section.key=value". *value is NULL when there is no "=". */
static void split(const char *text, char name[NAME_MAX_LENGTH], const char **value)
{
	size_t length = strcspn(text, "=");

	snprintf(name, NAME_MAX_LENGTH, "%.*s", (int)length, text);
	*value = text[length] ? text + length + 1 : NULL;
}

static bool is_policy(const char *name)
{
	size_t index = conf_find(name);

	return index != CONF_NONE && conf_table[index].type == TYPE_POLICY;
}

static bool apply(const struct cli_given *given, bool policies, struct conf *conf)
{
	const struct cli_option *option = given->option;
	char name[NAME_MAX_LENGTH], where[NAME_MAX_LENGTH];
	const char *value = given->value;
	struct conf_error error;

	snprintf(where, sizeof(where), "--%s", option->name);
	if (option->letter)
		snprintf(where, sizeof(where), "-%c", option->letter);
	if (option->setting)
		snprintf(name, sizeof(name), "%s", option->setting);
	else
		split(given->value, name, &value);
	if (is_policy(name) != policies)
		return true;
	if (!option->setting && !value) {
		cli_say("%s: '%s' has no '='; write it as in: %s", where, given->value,
			option->example);
		return false;
	}
	return conf_set(conf, name, value ? value : "on", FROM_COMMAND_LINE, where, &error) ||
	       complain(&error);
}

/* Policies first, before the environment too: a tunable is checked against the policy in force. */
static bool apply_all(const struct cli_args *args, bool policies, struct conf *conf)
{
	for (unsigned i = 0; i < args->given_count; i++) {
		const struct cli_option *option = args->given[i].option;

		if ((option->setting || strcmp(option->name, "set") == 0) &&
			!apply(&args->given[i], policies, conf))
			return false;
	}
	return true;
}

bool settings_load(const struct cli_args *args, const char *process, struct conf *conf)
{
	struct conf_error error;

	conf_defaults(conf);
	snprintf(conf->process, sizeof(conf->process), "%s", process);
	if (!load_file(args, conf) || !apply_all(args, true, conf))
		return false;
	if (!conf_load_environment(conf, environ, &error))
		return complain(&error);
	return apply_all(args, false, conf);
}
