#include "stats/report/table.h"

#include "stats/report/memory.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define GAP 2
#define BAR_WIDTH 10

_Static_assert(BAR_WIDTH *(sizeof "█" - 1) < UNITS_MAX, "a bar fits a cell");

static void bar(double share, const struct style *style, char *out)
{
	for (int i = 0; i < BAR_WIDTH && i + 1 <= share * BAR_WIDTH + 0.5; i++)
		out = stpcpy(out, style->utf8 ? "█" : "#");
}

char *table_cell(const struct value *value, const struct style *style)
{
	char text[UNITS_MAX] = "";

	switch (value->kind) {
	case VALUE_TEXT:
	case VALUE_LIST:
		return units_escape(value->text, style);
	case VALUE_COUNT:
		units_count(value->number, text, sizeof text);
		break;
	case VALUE_NS:
		units_duration(value->number, value->exact, style, text, sizeof text);
		break;
	case VALUE_SHARE:
		units_share(value->share, text, sizeof text);
		break;
	case VALUE_BAR:
		bar(value->share, style, text);
		break;
	case VALUE_FLAG:
		return memory_copy(value->number ? "yes" : "no");
	case VALUE_NONE:
	case VALUE_TREE:
		break;
	}
	return value->about && text[0] ? memory_format("%s%s", style->utf8 ? "≈" : "~", text)
				       : memory_copy(text);
}

static char *row_cell(const struct column *column, const void *row, const struct style *style)
{
	struct value value = {0};

	column->get(row, column->argument, &value);
	return table_cell(&value, style);
}

size_t table_headings(const struct table *t)
{
	size_t count = 0;

	for (size_t c = 0; c < t->columns; c++)
		count += t->column[c].heading != NULL;
	return count;
}

static void widen(size_t *width, const char *text)
{
	size_t needed = units_width(text);

	if (*width < needed)
		*width = needed;
}

static size_t *text_widths(const struct table *t, const struct style *style)
{
	size_t *width = memory_get(t->columns, sizeof *width);

	for (size_t c = 0; c < t->columns; c++)
		if (t->column[c].heading)
			widen(&width[c], t->column[c].heading);
	for (size_t i = 0; i < t->rows; i++) {
		const void *row = t->row(t->context, i);

		for (size_t c = 0; c < t->columns; c++) {
			char *cell;

			if (!t->column[c].heading)
				continue;
			cell = row_cell(&t->column[c], row, style);
			widen(&width[c], cell);
			free(cell);
		}
	}
	return width;
}

/* Writes a cell after `owed` columns of space, and returns how many the next one owes: nothing is
 * written behind a line's last text. */
static size_t put_cell(const char *cell, size_t width, bool left, size_t owed, FILE *out)
{
	size_t room = width - units_width(cell);

	if (!left)
		owed += room;
	if (*cell == '\0')
		return owed + (left ? room : 0) + GAP;
	fprintf(out, "%*s%s", (int)owed, "", cell);
	return (left ? room : 0) + GAP;
}

static void put_headings(const struct table *t, const size_t *width, FILE *out)
{
	size_t owed = 0;

	for (size_t c = 0; c < t->columns; c++)
		if (t->column[c].heading)
			owed = put_cell(
				t->column[c].heading, width[c], t->column[c].left, owed, out);
	fputc('\n', out);
}

static void put_row(const struct table *t, const void *row, const size_t *width,
	const struct style *style, FILE *out)
{
	size_t owed = 0;

	for (size_t c = 0; c < t->columns; c++) {
		char *cell;

		if (!t->column[c].heading)
			continue;
		cell = row_cell(&t->column[c], row, style);
		owed = put_cell(cell, width[c], t->column[c].left, owed, out);
		free(cell);
	}
	fputc('\n', out);
}

void table_text(const struct table *t, const struct style *style, FILE *out)
{
	size_t *width = text_widths(t, style);

	put_headings(t, width, out);
	for (size_t i = 0; i < t->rows; i++) {
		put_row(t, t->row(t->context, i), width, style, out);
		if (t->after)
			t->after(t->context, i, out);
	}
	free(width);
}
