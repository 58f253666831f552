/*
 * Experiments: which of several candidates is better than the reference, by how much, and whether
 * that can be believed. How a candidate is measured is the caller's affair, so that programs,
 * servers under a client and workloads of our own are all compared in this one way.
 *
 * Use:
 *	struct experiment *e = experiment_new(&plan);
 *	experiment_run(e, &hooks);                 -- calls hooks.measure for every run
 *	struct experiment_results *r = experiment_evaluate(e);   -- at any time, also in between
 *	experiment_print(e, r, &style, stdout);  experiment_save(e, r, "result.json", …);
 *	experiment_results_free(r);  experiment_free(e);
 *
 * Method. One round runs every candidate once, in random order, and the reference a second time
 * under the name of the control; all runs of a round are close in time. Within a round each
 * candidate is paired with the reference, and only the ratios of pairs are looked at, as
 *logarithms: what changes from round to round drops out. For each candidate and metric:
 *
 *  - ratio: the median of the paired ratios, candidate ÷ reference.
 *
 *  - interval: two of the ordered ratios, so far from both ends that the true median lies between
 *    them with 95 % or more (96.1 % for 12 rounds): the inverted sign test. It assumes nothing
 *about the distribution but independent rounds, so that it holds for skewed, heavy-tailed and tied
 *    figures. Bootstrap intervals are too narrow for so few rounds, the intervals of the rank test
 *    need symmetry. Below 6 pairs there is none.
 *
 *  - p: Wilcoxon's signed-rank test of the paired log ratios, exact, with ties. Because the order
 *    within a round is random, two candidates that do the same are interchangeable in it: the signs
 *    of their differences are then fair coins, whatever the noise looks like and however it drifts.
 *    That makes the test exact here. The first metric decides: its p are adjusted for the number of
 *    candidates (Holm), so that the chance of one false verdict among all of them is at most 5 %.
 *The other metrics are looked at for side effects: all their candidates together are one more such
 *    family. Where even the strongest evidence that so few pairs can give would not do, the verdict
 *    is "too few runs".
 *
 *  - noise floor: how far apart the reference seems to be from itself. It is the bound of the
 *    control's interval that is farther from 1, and at least the plan's threshold.
 *
 *  - verdict: better or worse when all of these hold: adjusted p at most 5 %; the interval does not
 *    contain 1; the ratio lies farther from 1 than the noise floor. Else no difference. A control
 *    shares the reference's bad luck, so that the floor rises exactly when the reference's runs
 *    misled; with it, the chance of any false verdict among eight metrics is about 1 %
 *    (tests/unit/experiment_method.c measures it).
 *
 * Unusual runs are named and stay in: medians and ranks are not moved by them. A run that failed
 * gives no pair. A candidate that failed more often than the reference gets no other verdict than
 * "failed"; one that failed 3 times in a row is not run any more. A ratio to zero is infinite, zero
 * to zero is 1; negative figures are as if not measured.
 *
 * Contract: the plan and what it points to outlive the experiment. One thread. Texts are UTF-8.
 * Functions that print return nothing; look at the stream.
 */
#ifndef RELOCK_STATS_EXPERIMENT_EXPERIMENT_H
#define RELOCK_STATS_EXPERIMENT_EXPERIMENT_H

#include "stats/report/units.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define EXPERIMENT_METRICS_MAX 24
#define EXPERIMENT_CANDIDATES_MAX 64
#define EXPERIMENT_ROUNDS_MAX 500
#define EXPERIMENT_ROUNDS_DEFAULT 12
#define EXPERIMENT_FAILURE_MAX 256
#define EXPERIMENT_GIVE_UP 3 /* failures in a row after which a candidate is not run any more */
#define EXPERIMENT_LEVEL 0.95

/* --- what is to be done */

enum experiment_unit { UNIT_PLAIN, UNIT_NS, UNIT_KIB };

struct experiment_metric {
	const char *name;           /* "wall" */
	const char *key;            /* machine formats, unit last: "wall_ns" */
	const char *meaning;        /* half a sentence; may be NULL */
	const char *better, *worse; /* verdict words: "faster", "slower" */
	enum experiment_unit unit;
	bool higher; /* is better */
};

struct experiment_candidate {
	const char *name;     /* unique */
	const char *settings; /* machine formats: what it stands for; may be NULL */
};

struct experiment_plan {
	const char *subject; /* what is measured, e.g. the command line */
	const struct experiment_candidate *candidate;
	size_t candidates;
	size_t reference; /* one of them */
	const struct experiment_metric *metric;
	size_t metrics; /* the first one is the one that decides */
	unsigned rounds, warmup;
	uint64_t seed;
	double threshold; /* smaller differences are never called: 0.01 is 1 % */
};

/* Rounds below which no difference could pass the test among so many candidates and metrics. */
unsigned experiment_rounds_needed(size_t candidates, size_t metrics);

/* --- doing it */

enum experiment_outcome {
	RUN_NOT_DONE,
	RUN_DONE,
	RUN_FAILED,      /* `failure` says how */
	RUN_INTERRUPTED, /* does not count at all, and ends the experiment */
};

struct experiment_run {
	enum experiment_outcome outcome;
	unsigned position;                    /* within its round, from 0 */
	double value[EXPERIMENT_METRICS_MAX]; /* by metric; NaN: not measured */
	char failure[EXPERIMENT_FAILURE_MAX]; /* "exit status 1" */
};

struct experiment;

struct experiment_progress {
	size_t run, runs; /* this one, from 1, of all */
	unsigned round;   /* from 1; 0: warm-up */
	size_t slot;      /* what is run now, see below */
	uint64_t left_ns; /* estimate; 0: not known yet */
};

struct experiment_hooks {
	void *context;
	/* Measures a candidate once. `run` comes as RUN_DONE without values. */
	void (*measure)(void *context, size_t candidate, struct experiment_run *run);
	/* Before each run; may be NULL. */
	void (*starting)(void *context, const struct experiment_progress *progress);
	/* After each round but the warm-up: the time to save; may be NULL. */
	void (*round_done)(void *context, const struct experiment *experiment);
};

/* A slot is a candidate by its number; the control comes after the last one. */
struct experiment *experiment_new(const struct experiment_plan *plan);
/* All rounds; ends early on RUN_INTERRUPTED, or when the reference is given up. */
void experiment_run(struct experiment *experiment, const struct experiment_hooks *hooks);
void experiment_free(struct experiment *experiment);

/* --- what was done */

const struct experiment_plan *experiment_plan(const struct experiment *experiment);
size_t experiment_slots(const struct experiment *experiment);
/* "native", "native again" for the control. */
const char *experiment_name(const struct experiment *experiment, size_t slot);
/* Rounds of which at least one run was done. */
unsigned experiment_rounds(const struct experiment *experiment);
const struct experiment_run *experiment_at(
	const struct experiment *experiment, unsigned round, size_t slot);
bool experiment_interrupted(const struct experiment *experiment);
bool experiment_given_up(const struct experiment *experiment, size_t slot);
/* Runs of a slot that were done, failed ones included, and how many of them failed. */
unsigned experiment_tried(const struct experiment *experiment, size_t slot);
unsigned experiment_failed(const struct experiment *experiment, size_t slot);
/* How the last failed run of a slot failed; NULL: none did. */
const char *experiment_failure(const struct experiment *experiment, size_t slot);

/* --- what it says */

enum experiment_verdict {
	VERDICT_REFERENCE,
	VERDICT_CONTROL,
	VERDICT_BETTER,
	VERDICT_WORSE,
	VERDICT_NO_DIFFERENCE,
	VERDICT_TOO_FEW,      /* pairs, of it or of the control, for an interval */
	VERDICT_FAILED,       /* more often than the reference */
	VERDICT_NOT_MEASURED, /* no pair at all */
};

struct experiment_cell {
	size_t values;
	double median; /* of its own figures; NaN: none */
	size_t pairs;
	double ratio;         /* NaN: none */
	bool interval;        /* whether there is one */
	double low, high;     /* of the ratio */
	double confidence;    /* the interval's own, 0.95 or more */
	double p, p_adjusted; /* NaN: not tested; the control has no adjusted one */
	enum experiment_verdict verdict;
};

/* A run that is unlike the others of its slot. */
struct experiment_outlier {
	size_t slot, metric;
	unsigned round; /* from 0 */
	double value;
	double times; /* its slot's median */
};

struct experiment_results {
	size_t slots, metrics;
	struct experiment_cell *cell;         /* slots × metrics */
	double floor[EXPERIMENT_METRICS_MAX]; /* noise floor as a ratio ≥ 1 */
	struct experiment_outlier *outlier;
	size_t outliers;
};

struct experiment_results *experiment_evaluate(const struct experiment *experiment);
void experiment_results_free(struct experiment_results *results);
const struct experiment_cell *experiment_cell(
	const struct experiment_results *results, size_t slot, size_t metric);
/* The words of a verdict: "faster", "no difference". */
const char *experiment_word(
	const struct experiment_metric *metric, enum experiment_verdict verdict);
/* The candidate to choose by a metric: of those with the verdict better, the one with the best
 * ratio. The reference where there is none. */
size_t experiment_best(const struct experiment *experiment,
	const struct experiment_results *results, size_t metric);

/* --- texts and files */

/* A figure with its unit, at most 4 digits: "12.4 ms", "8.5 MiB", "1.23M". */
void experiment_value(const struct experiment_metric *metric, double value,
	const struct style *style, char *out, size_t size);

/* The screen, without a last line that says what to do next. */
void experiment_print(const struct experiment *experiment, const struct experiment_results *results,
	const struct style *style, FILE *out);

/*
 * JSON ("schema": "relock-compare-1"): everything, every run too. Figures are in ns, KiB or plain,
 * keys are only ever added.
 * - schema, relock, subject, host, cpus, seed, rounds, rounds_done, warmup, interrupted, threshold,
 *   reference (name), method {ratio, interval, test, correction, floor}.
 * - metrics[]: name, key, unit ("ns", "KiB", ""), higher_is_better, noise_floor (a ratio; null:
 *   nothing can be told).
 * - candidates[]: name, control, settings, tried, failed, failure, given_up, results[] one a
 * metric: metric, values, median, pairs, ratio, low, high, confidence, p, p_adjusted, verdict,
 * effect
 *   ("better", "worse", "none"; null: not known).
 * - outliers[]: candidate, metric, round (from 1), value, times_median.
 * - runs[], in the order they were run: round (from 1), position (from 1), candidate, control,
 *   outcome ("done", "failed"), failure, values {key: value}.
 * Infinite ratios are null, as is what is not known.
 *
 * CSV and Markdown have the results, a row a metric and candidate. SVG draws the first metric's
 * ratios with their intervals.
 */
enum experiment_format {
	EXPORT_JSON,
	EXPORT_CSV,
	EXPORT_MARKDOWN,
	EXPORT_SVG,
	EXPORT_HTML,
	EXPORT_FORMATS
};
extern const char *const experiment_extensions[]; /* "json", "csv", "md", "svg", NULL */

/* By what follows the last dot. False: none of those. */
bool experiment_format_of(const char *path, enum experiment_format *format);
void experiment_write(const struct experiment *experiment, const struct experiment_results *results,
	enum experiment_format format, FILE *out);
/* The same to a file, which is replaced as a whole. False with errno set; the file is as before. */
bool experiment_save(const struct experiment *experiment, const struct experiment_results *results,
	enum experiment_format format, const char *path);

#endif
