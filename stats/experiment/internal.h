/*
 * What the files of the engine share. For the engine itself only.
 */
#ifndef RELOCK_STATS_EXPERIMENT_INTERNAL_H
#define RELOCK_STATS_EXPERIMENT_INTERNAL_H

#include "stats/experiment/experiment.h"
#include "stats/experiment/order.h"
#include "stats/experiment/sample.h"

struct experiment {
	const struct experiment_plan *plan;
	size_t slots;
	char *control;              /* the control's name */
	struct experiment_run *run; /* rounds × slots */
	unsigned rounds;            /* begun */
	bool interrupted;
	unsigned stopped_in; /* round, from 1; 0: warm-up */
	bool given_up[EXPERIMENT_CANDIDATES_MAX + 1];
};

/* --- value.c: parts of texts; ratios and intervals that are not known are "-" or "" */
void ratio_text(double ratio, const struct style *style, char *out, size_t size);
void interval_text(
	const struct experiment_cell *cell, const struct style *style, char *out, size_t size);
/* "3.1 %", "2.4x" */
void floor_text(double floor, const struct style *style, char *out, size_t size);
/* The verdict with its number: "faster, 1.34x", "noise floor 3.1 %", "failed 2 of 10". */
void verdict_text(const struct experiment *experiment, const struct experiment_results *results,
	size_t slot, size_t metric, const struct style *style, char *out, size_t size);
/* --- one file a format */
void export_json(
	const struct experiment *experiment, const struct experiment_results *results, FILE *out);
void export_csv(
	const struct experiment *experiment, const struct experiment_results *results, FILE *out);
void export_markdown(
	const struct experiment *experiment, const struct experiment_results *results, FILE *out);
void export_svg(
	const struct experiment *experiment, const struct experiment_results *results, FILE *out);
void export_html(
	const struct experiment *experiment, const struct experiment_results *results, FILE *out);

#endif
