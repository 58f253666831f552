/* Help texts, made from the table. */
#include "cli/cli.h"

#include <string.h>

#define WIDTH 80

/* Bytes of the word at `text`, and in *columns how wide it is on a terminal. */
static size_t word_length(const char *text, unsigned *columns)
{
	size_t length = 0;

	*columns = 0;
	for (; text[length] && text[length] != ' ' && text[length] != '\n'; length++)
		*columns += ((unsigned char)text[length] & 0xc0) != 0x80; /* UTF-8 lead bytes */
	return length;
}

void cli_fold(FILE *out, const char *text, unsigned indent, unsigned width, bool started)
{
	unsigned column = started ? indent : 0, columns;

	while (*text) {
		size_t length = word_length(text, &columns);

		if (length && column > indent && column + 1 + columns > width) {
			fputc('\n', out);
			column = 0;
		}
		if (length) {
			if (column == 0)
				column = (unsigned)fprintf(out, "%*s", (int)indent, "");
			else if (column > indent)
				column += (unsigned)fprintf(out, " ");
			fwrite(text, 1, length, out);
			column += columns;
			text += length;
		}
		text += strspn(text, " ");
		if (*text == '\n') {
			fputc('\n', out);
			column = 0;
			text++;
		}
	}
	fputc('\n', out);
}

/* "  term   text", or the text below a term that is too wide. */
static void print_row(FILE *out, const char *term, const char *text, unsigned indent)
{
	int width = fprintf(out, "  %s", term);
	bool fits = (unsigned)width + 2 <= indent;

	if (fits)
		fprintf(out, "%*s", (int)indent - width, "");
	else
		fputc('\n', out);
	cli_fold(out, text, indent, WIDTH, fits);
}

void cli_values_text(const struct cli_option *option, char *out, size_t size)
{
	size_t used = 0;

	out[0] = '\0';
	for (const char *const *value = option->values; value && *value && used < size; value++)
		used += (size_t)snprintf(out + used, size - used, "%s%s",
			value == option->values ? "" : ", ", *value);
}

static void print_values(FILE *out, const struct cli_option *option, unsigned indent)
{
	char text[256];

	if (option->values && !option->value_help) {
		cli_values_text(option, text, sizeof(text));
		fprintf(out, "%*sOne of: %s.\n", (int)indent, "", text);
	}
	for (size_t i = 0; option->value_help && option->values[i]; i++) {
		int width = fprintf(out, "%*s  %-10s ", (int)indent, "", option->values[i]);

		cli_fold(out, option->value_help(i), (unsigned)width, WIDTH, true);
	}
}

static void print_option(FILE *out, const struct cli_option *option)
{
	const unsigned indent = 26;
	char term[96], letter[8] = "";

	if (option->letter)
		snprintf(letter, sizeof(letter), "-%c, ", option->letter);
	snprintf(term, sizeof(term), "%s--%s%s%s", letter, option->name, option->value ? " " : "",
		option->value ? option->value : "");
	print_row(out, term, option->help, indent);
	print_values(out, option, indent);
	fprintf(out, "%*sExample: %s\n", (int)indent, "", option->example);
}

static void print_examples(FILE *out, const struct cli_example *example)
{
	fputs("\nExamples:\n", out);
	for (; example->command; example++) {
		fprintf(out, "  relock %s\n", example->command);
		cli_fold(out, example->meaning, 6, WIDTH, false);
	}
}

void cli_help(FILE *out)
{
	int width = fprintf(out, "relock %s: ", RELOCK_VERSION);

	cli_fold(out, cli_summary, (unsigned)width, WIDTH, true);
	fputs("\nUsage:\n", out);
	for (const struct cli_verb *verb = cli_verbs; verb->name; verb++)
		fprintf(out, "  relock %s%s %s\n", verb->name,
			cli_option_at(verb, 0) ? " [OPTION...]" : "", verb->operands);
	fputc('\n', out);
	cli_fold(out, cli_description, 0, WIDTH, false);
	fputs("\nVerbs:\n", out);
	for (const struct cli_verb *verb = cli_verbs; verb->name; verb++)
		print_row(out, verb->name, verb->summary, 14);
	fputs("\nOptions:\n", out);
	for (const struct cli_option *option = cli_globals; option->name; option++)
		print_option(out, option);
	print_examples(out, cli_global_examples);
	fputs("\nExit status:\n", out);
	for (const struct cli_status *row = cli_statuses; row->meaning; row++)
		print_row(out, row->status, row->meaning, 14);
	fputs("\n'relock VERB --help' explains a verb and its options.\n", out);
}

void cli_help_verb(const struct cli_verb *verb, FILE *out)
{
	const struct cli_option *option;

	fprintf(out, "Usage: relock %s%s %s\n\n", verb->name,
		cli_option_at(verb, 0) ? " [OPTION...]" : "", verb->operands);
	cli_fold(out, verb->description, 0, WIDTH, false);
	if (cli_option_at(verb, 0))
		fputs("\nOptions:\n", out);
	for (unsigned i = 0; (option = cli_option_at(verb, i)); i++)
		print_option(out, option);
	print_examples(out, verb->examples);
}
