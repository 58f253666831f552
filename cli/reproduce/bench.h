/*
 * Running a finding's trials, and what came of them.
 *
 * Use:
 *	struct bench bench = {.quick = …, .repetitions = …};
 *	bench_begin(&bench);
 *	struct outcome *outcome = bench_run(&bench, finding);
 *	…outcome_judge() at any time…
 *	outcome_free(outcome);
 *	bench_end(&bench);
 *
 * Contract: as for cli/process.h. After an interruption what was measured until then stays, and no
 * further run is started. Names of trials, metrics and candidates are those of findings.h.
 */
#ifndef RELOCK_CLI_REPRODUCE_BENCH_H
#define RELOCK_CLI_REPRODUCE_BENCH_H

#include "cli/process.h"
#include "cli/reproduce/findings.h"

#include <limits.h>

struct outcome;

struct bench {
	bool quick;
	unsigned repetitions; /* 0: the finding's own */
	uint64_t seed;
	bool progress; /* a line on stderr */
	/* After each round of a trial; may be NULL. */
	void (*round_done)(void *context, const struct outcome *outcome);
	void *context;
	/* filled by bench_begin() */
	char library[PATH_MAX];   /* as LD_PRELOAD can name it */
	char directory[PATH_MAX]; /* for recordings */
	unsigned cpus;            /* allowed */
	struct capture output;
	struct watch watch;
};

/* One trial, run or not. */
struct trial_outcome {
	const struct trial *trial;
	struct trial_candidate candidate[TRIAL_CANDIDATES + 1]; /* those that take part */
	size_t candidates, metrics;
	struct experiment_candidate named[TRIAL_CANDIDATES];
	struct experiment_plan plan;
	struct experiment *experiment; /* NULL: not run */
	char reason[JUDGE_REASON];     /* why it was not run */
	/* CPU time there was while it ran, of all CPUs, and what other programs had of it. */
	double cpu_s, others_s;
};

struct criterion_outcome {
	const struct criterion *criterion;
	struct judgement judgement;
	/* Of the candidate that decided: the one farthest from meeting it. */
	const char *candidate; /* NULL: none was measured */
	struct evidence evidence;
};

struct outcome {
	const struct finding *finding;
	unsigned repetitions;
	struct trial_outcome trial[FINDING_TRIALS];
	size_t trials;
	struct criterion_outcome criterion[FINDING_CRITERIA];
	size_t criteria;
};

/* False: a message was printed. */
bool bench_begin(struct bench *bench);
void bench_end(struct bench *bench);
/* How long a finding's runs will take. */
double bench_seconds(const struct bench *bench, const struct finding *finding);
/* Runs all trials, and judges. */
struct outcome *bench_run(struct bench *bench, const struct finding *finding);
void outcome_free(struct outcome *outcome);

/* Judges what there is. bench_run() has done so. */
void outcome_judge(struct outcome *outcome);
/* Contradicted if a criterion is, confirmed if all are. */
struct judgement outcome_verdict(const struct outcome *outcome);
/* One figure a repetition, NaN where there is none. Returns how many repetitions; at most
 * EXPERIMENT_ROUNDS_MAX. The slot after the last candidate is the control. */
size_t outcome_column(
	const struct trial_outcome *trial, size_t slot, size_t metric, double *values);
/* Of a candidate's figures, and of their ratios to the baseline's. */
struct evidence outcome_value(const struct trial_outcome *trial, size_t slot, size_t metric);
struct evidence outcome_ratio(
	const struct trial_outcome *trial, size_t slot, size_t over, size_t metric);

#endif
