/* Reads the arguments against the table of table.c. */
#include "cli/cli.h"
#include "conf/conf.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NAMES_MAX 64

const struct cli_option *cli_option_at(const struct cli_verb *verb, unsigned index)
{
	for (const struct cli_option *const *table = verb->options; *table; table++)
		for (const struct cli_option *option = *table; option->name; option++)
			if (index-- == 0)
				return option;
	return NULL;
}

/* Option number `index` of those that may stand here: the verb's, then the global ones. */
static const struct cli_option *candidate(const struct cli_verb *verb, unsigned index)
{
	unsigned own = 0;

	while (verb && cli_option_at(verb, own))
		own++;
	if (index < own)
		return cli_option_at(verb, index);
	for (const struct cli_option *option = cli_globals; option->name; option++)
		if (own++ == index)
			return option;
	return NULL;
}

static const struct cli_option *find_long(
	const struct cli_verb *verb, const char *name, size_t length)
{
	const struct cli_option *option;

	for (unsigned i = 0; (option = candidate(verb, i)); i++)
		if (strlen(option->name) == length && strncmp(option->name, name, length) == 0)
			return option;
	return NULL;
}

static const struct cli_option *find_letter(const struct cli_verb *verb, char letter)
{
	const struct cli_option *option;

	for (unsigned i = 0; (option = candidate(verb, i)); i++)
		if (option->letter == letter)
			return option;
	return NULL;
}

/* "relock run", or "relock" where no verb was read yet, for messages. */
static const char *spoken(const struct cli_verb *verb)
{
	static char text[64];

	snprintf(text, sizeof(text), "relock%s%s", verb ? " " : "", verb ? verb->name : "");
	return text;
}

static bool unknown_option(const struct cli_verb *verb, const char *word, size_t length)
{
	const char *names[NAMES_MAX];
	const struct cli_option *option;
	const char *near;
	char bare[64];
	unsigned count = 0;

	for (; count < NAMES_MAX && (option = candidate(verb, count)); count++)
		names[count] = option->name;
	snprintf(bare, sizeof(bare), "%.*s", (int)length, word + strspn(word, "-"));
	bare[strcspn(bare, "=")] = '\0';
	near = strncmp(word, "--", 2) == 0 ? conf_nearest(bare, names, count) : NULL;
	cli_say("unknown option '%.*s' for '%s'%s%s%s; '%s --help' lists them", (int)length, word,
		spoken(verb), near ? "; nearest: '--" : "", near ? near : "", near ? "'" : "",
		spoken(verb));
	return false;
}

static bool value_allowed(
	const struct cli_verb *verb, const struct cli_option *option, const char *value)
{
	char valid[256], near[96];
	size_t count = 0;

	if (!option->values)
		return true;
	for (; option->values[count]; count++)
		if (strcmp(option->values[count], value) == 0)
			return true;
	cli_values_text(option, valid, sizeof(valid));
	cli_say("%s --%s: '%s' is none of %s%s", spoken(verb), option->name, value, valid,
		cli_nearest(value, option->values, count, near, sizeof(near)));
	return false;
}

static bool give(struct cli_args *args, const struct cli_option *option, const char *value)
{
	if (option->value && !value) {
		cli_say("%s --%s takes a value, %s; for example: %s", spoken(args->verb),
			option->name, option->value, option->example);
		return false;
	}
	if (!option->value && value) {
		cli_say("%s --%s takes no value; leave out '=%s'", spoken(args->verb), option->name,
			value);
		return false;
	}
	if (value && !value_allowed(args->verb, option, value))
		return false;
	if (args->given_count == CLI_GIVEN_MAX) {
		cli_say("more than %d options; put settings into an INI file and name it with -c",
			CLI_GIVEN_MAX);
		return false;
	}
	args->given[args->given_count++] = (struct cli_given){option, value};
	return true;
}

/* "--name", "--name=value" or "--name value". *at is left on the last argument used. */
static bool parse_long(struct cli_args *args, char **argv, int argc, int *at)
{
	const char *name = argv[*at] + 2;
	size_t length = strcspn(name, "=");
	const struct cli_option *option = find_long(args->verb, name, length);
	const char *value = name[length] ? name + length + 1 : NULL;

	if (!option)
		return unknown_option(args->verb, argv[*at], length + 2);
	if (option->value && !value && *at + 1 < argc)
		value = argv[++*at];
	return give(args, option, value);
}

/* "-q", "-qv", "-n5" or "-n 5". */
static bool parse_letters(struct cli_args *args, char **argv, int argc, int *at)
{
	for (const char *letter = argv[*at] + 1; *letter; letter++) {
		const struct cli_option *option = find_letter(args->verb, *letter);
		char word[3] = {'-', *letter, '\0'};

		if (!option)
			return unknown_option(args->verb, word, 2);
		if (!option->value) {
			if (!give(args, option, NULL))
				return false;
			continue;
		}
		if (letter[1])
			return give(args, option, letter + 1);
		return give(args, option, *at + 1 < argc ? argv[++*at] : NULL);
	}
	return true;
}

static bool set_verb(struct cli_args *args, const char *word)
{
	const char *names[NAMES_MAX];
	unsigned count = 0;
	char near[96];

	for (const struct cli_verb *verb = cli_verbs; verb->name; verb++) {
		if (strcmp(verb->name, word) == 0) {
			args->verb = verb;
			return true;
		}
		names[count++] = verb->name;
	}
	cli_say("unknown verb '%s'%s; 'relock --help' lists them, and 'relock run -- %s' would run "
		"a program of that name",
		word, cli_nearest(word, names, count, near, sizeof(near)), word);
	return false;
}

static bool check_operands(const struct cli_args *args)
{
	const struct cli_verb *verb = args->verb;

	if (!verb || cli_has(args, "help") || cli_has(args, "version") || cli_has(args, "man"))
		return true;
	if (args->operand_count < verb->operands_min) {
		cli_say("'relock %s' needs %s; for example: relock %s", verb->name, verb->operands,
			verb->examples[0].command);
		return false;
	}
	if (args->operand_count > verb->operands_max) {
		cli_say("'relock %s' does not know what to do with '%s'; 'relock %s --help' tells "
			"how it is used",
			verb->name, args->operands[verb->operands_max], verb->name);
		return false;
	}
	return true;
}

bool cli_parse(int argc, char **argv, struct cli_args *args)
{
	bool options_ended = false;
	int kept = 0;

	*args = (struct cli_args){0};
	/* Operands are moved to the front of argv, so that they stand together. */
	args->operands = argv;
	for (int at = 1; at < argc; at++) {
		char *word = argv[at];

		if (!options_ended && strcmp(word, "--") == 0) {
			options_ended = true;
		} else if (!options_ended && word[0] == '-' && word[1] == '-') {
			if (!parse_long(args, argv, argc, &at))
				return false;
		} else if (!options_ended && word[0] == '-' && word[1]) {
			if (!parse_letters(args, argv, argc, &at))
				return false;
		} else if (!args->verb) {
			if (!set_verb(args, word))
				return false;
		} else {
			argv[kept++] = word;
			options_ended = options_ended || args->verb->takes_command;
		}
	}
	argv[kept] = NULL;
	args->operand_count = (unsigned)kept;
	return check_operands(args);
}

bool cli_has(const struct cli_args *args, const char *option)
{
	for (unsigned i = 0; i < args->given_count; i++)
		if (strcmp(args->given[i].option->name, option) == 0)
			return true;
	return false;
}

const char *cli_value(const struct cli_args *args, const char *option)
{
	for (unsigned i = args->given_count; i-- > 0;)
		if (strcmp(args->given[i].option->name, option) == 0)
			return args->given[i].value;
	return NULL;
}

bool cli_count(
	const struct cli_args *args, const char *option, unsigned min, unsigned max, unsigned *out)
{
	const char *text = cli_value(args, option);
	unsigned long number;
	char *end;

	if (!text)
		return true;
	errno = 0;
	number = strtoul(text, &end, 10);
	if (text[0] < '0' || text[0] > '9' || *end || errno || number < min || number > max) {
		cli_say("%s --%s: '%s' is not a number from %u to %u", spoken(args->verb), option,
			text, min, max);
		return false;
	}
	*out = (unsigned)number;
	return true;
}

bool cli_share(const struct cli_args *args, const char *option, double *out)
{
	const char *text = cli_value(args, option);
	double number;
	char *end;

	if (!text)
		return true;
	number = strtod(text, &end);
	if (text[0] >= '0' && text[0] <= '9' && strcmp(end + strspn(end, " "), "%") == 0 &&
		number < 1e6) {
		*out = number / 100;
		return true;
	}
	cli_say("%s --%s: '%s' is not a percentage, as in --%s 5%%", spoken(args->verb), option,
		text, option);
	return false;
}
