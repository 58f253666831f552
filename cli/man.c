/* The manual page as troff source, made from the table and from the configuration's. */
#include "cli/cli.h"
#include "conf/conf.h"

#include <stdint.h>
#include <string.h>

/* One UTF-8 character beyond ASCII as a groff escape. Returns its length in bytes. */
static size_t escape_wide(FILE *out, const unsigned char *text)
{
	size_t length = text[0] >= 0xf0 ? 4 : text[0] >= 0xe0 ? 3 : 2;
	uint32_t code = text[0] & (0x7fu >> length);

	for (size_t i = 1; i < length; i++) {
		if ((text[i] & 0xc0) != 0x80)
			return 1;
		code = code << 6 | (text[i] & 0x3fu);
	}
	fprintf(out, "\\[u%04X]", code);
	return length;
}

/* Text without meaning to troff: no macro at a line's start, no escape, dashes that stay dashes. */
static void put(FILE *out, const char *text)
{
	bool fresh = true;

	while (*text) {
		if (fresh && (*text == '.' || *text == '\''))
			fputs("\\&", out);
		fresh = *text == '\n';
		if ((unsigned char)*text >= 0xc0) {
			text += escape_wide(out, (const unsigned char *)text);
			continue;
		}
		if (*text == '\\')
			fputs("\\e", out);
		else if (*text == '-')
			fputs("\\-", out);
		else if (*text == '\'')
			fputs("\\(aq", out);
		else if (*text == '`')
			fputs("\\(ga", out);
		else if (*text == '^')
			fputs("\\(ha", out);
		else if (*text == '~')
			fputs("\\(ti", out);
		else
			fputc(*text, out);
		text++;
	}
}

/* Paragraphs separated by empty lines; `between` is the macro that starts the next. */
static void put_paragraphs(FILE *out, const char *text, const char *between)
{
	char paragraph[2048];

	while (*text) {
		const char *end = strstr(text, "\n\n");
		size_t length = end ? (size_t)(end - text) : strlen(text);

		snprintf(paragraph, sizeof(paragraph), "%.*s", (int)length, text);
		put(out, paragraph);
		fputc('\n', out);
		text += length;
		text += strspn(text, "\n");
		if (*text)
			fprintf(out, "%s\n", between);
	}
}

static void put_term(FILE *out, const char *term)
{
	fputs(".TP\n.B ", out);
	put(out, term);
	fputc('\n', out);
}

static void put_option(FILE *out, const struct cli_option *option)
{
	char values[256];

	fputs(".TP\n", out);
	if (option->letter)
		fprintf(out, "\\fB\\-%c\\fR, ", option->letter);
	fputs("\\fB\\-\\-", out);
	put(out, option->name);
	fputs("\\fR", out);
	if (option->value) {
		fputs(" \\fI", out);
		put(out, option->value);
		fputs("\\fR", out);
	}
	fputc('\n', out);
	put(out, option->help);
	if (option->values) {
		cli_values_text(option, values, sizeof(values));
		fputs("\nOne of: ", out);
		put(out, values);
		fputc('.', out);
	}
	fputs("\n.br\nExample:\n.B ", out);
	put(out, option->example);
	fputc('\n', out);
}

static void put_examples(FILE *out, const struct cli_example *example)
{
	for (; example->command; example++) {
		char command[256];

		snprintf(command, sizeof(command), "relock %s", example->command);
		put_term(out, command);
		put(out, example->meaning);
		fputs(".\n", out);
	}
}

static void put_synopsis(FILE *out)
{
	fputs(".SH SYNOPSIS\n", out);
	for (const struct cli_verb *verb = cli_verbs; verb->name; verb++) {
		fprintf(out, "%s.B relock %s\n", verb == cli_verbs ? "" : ".br\n", verb->name);
		fputs(cli_option_at(verb, 0) ? "[\\fIOPTION\\fR...] " : "", out);
		put(out, verb->operands);
		fputc('\n', out);
	}
}

static void put_verbs(FILE *out)
{
	const struct cli_option *option;

	fputs(".SH VERBS\n", out);
	for (const struct cli_verb *verb = cli_verbs; verb->name; verb++) {
		fprintf(out, ".SS relock %s\n", verb->name);
		put_paragraphs(out, verb->description, ".PP");
		for (unsigned i = 0; (option = cli_option_at(verb, i)); i++)
			put_option(out, option);
	}
}

static void put_settings(FILE *out)
{
	fputs(".SH CONFIGURATION\n", out);
	put(out, "Every option of an INI file, with its section, and the environment variable that "
		 "sets the same. Later ones win: defaults, INI file, environment, command line.\n");
	for (size_t i = 0; i < conf_table_size; i++) {
		const struct conf_option *option = &conf_table[i];

		if (option->flags & CONF_HIDDEN)
			continue;
		fputs(".TP\n\\fB", out);
		put(out, option->section);
		fputc('.', out);
		put(out, option->key);
		fputs("\\fR", out);
		if (option->env)
			fprintf(out, ", \\fB%s\\fR", option->env);
		fputc('\n', out);
		put(out, conf_option_help(i));
		fputs("\n.br\nExample:\n.B ", out);
		put(out, option->key);
		fputs(" = ", out);
		put(out, option->example);
		fputc('\n', out);
	}
}

void cli_man(FILE *out)
{
	fprintf(out, ".TH RELOCK 1 \"\" \"relock %s\" \"User Commands\"\n", RELOCK_VERSION);
	fputs(".SH NAME\nrelock \\- ", out);
	put(out, cli_summary);
	fputc('\n', out);
	put_synopsis(out);
	fputs(".SH DESCRIPTION\n", out);
	put_paragraphs(out, cli_description, ".PP");
	fputs(".SH OPTIONS\n", out);
	for (const struct cli_option *option = cli_globals; option->name; option++)
		put_option(out, option);
	put_verbs(out);
	put_settings(out);
	fputs(".SH EXIT STATUS\n", out);
	for (const struct cli_status *row = cli_statuses; row->meaning; row++) {
		put_term(out, row->status);
		put(out, row->meaning);
		fputc('\n', out);
	}
	fputs(".SH EXAMPLES\n", out);
	put_examples(out, cli_global_examples);
	for (const struct cli_verb *verb = cli_verbs; verb->name; verb++)
		put_examples(out, verb->examples);
	fputs(".SH SEE ALSO\n.BR ld.so (8),\n.BR pthreads (7)\n", out);
}
