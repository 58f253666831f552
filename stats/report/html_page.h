/*
 * Pages of HTML: one file that needs nothing else, no script, no network.
 *
 * Contract: names may be hostile. All of them, and all text that contains some, go through
 * html_text(); tags and attributes stand in the source, and values of attributes that do not are
 * numbers. What is written is XML as well, so that a test can be strict.
 */
#ifndef RELOCK_STATS_REPORT_HTML_PAGE_H
#define RELOCK_STATS_REPORT_HTML_PAGE_H

#include "stats/report/table.h"

extern const struct style html_style; /* of everything that is put into a page */
extern const char html_css[];

/* Text, or an attribute's value between double quotes: escaped as for a terminal, units_escape(),
 * and its markup as well. */
void html_text(FILE *out, const char *text);

void html_begin(FILE *out, const char *title);
void html_end(FILE *out);
/* A table under a heading. */
void html_table(FILE *out, const char *title, const struct table *table);

/* Cuts off and returns the next line of what was printed for the screen, NULL at its end. */
char *html_line(char **text);
/* Lines with a word in the margin, under a heading; nothing where there are none. Cuts up `text`.
 */
void html_margin_lines(FILE *out, const char *title, char *text);

#endif
