/*
 * What the two halves of the screen share. For print.c and notes.c only.
 */
#ifndef RELOCK_STATS_EXPERIMENT_SCREEN_H
#define RELOCK_STATS_EXPERIMENT_SCREEN_H

#include "stats/experiment/internal.h"

#define CELL_TEXT 64

struct screen {
	const struct experiment *e;
	const struct experiment_results *r;
	const struct style *style;
	FILE *out;
	size_t name_width;
};

/* A name as it is shown, for free(). */
char *screen_name(const struct screen *screen, const char *text);
/* Whether any run has a figure of this metric. */
bool screen_measured(const struct screen *screen, size_t metric);
/* What was measured how, above the table: one line. */
void screen_plan(const struct screen *screen);
/* What has to be said about the runs, below the table. */
void screen_notes(const struct screen *screen);

#endif
