/*
 * What all formats of a report print from, and the text screen. For report.c and the files that
 * print.
 */
#ifndef RELOCK_STATS_REPORT_SCREEN_H
#define RELOCK_STATS_REPORT_SCREEN_H

#include "stats/report/advice.h"
#include "stats/report/columns.h"
#include "stats/report/report.h"

struct report {
	struct model *model;
	struct symbols *symbols;
	struct labels *labels;
	struct view *view;
	struct advices *advices;
	const struct report_options *options;
	const char *const *paths; /* as they were asked for */
	size_t path_count;
	size_t key;
	size_t rows; /* SIZE_MAX: all */
	struct style style;
	FILE *out;
};

/* Whether people read it: text and HTML say the same things in the same words. */
static inline bool report_is_read(const struct report *report)
{
	return report->options->format == REPORT_TEXT || report->options->format == REPORT_HTML;
}

void screen_print(struct report *report);
void html_print(struct report *report);
void folded_print(struct report *report);
void openmetrics_print(struct report *report);
void json_print(struct report *report);
void csv_print(struct report *report);

/* --- parts of the screen */
void screen_header(const struct report *report);
void screen_subject(const struct report *report); /* of the header: the program and its pid */
void screen_ran(const struct report *report);     /* how it ended, and under which policy */
void screen_times(const struct report *report);
void screen_waited(const struct report *report);
void screen_table(const struct report *report); /* of the view, with stacks */
void screen_pairs(const struct report *report);
void screen_yields(const struct report *report);
void screen_covered(const struct report *report);
void screen_advice(const struct report *report);
void screen_next(const struct report *report);

/* Tables of sites and threads, in any format. */
void print_sites(const struct report *report, const struct view *view, enum report_format format);
void print_threads(const struct report *report, const struct view *view, enum report_format format);
/* `title` is what a table of HTML has above it. */
void print_table(const struct report *report, const char *title, const struct table *table,
	enum report_format format);

/* How advice names locks: as the table of the text does, or for machines. */
struct advice_words screen_words(const struct report *report);

/* Begins a line of the screen's last part: a word in the margin, in colour if it is a verdict. */
#define SCREEN_MARGIN 9
void screen_margin(const struct report *report, const char *word, bool verdict);

/* What a recording's program is called, "?" when that is not known. */
const char *screen_program(const struct run *run);

/* Text in `out`, escaped. */
void screen_text(const struct report *report, const char *text);
const char *screen_dot(const struct report *report); /* " · " */

#endif
