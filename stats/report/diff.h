/*
 * What moved between two recordings, class by class.
 *
 * Use:
 *	struct diff_options o = {.format = REPORT_TEXT, .threshold = 0.2};
 *	int status = diff_run(path_a, path_b, &o, stdout, stderr);
 *
 * Classes are matched by name and kind: the variable of a static lock, else the place where locks
 * are born, so that neither addresses nor the order of births matter. Classes of one name are one
 * row. What moved: time waited, share of acquisitions that waited, 99th percentile of waits, number
 * of acquisitions; each only when it changed by more than the threshold and enough is there to
 *tell: a wait of 1 in 1000 of the longer run, 1 in 100 acquisitions waiting more or less, 100 waits
 *for a percentile, which is known to 12.5 % and so has to move by that.
 *
 * Contract: as for report_run(). A and B may be directories.
 *
 * JSON ("schema": "relock-diff-1"): relock, threshold, a and b {path, recordings, program, command,
 * policy, wall_ns, thread_time_ns, acquired, wait_total_ns}, classes[] {the columns below}. CSV:
 *the classes. Both have every class: name, kind, status ("both", "new", "gone"), moved (JSON: an
 *array; CSV: separated by "|"), acquired_a, acquired_b, contended_a, contended_b, wait_total_a_ns,
 * wait_total_b_ns, wait_p99_a_ns, wait_p99_b_ns, wait_max_a_ns, wait_max_b_ns, wait_ratio and
 * acquired_ratio (B to A; empty where A is 0).
 */
#ifndef RELOCK_STATS_REPORT_DIFF_H
#define RELOCK_STATS_REPORT_DIFF_H

#include "stats/report/report.h"

extern const char *const diff_format_names[]; /* "text", "json", "csv", NULL */

struct diff_options {
	enum report_format format; /* one of those */
	double threshold;          /* of relative changes: 0.2 is 20 % */
	unsigned rows;             /* as in struct report_options */
};

int diff_run(
	const char *a, const char *b, const struct diff_options *options, FILE *out, FILE *err);

#endif
