/* Tables as CSV (RFC 4180, lines end in LF). */
#include "stats/report/table.h"

#include "stats/report/memory.h"
#include "stats/report/units.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Spreadsheets take what begins so for a formula, which may run programs and fetch from a network;
 * some also its full-width form. Numbers are none. */
static bool is_formula(const char *text)
{
	static const char *const signs[] = {"=", "+", "-", "@", "＝", "＋", "－", "＠"};
	char *end;

	strtod(text, &end);
	if (end != text && !*end)
		return false;
	for (size_t i = 0; i < sizeof signs / sizeof signs[0]; i++)
		if (strncmp(text, signs[i], strlen(signs[i])) == 0)
			return true;
	return false;
}

/* Quoted where a reader needs it. Control characters are shown and not sent: many a CSV goes to a
 * terminal. */
static void csv_text(const char *text, FILE *out)
{
	static const struct style any = {.utf8 = true};
	char *valid = units_sanitize(text), *clean = units_escape(valid, &any);

	free(valid);
	if (is_formula(clean)) {
		valid = memory_format("'%s", clean);
		free(clean);
		clean = valid;
	}
	if (!strpbrk(clean, ",\"")) {
		fputs(clean, out);
	} else {
		fputc('"', out);
		for (const char *p = clean; *p; p++) {
			if (*p == '"')
				fputc('"', out);
			fputc(*p, out);
		}
		fputc('"', out);
	}
	free(clean);
}

static void csv_value(const struct value *value, FILE *out)
{
	switch (value->kind) {
	case VALUE_TEXT:
	case VALUE_LIST:
		csv_text(value->text, out);
		break;
	case VALUE_COUNT:
	case VALUE_NS:
		fprintf(out, "%" PRIu64, value->number);
		break;
	case VALUE_SHARE:
	case VALUE_BAR:
		fprintf(out, "%.6f", value->share);
		break;
	case VALUE_FLAG:
		fputs(value->number ? "true" : "false", out);
		break;
	case VALUE_NONE:
	case VALUE_TREE:
		break;
	}
}

static bool in_csv(const struct column *column)
{
	return column->key && !column->tree;
}

static void csv_row(const struct table *t, const void *row, FILE *out)
{
	const char *separator = "";

	for (size_t c = 0; c < t->columns; c++) {
		struct value value = {0};

		if (!in_csv(&t->column[c]))
			continue;
		fputs(separator, out);
		separator = ",";
		if (row)
			t->column[c].get(row, t->column[c].argument, &value);
		else
			value = (struct value){VALUE_TEXT, .text = t->column[c].key};
		csv_value(&value, out);
	}
	fputc('\n', out);
}

void table_csv(const struct table *t, FILE *out)
{
	csv_row(t, NULL, out);
	for (size_t i = 0; i < t->rows; i++)
		csv_row(t, t->row(t->context, i), out);
}
