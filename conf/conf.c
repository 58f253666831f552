#include "conf/internal.h"

#include <errno.h>
#include <string.h>

void conf_defaults(struct conf *c)
{
	const struct place nowhere = {NULL, 0, NULL};
	struct conf_error error;

	memset(c, 0, offsetof(struct conf, in_force));
	for (unsigned layer = 0; layer < CONF_LAYERS; layer++)
		conf_clear_rules(c, layer);
	for (size_t i = 0; i < conf_table_size; i++) {
		if (conf_table[i].initial)
			conf_assign(c, LAYER_DEFAULT, i, conf_table[i].initial, &nowhere, &error);
	}
	conf_settle(c, LAYER_DEFAULT, &error);
}

/* The file has to be right by itself, whatever overrides it and whichever executable reads it. */
bool conf_use_ini(struct conf *c, const char *path, const char *via, struct conf_error *error)
{
	if (!conf_read_ini(c, path, via, error) || !conf_settle(c, LAYER_INI, error))
		return false;
	conf_apply_rules(c);
	return true;
}

bool conf_load_ini(struct conf *c, const char *path, struct conf_error *error)
{
	return conf_use_ini(c, path, NULL, error) && conf_settle(c, LAYER_COMMAND_LINE, error);
}

bool conf_load_process(
	struct conf *c, const char *process, char *const *environment, struct conf_error *error)
{
	struct text t = text_start(c->process, sizeof(c->process));
	int saved_errno = errno;
	bool fine;

	conf_defaults(c);
	text_add(&t, "%s", process);
	fine = conf_load_environment(c, environment, error);
	if (!fine) {
		conf_defaults(c);
		c->settings.enabled = false;
	}
	errno = saved_errno;
	return fine;
}
