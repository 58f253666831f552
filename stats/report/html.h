/*
 * HTML: the report as one page that needs nothing else, no script, no network, and what pages are
 * written with.
 *
 * Contract: what a recording says may be hostile. All of it, and all text that contains some of it,
 * goes through html_text(); tags and attributes stand in the source, and values of attributes that
 * do not are numbers. What is written is XML as well, so that a test can be strict.
 */
#ifndef RELOCK_STATS_REPORT_HTML_H
#define RELOCK_STATS_REPORT_HTML_H

#include "stats/report/screen.h"
#include "stats/report/stacks.h"

extern const struct style html_style; /* of everything that is put into a page */
extern const char html_css[];

/* Text, or an attribute's value between double quotes: escaped as for a terminal, units_escape(),
 * and its markup as well. */
void html_text(FILE *out, const char *text);

/*
 * What a part of the text report prints, to be put into a page:
 *	struct html_part part;
 *	html_part_begin(&part, report);
 *	screen_times(&part.report);
 *	text = html_part_end(&part);
 * The text is for free(). Lines in it end in LF, no name in it contains one.
 */
struct html_part {
	struct report report;
	char *text;
	size_t size;
};
void html_part_begin(struct html_part *part, const struct report *report);
char *html_part_end(struct html_part *part);
/* The whole of what one function prints. */
char *html_part(const struct report *report, void (*print)(const struct report *));

/* Cuts off and returns the next line of a part, NULL at its end. */
char *html_line(char **text);

/* --- parts of the page */
void html_section(const struct report *report, const char *title, const struct table *table);
/* In a table of so many columns, below a row of the view: its rule and stacks, as far as they were
 * asked for. `stacks` may be NULL. */
void html_details(
	const struct report *report, const struct stacks *stacks, size_t row, size_t columns);
/* Where, when and how each recording was made. */
void html_recordings(const struct report *report);

#endif
