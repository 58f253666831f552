#include "cli/environment.h"
#include "cli/cli.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool listed(const char *list, const char *name)
{
	size_t length = strlen(name);

	for (; *list; list += strcspn(list, ": "), list += strspn(list, ": "))
		if (strncmp(list, name, length) == 0 && strcspn(list, ": ") == length)
			return true;
	return false;
}

/* Puts the library before what is preloaded already; once is enough, for a run within a run. */
static bool preload(const struct environment *wanted)
{
	const char *before = getenv("LD_PRELOAD");
	bool there = before && listed(before, wanted->library);
	size_t size = strlen(wanted->library) + strlen(wanted->first) + 3;
	char *text;
	bool done;

	size += before ? strlen(before) : 0;
	text = malloc(size);
	if (!text)
		return false;
	snprintf(text, size, "%s%s%s%s%s", wanted->first, wanted->first[0] ? ":" : "",
		there ? "" : wanted->library, !there && before && before[0] ? ":" : "",
		before ? before : "");
	done = setenv("LD_PRELOAD", text, 1) == 0;
	free(text);
	return done;
}

static bool export_option(const struct conf *conf, size_t index, const char *directory)
{
	const struct conf_option *option = &conf_table[index];
	static char value[CONF_EXPORT_MAX];

	if (!option->env)
		return true;
	switch (conf_export(conf, index, directory, value, sizeof(value))) {
	case EXPORT_SET:
		return setenv(option->env, value, 1) == 0;
	case EXPORT_UNSET:
		return unsetenv(option->env) == 0;
	case EXPORT_KEEP:
		break;
	}
	return true;
}

bool environment_apply(const struct environment *wanted)
{
	char directory[PATH_MAX];
	bool done = true;

	if (!getcwd(directory, sizeof(directory)))
		directory[0] = '\0';
	for (size_t i = 0; i < conf_table_size; i++)
		done = done && export_option(wanted->conf, i, directory);
	done = done && setenv("RELOCK_OUTPUT", wanted->output, 1) == 0 &&
	       setenv("RELOCK_RUN_ID", wanted->run_id, 1) == 0 &&
	       (!wanted->library || preload(wanted));
	if (!done)
		cli_say("the program's environment could not be made: out of memory");
	return done;
}
