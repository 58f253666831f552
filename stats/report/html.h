/*
 * The report as a page (html_page.h).
 */
#ifndef RELOCK_STATS_REPORT_HTML_H
#define RELOCK_STATS_REPORT_HTML_H

#include "stats/report/html_page.h"
#include "stats/report/screen.h"
#include "stats/report/stacks.h"

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

/* --- parts of the page */
/* In a table of so many columns, below a row of the view: its rule and stacks, as far as they were
 * asked for. `stacks` may be NULL. */
void html_details(
	const struct report *report, const struct stacks *stacks, size_t row, size_t columns);
/* Where, when and how each recording was made. */
void html_recordings(const struct report *report);

#endif
