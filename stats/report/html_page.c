/* What all pages are written with. */
#include "stats/report/html_page.h"

#include "stats/report/screen.h"

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

/* --- the frame */

void html_begin(FILE *out, const char *title)
{
	fputs("<!DOCTYPE html>\n<html lang=\"en\"><head>\n<meta charset=\"utf-8\"/>\n"
	      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
	      "style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'\"/>\n"
	      "<meta name=\"referrer\" content=\"no-referrer\"/>\n"
	      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n<title>",
		out);
	html_text(out, title);
	fprintf(out, "</title>\n<style>\n%s</style>\n</head><body>\n", html_css);
}

void html_end(FILE *out)
{
	fprintf(out, "<footer>relock %s</footer>\n</body></html>\n", RELOCK_VERSION);
}

void html_table(FILE *out, const char *title, const struct table *table)
{
	fputs("<section><h2>", out);
	html_text(out, title);
	/* Reached by the keyboard, or it could not be scrolled with it. */
	fputs("</h2>\n<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"", out);
	html_text(out, title);
	fputs("\">", out);
	table_html(table, &html_style, out);
	fputs("</div></section>\n", out);
}

/* --- what is printed for the screen */

char *html_line(char **text)
{
	return *text && **text ? strsep(text, "\n") : NULL;
}

static bool is_verdict(const char *word)
{
	return strncmp(word, "advice", 6) == 0 || strncmp(word, "warning", 7) == 0;
}

static void put_margin_line(FILE *out, char *line)
{
	size_t margin = strnlen(line, SCREEN_MARGIN), word = margin;
	const char *said = line + margin;

	fputs(is_verdict(line) ? "<div class=\"verdict\"><dt>" : "<div><dt>", out);
	while (word > 0 && line[word - 1] == ' ')
		line[--word] = '\0';
	html_text(out, line);
	fputs("</dt><dd>", out);
	html_text(out, said);
	fputs("</dd></div>\n", out);
}

void html_margin_lines(FILE *out, const char *title, char *text)
{
	bool any = false;

	for (char *line; (line = html_line(&text));) {
		if (!*line)
			continue;
		if (!any)
			fprintf(out, "<section><h2>%s</h2>\n<dl>\n", title);
		any = true;
		put_margin_line(out, line);
	}
	if (any)
		fputs("</dl></section>\n", out);
}
