/*
 * What a reader gets of a finding's outcome: the screen, Markdown, JSON, drawings.
 *
 * Contract: functions that print return nothing; look at the stream. Those that write files return
 * false after a message.
 */
#ifndef RELOCK_CLI_REPRODUCE_PRINT_H
#define RELOCK_CLI_REPRODUCE_PRINT_H

#include "cli/reproduce/bench.h"

struct print {
	FILE *out;
	struct style style;
	bool markdown;
};

/* Title, the published beside the measured figures of every trial, a verdict for each criterion. */
void print_outcome(const struct print *print, const struct outcome *outcome);
/* A line for each finding. */
void print_summary(const struct print *print, struct outcome *const *outcomes, size_t count);
/* What a criterion's demand asks for, and what there is: "N=FF 5.31 (5.02 … 5.90)"; "" if nothing.
 */
void print_evidence(const struct criterion_outcome *criterion, const struct trial *trial,
	const struct style *style, char *out, size_t size);

/*
 * JSON ("schema": "relock-reproduce-1"): relock, host, cpus, quick, findings[]: name, title,
 * source, verdict, reason, criteria[] (text, trial, metric, of, over, low, high, absolute, verdict,
 * reason, candidate, count, median, interval_low, interval_high, noise), trials[] (name, what,
 * workload, not_run, repetitions, others_share (of the CPUs, by other programs), metrics[] (name,
 * key, unit), candidates[] (name, policy, arguments, control, figures[] (metric, published,
 * published_ratio, median, ratio, interval_low, interval_high, values[])). Times in ns; what is not
 * known is null.
 */
void json_outcomes(
	FILE *out, const struct bench *bench, struct outcome *const *outcomes, size_t count);

/* A gnuplot script NAME.gp that draws published and measured curves, and, where gnuplot is there,
 * its drawings NAME-….svg. *drawn says whether it was. */
bool plot_outcome(const char *directory, const struct outcome *outcome, bool *drawn);

#endif
