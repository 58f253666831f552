#include "cli/resolve.h"
#include "cli/cli.h"
#include "cli/libraries.h"
#include "stats/report/lookup.h"
#include "stats/report/memory.h"

#include <stdlib.h>
#include <string.h>

/* Where a symbol is. */
struct places {
	struct conf_found *place;
	size_t count, capacity;
	const char *module; /* being looked at */
};

static void add(void *data, uint64_t low, uint64_t high)
{
	struct places *p = data;

	p->place = memory_grow(p->place, p->count, &p->capacity, sizeof(*p->place));
	p->place[p->count++] = (struct conf_found){p->module, low, high};
}

static int compare(const void *a, const void *b)
{
	const struct conf_found *x = a, *y = b;
	int order = strcmp(x->module, y->module);

	if (order != 0)
		return order;
	return x->low < y->low ? -1 : x->low > y->low;
}

static void look_into(struct places *p, const char *path, const char *symbol, const char *module)
{
	p->module = basename(path);
	if (*module && !conf_match(module, p->module))
		return;
	if (!lookup_symbols(path, symbol, add, p))
		cli_say("'%s' could not be searched for the symbol '%s'", path, symbol);
}

/* The files a symbol may be in. */
struct files {
	char image[PATH_MAX]; /* the library knows it by the file that is mapped, not by a link */
	struct libraries libraries;
};

static void say_nowhere(
	const char *where, const char *symbol, const struct files *files, const char *effect)
{
	cli_say("%s: no variable or function in '%s' or its %zu libraries matches the symbol "
		"'%s'%s; for code that is inlined, or loaded later, give the class that 'relock "
		"report "
		"--rules' tells",
		where, basename(files->image), files->libraries.count, symbol, effect);
}

static bool resolve(const struct files *files, struct conf *conf, size_t i)
{
	const struct lock_rule *rule = conf_lock_rule(conf, i);
	const char *symbol = conf_lock_rule_text(conf, i, rule->symbol);
	const char *module = conf_lock_rule_text(conf, i, rule->module);
	bool refused = conf->in_force[i].from == RULES_COMMAND_LINE;
	struct places places = {0};
	char where[CONF_PATH_MAX];
	struct conf_error error;
	bool done;

	look_into(&places, files->image, symbol, module);
	for (size_t n = 0; n < files->libraries.count; n++)
		if (files->libraries.list[n].path)
			look_into(&places, files->libraries.list[n].path, symbol, module);
	if (places.count > 0)
		qsort(places.place, places.count, sizeof(*places.place), compare);
	done = conf_resolve(conf, i, places.place, places.count, &error);
	free(places.place);
	conf_format_lock_rule_origin(conf, i, where, sizeof(where));
	if (!done)
		cli_say("%s: %s", where, error.message);
	else if (conf_lock_rule(conf, i)->never)
		say_nowhere(where, symbol, files, refused ? "" : ", so this rule has no effect");
	return done && !(refused && conf_lock_rule(conf, i)->never);
}

bool resolve_rules(const struct program *program, struct conf *conf)
{
	struct files files = {0};
	bool done = true, open = false;

	for (size_t i = 0; i < conf_lock_rules(conf) && done; i++) {
		if (!conf_lock_rule(conf, i)->symbol)
			continue;
		if (!open) {
			if (!realpath(program->image, files.image))
				snprintf(files.image, sizeof(files.image), "%s", program->image);
			libraries_list(program->interpreter, program->image, &files.libraries);
			open = true;
		}
		done = resolve(&files, conf, i);
	}
	libraries_free(&files.libraries);
	return done;
}
