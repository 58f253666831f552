/*
 * Configuration files: the input is an INI file, read as the library reads it.
 *
 * Whatever it says, it is either right, and then all that writes the settings down agrees with it,
 * or it is refused with a message of one line.
 */
#include "conf/conf.h"
#include "tests/fuzz/fuzz.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static struct conf first, second;
static struct conf_error error;
static char text[256 * 1024], again[256 * 1024];
static char variable[CONF_OPTIONS_MAX][CONF_EXPORT_MAX + 64];

/* The message is one whole line. */
static void check_refusal(void)
{
	size_t length = strnlen(error.message, sizeof(error.message));

	fuzz_must(length > 0 && length < sizeof(error.message));
	fuzz_must(strpbrk(error.message, "\n\r") == NULL);
}

/* A length that was announced is the length that is written. */
static void check_texts(const struct conf *c)
{
	size_t length = conf_format_all(c, text, sizeof(text));

	fuzz_must(length < sizeof(text) && strlen(text) == length);
	fuzz_must(conf_format_all(c, again, 1) == length);
	for (size_t i = 0; i < conf_table_size; i++) {
		length = conf_format_value(c, i, text, sizeof(text));
		fuzz_must(length < sizeof(text) && strlen(text) == length);
		length = conf_format_origin(c, i, text, sizeof(text));
		fuzz_must(length < sizeof(text) && strlen(text) == length);
	}
}

/* Rules in force, given to another configuration as text, are the same rules. */
static void check_rules(const struct conf *c)
{
	static const struct lock_birth births[] = {
		{CONF_MUTEX, "libfoo.so.1", 0x10}, {CONF_SPIN, "server", 0x5040}};

	fuzz_must(conf_format_lock_rules(c, text, sizeof(text)) < sizeof(text));
	conf_defaults(&second);
	if (!conf_set(&second, "rules", text, FROM_COMMAND_LINE, "-r", &error)) {
		fprintf(stderr, "%s\n%s\n", text, error.message);
		fuzz_must(!"rules can be read back");
	}
	fuzz_must(conf_format_lock_rules(&second, again, sizeof(again)) < sizeof(again));
	fuzz_same(text, again);
	for (size_t i = 0; i < sizeof(births) / sizeof(births[0]); i++)
		fuzz_must(conf_match_lock(c, &births[i]) == conf_match_lock(&second, &births[i]));
}

/* A program that is given the exported variables besides its own arrives at the same settings.
 * Names of files are made absolute meanwhile, and rules ended by "none". */
static void check_exports(const struct conf *c, const char *process, char *own)
{
	char *environment[CONF_OPTIONS_MAX + 2] = {own};
	size_t count = 1;

	for (size_t i = 0; i < conf_table_size; i++) {
		char *v = variable[count];
		size_t name = conf_table[i].env ? strlen(conf_table[i].env) + 1 : 0;

		if (conf_export(c, i, "/", v + name, CONF_EXPORT_MAX) != EXPORT_SET)
			continue;
		memcpy(v, conf_table[i].env, name);
		v[name - 1] = '=';
		environment[count++] = v;
	}
	environment[count] = NULL;
	if (!conf_load_process(&second, process, environment, &error)) {
		fprintf(stderr, "%s\n", error.message);
		fuzz_must(!"exports can be read back");
	}
	for (size_t i = 0; i < conf_table_size; i++) {
		if (conf_table[i].type == TYPE_TEXT || conf_table[i].type == TYPE_RULES)
			continue;
		conf_format_value(c, i, text, sizeof(text));
		conf_format_value(&second, i, again, sizeof(again));
		fuzz_must(strcmp(text, again) == 0);
	}
	fuzz_must(second.settings.enabled == c->settings.enabled);
}

static void check(const char *path, const char *process)
{
	static char setting[64];
	char *environment[] = {setting, NULL};

	snprintf(setting, sizeof(setting), "RELOCK_CONFIG=%s", path);
	if (!conf_load_process(&first, process, environment, &error)) {
		check_refusal();
		fuzz_must(!first.settings.enabled);
		return;
	}
	check_texts(&first);
	check_rules(&first);
	check_exports(&first, process, setting);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int file = memfd_create("fuzz.ini", MFD_CLOEXEC);
	char path[32];

	fuzz_must(file >= 0 && write(file, data, size) == (ssize_t)size);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", file);
	check(path, "java");
	check(path, "db_bench");
	conf_defaults(&first);
	if (!conf_load_ini(&first, path, &error))
		check_refusal();
	close(file);
	return 0;
}
