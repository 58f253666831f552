/*
 * What is written on a command line or in a variable: the first byte of the input says what the
 * rest is, so that corpus files can be read.
 *
 *	p policy    r rules per lock    d duration    s size    m pattern, newline, text
 *	o name pattern of a recording    k key=value    e environment, one variable a line
 *	f a symbol's places, given to the rules behind a newline
 *
 * What is accepted and written back is accepted again, and means the same.
 */
#include "conf/conf.h"
#include "tests/fuzz/fuzz.h"

#include <string.h>

#define VARIABLES_MAX 32

static struct conf conf, second;
static struct conf_error error;
static char text[256 * 1024], again[256 * 1024];

static void check_refusal(void)
{
	size_t length = strnlen(error.message, sizeof(error.message));

	fuzz_must(length > 0 && length < sizeof(error.message));
	fuzz_must(strpbrk(error.message, "\n\r") == NULL);
}

static void try_policy(char *input)
{
	struct policy_choice choice, back;

	if (!conf_parse_choice(input, &choice, &error)) {
		check_refusal();
		return;
	}
	fuzz_must(conf_format_choice(&choice, text, sizeof(text)) < sizeof(text));
	fuzz_must(conf_parse_choice(text, &back, &error));
	fuzz_must(back.policy == choice.policy);
	conf_format_choice(&back, again, sizeof(again));
	fuzz_must(strcmp(text, again) == 0);
}

static void check_rules(void)
{
	if (conf_format_lock_rules(&conf, text, sizeof(text)) >= sizeof(text))
		return;
	conf_defaults(&second);
	if (!conf_set(&second, "rules", text, FROM_ENVIRONMENT, "RELOCK_RULES", &error)) {
		fprintf(stderr, "%s\n%s\n", text, error.message);
		fuzz_must(!"rules can be read back");
	}
	conf_format_lock_rules(&second, again, sizeof(again));
	fuzz_same(text, again);
}

static void try_rules(char *input)
{
	static const struct lock_birth births[] = {{CONF_MUTEX, NULL, 0},
		{CONF_RWLOCK, "/usr/lib/libfoo.so.1", 0x1234}, {CONF_SPIN, "a", UINT64_MAX}};

	conf_defaults(&conf);
	if (!conf_set(&conf, "rules", input, FROM_COMMAND_LINE, "-r", &error)) {
		check_refusal();
		return;
	}
	check_rules();
	for (size_t i = 0; i < sizeof(births) / sizeof(births[0]); i++)
		fuzz_must(conf_match_lock(&conf, &births[i]) <= conf_lock_rules(&conf));
}

/* Three bytes a place, for every rule that has a symbol. */
static void try_found(char *input)
{
	struct conf_found found[64];
	size_t count = 0;
	char *rules = strchr(input, '\n');

	if (!rules)
		return;
	*rules = '\0';
	conf_defaults(&conf);
	if (!conf_set(&conf, "rules", rules + 1, FROM_COMMAND_LINE, "-r", &error))
		return;
	for (; strlen(input) >= 3 && count < 64; input += 3, count++) {
		uint64_t low = (uint64_t)(unsigned char)input[1] << (input[2] & 63);

		found[count] = (struct conf_found){
			input[0] % 2 ? "libfoo.so" : "b=;,|\\", low, low + (unsigned char)input[2]};
	}
	for (size_t i = 0; i < conf_lock_rules(&conf); i++)
		if (conf_lock_rule(&conf, i)->symbol &&
			!conf_resolve(&conf, i, found, count, &error)) {
			check_refusal();
			return;
		}
	check_rules();
}

static void try_duration(char *input)
{
	uint64_t value, back;

	if (!conf_parse_duration(input, &value))
		return;
	conf_format_duration(value, text, sizeof(text));
	fuzz_must(conf_parse_duration(text, &back) && back == value);
}

static void try_size(char *input)
{
	uint64_t value, back;

	if (!conf_parse_size(input, &value))
		return;
	conf_format_size(value, text, sizeof(text));
	fuzz_must(conf_parse_size(text, &back) && back == value);
}

static void try_match(char *input)
{
	char *newline = strchr(input, '\n');

	if (!newline)
		return;
	*newline = '\0';
	conf_match(input, newline + 1);
	fuzz_must(conf_match("*", newline + 1));
}

static void try_output(char *input)
{
	if (conf_expand_output(
		    input, "/directory", "../prog", 12345, "ho/st", 1700000000, text, 1024))
		fuzz_must(text[0] == '/' && strlen(text) < 1024);
	conf_expand_output(input, "/directory", "prog", 1, "host", 1, text, 8);
}

static void try_key(char *input)
{
	char *equals = strchr(input, '=');
	size_t length;

	if (!equals)
		return;
	*equals = '\0';
	conf_defaults(&conf);
	if (!conf_set(&conf, input, equals + 1, FROM_COMMAND_LINE, "--set", &error)) {
		check_refusal();
		return;
	}
	length = conf_format_all(&conf, text, sizeof(text));
	fuzz_must(length < sizeof(text) && strlen(text) == length);
}

static void try_environment(char *input)
{
	char *environment[VARIABLES_MAX + 1];
	size_t count = 0;

	for (char *line = strtok(input, "\n"); line && count < VARIABLES_MAX;
		line = strtok(NULL, "\n"))
		/* It would read a file of this machine. */
		if (strncmp(line, "RELOCK_CONFIG", 13) != 0)
			environment[count++] = line;
	environment[count] = NULL;
	if (!conf_load_process(&conf, "prog", environment, &error)) {
		check_refusal();
		fuzz_must(!conf.settings.enabled);
		return;
	}
	fuzz_must(conf_format_all(&conf, text, sizeof(text)) < sizeof(text));
}

static void (*try_of(char kind))(char *)
{
	static const struct {
		char kind;
		void (*try_it)(char *);
	} all[] = {{'p', try_policy}, {'r', try_rules}, {'f', try_found}, {'d', try_duration},
		{'s', try_size}, {'m', try_match}, {'o', try_output}, {'k', try_key},
		{'e', try_environment}};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (all[i].kind == kind)
			return all[i].try_it;
	return NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	void (*try_it)(char *) = size ? try_of((char)data[0]) : NULL;
	char *input;

	if (!try_it)
		return 0;
	input = malloc(size);
	fuzz_must(input != NULL);
	memcpy(input, data + 1, size - 1);
	input[size - 1] = '\0';
	try_it(input);
	free(input);
	return 0;
}
