/* Tables as HTML. */
#include "stats/report/html_page.h"

#include <stdlib.h>
#include <string.h>

/* The first column of text says what a row is about. */
static size_t row_heading(const struct table *t)
{
	size_t c = 0;

	while (c < t->columns && !(t->column[c].heading && t->column[c].left))
		c++;
	return c;
}

static const char *align(const struct column *column)
{
	return column->left ? "" : " class=\"n\"";
}

/* --- headings */

/* "first/spin/yield": each in the colour of its part of the bars. It may be broken, as it is wider
 * than its figures. */
static void put_parts_heading(const char *heading, FILE *out)
{
	for (unsigned part = 0; *heading; part++) {
		size_t length = strcspn(heading, "/");

		fprintf(out, "%s<span class=\"p%u\">%.*s</span>", part > 0 ? "/<wbr/>" : "", part,
			(int)length, heading);
		heading += length + (heading[length] == '/');
	}
}

static void put_headings(const struct table *t, FILE *out)
{
	fputs("<thead><tr>", out);
	for (size_t c = 0; c < t->columns; c++) {
		const struct column *column = &t->column[c];

		if (!column->heading)
			continue;
		fprintf(out, "<th scope=\"col\"%s>", align(column));
		if (column->parts)
			put_parts_heading(column->heading, out);
		else
			html_text(out, column->wide ? column->wide : column->heading);
		fputs("</th>", out);
	}
	fputs("</tr></thead>\n", out);
}

/* --- cells */

#define DRAWING "<svg viewBox=\"0 0 100 1\" preserveAspectRatio=\"none\" aria-hidden=\"true\">"

static void put_bar(double share, FILE *out)
{
	double percent = share > 0 ? share * 100 : 0;

	fprintf(out, DRAWING "<rect class=\"bar\" width=\"%.1f\" height=\"1\"/></svg>",
		percent < 100 ? percent : 100);
}

static void put_parts_bar(const char *text, FILE *out)
{
	long x = 0;

	fputs(DRAWING, out);
	for (unsigned part = 0; *text; part++) {
		char *end;
		long percent = strtol(text, &end, 10);

		if (percent > 0)
			fprintf(out, "<rect class=\"p%u\" x=\"%ld\" width=\"%ld\" height=\"1\"/>",
				part, x, percent);
		x += percent;
		text = end + (*end == '/');
	}
	fputs("</svg>", out);
}

/* A number, and a drawing of it below where there is one. */
static void put_value(const struct column *column, const struct value *value,
	const struct style *style, FILE *out)
{
	struct value number = *value;
	char *cell;

	if (value->kind == VALUE_BAR)
		number.kind = VALUE_SHARE;
	cell = table_cell(&number, style);
	html_text(out, cell);
	if (value->kind == VALUE_BAR)
		put_bar(value->share, out);
	else if (column->parts && *cell)
		put_parts_bar(cell, out);
	free(cell);
}

static void put_row(const struct table *t, const void *row, size_t heading,
	const struct style *style, FILE *out)
{
	fputs("<tr>", out);
	for (size_t c = 0; c < t->columns; c++) {
		const struct column *column = &t->column[c];
		struct value value = {0};
		bool head;

		if (!column->heading)
			continue;
		column->get(row, column->argument, &value);
		head = c == heading && value.kind == VALUE_TEXT && *value.text;
		fprintf(out, head ? "<th scope=\"row\">" : "<td%s>", align(column));
		put_value(column, &value, style, out);
		fputs(head ? "</th>" : "</td>", out);
	}
	fputs("</tr>\n", out);
}

void table_html(const struct table *t, const struct style *style, FILE *out)
{
	size_t heading = row_heading(t);

	fputs("<table>\n", out);
	put_headings(t, out);
	fputs("<tbody>\n", out);
	for (size_t i = 0; i < t->rows; i++) {
		put_row(t, t->row(t->context, i), heading, style, out);
		if (t->after)
			t->after(t->context, i, out);
	}
	fputs("</tbody></table>\n", out);
}
