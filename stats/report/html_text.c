/* Text in a page. */
#include "stats/report/html.h"

#include "stats/report/memory.h"

#include <stdlib.h>
#include <string.h>

const struct style html_style = {.utf8 = true, .whole = true};

static const char *entity(char c)
{
	switch (c) {
	case '&':
		return "&amp;";
	case '<':
		return "&lt;";
	case '>':
		return "&gt;";
	case '"':
		return "&quot;";
	case '\'':
		return "&#39;";
	}
	return NULL;
}

void html_text(FILE *out, const char *text)
{
	char *shown = units_escape(text, &html_style);

	for (const char *p = shown; *p; p++) {
		const char *name = entity(*p);

		if (name)
			fputs(name, out);
		else
			fputc(*p, out);
	}
	free(shown);
}

/* --- what the text report prints */

void html_part_begin(struct html_part *part, const struct report *r)
{
	*part = (struct html_part){.report = *r};
	part->report.out = memory_stream(&part->text, &part->size);
}

char *html_part_end(struct html_part *part)
{
	fclose(part->report.out);
	return part->text;
}

char *html_part(const struct report *r, void (*print)(const struct report *))
{
	struct html_part part;

	html_part_begin(&part, r);
	print(&part.report);
	return html_part_end(&part);
}

char *html_line(char **text)
{
	return *text && **text ? strsep(text, "\n") : NULL;
}
