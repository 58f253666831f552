/*
 * The published findings as tables: what was measured there, how it is measured here, and what has
 * to come out for a finding to count as reproduced.
 *
 * A finding has trials. A trial runs one workload in several ways, its candidates, of which the
 * first is the baseline that the document normalises to or that everything is compared with. A
 * criterion is a demand on a metric of some candidates of a trial.
 *
 * To add a finding: a file finding_NAME.c with a `const struct finding`, and its row in findings.c.
 *
 * Contract: constant data. Names are unique within their table and hold no spaces.
 */
#ifndef RELOCK_CLI_REPRODUCE_FINDINGS_H
#define RELOCK_CLI_REPRODUCE_FINDINGS_H

#include "cli/reproduce/judge.h"
#include "stats/experiment/experiment.h"

#include <math.h>

#define TRIAL_SETTINGS 2
#define TRIAL_METRICS 6
#define TRIAL_CANDIDATES 12
#define FINDING_TRIALS 8
#define FINDING_CRITERIA 10

/* A figure of a metric that was published. */
struct published {
	const char *metric; /* NULL ends the list */
	double value;
};

struct trial_candidate {
	const char *name;   /* NULL ends the list */
	const char *policy; /* NULL: without the library */
	const char *arguments;
	const char *setting, *value; /* of the configuration, "section.key"; NULL: none */
	bool full_only;              /* left out by --quick */
	struct published published[TRIAL_METRICS + 1];
};

/* How long a run is, for --quick and in full: arguments, and seconds for the baseline's run and for
 * another's. */
struct trial_length {
	const char *arguments;
	double baseline_s, other_s;
};

struct trial {
	const char *name; /* NULL ends the list */
	const char *what; /* a sentence */
	const char *workload, *arguments;
	unsigned cpus_needed;
	unsigned confine; /* to so many CPUs from outside; 0: not */
	bool recorded;    /* figures come from a recording too */
	/* Of the configuration, for all candidates; ended by one without a name. */
	struct trial_setting {
		const char *name, *value;
	} setting[TRIAL_SETTINGS + 1];
	bool full_only;
	struct trial_length full, quick;
	struct experiment_metric metric[TRIAL_METRICS]; /* key: in the workload's JSON; ended by one
							   without a name */
	struct trial_candidate candidate[TRIAL_CANDIDATES + 1];
};

#define EACH_BUT_THE_BASELINE "*"

struct criterion {
	const char *text; /* NULL ends the list */
	const char *trial, *metric;
	const char *of;   /* candidates, separated by spaces, or EACH_BUT_THE_BASELINE */
	const char *over; /* candidate that they are divided by; NULL: the value itself counts */
	struct demand demand;
};

struct finding {
	const char *name; /* NULL ends the list of findings */
	const char *title;
	const char *source;
	const char *said;     /* what was found there: a paragraph */
	const char *here;     /* how it is looked for here, where that differs: a paragraph */
	unsigned repetitions; /* in full, unless the user says otherwise */
	struct trial trial[FINDING_TRIALS + 1];
	struct criterion criterion[FINDING_CRITERIA + 1];
};

extern const struct finding *const findings[]; /* ended by NULL */

/* By name or number, from "1". NULL: there is none. */
const struct finding *finding_find(const char *word);
/* Position in a table, or -1. */
int trial_find(const struct finding *finding, const char *name);
int metric_find(const struct trial *trial, const char *name);
int candidate_find(const struct trial *trial, const char *name);
size_t trial_metrics(const struct trial *trial);
/* What was published of a candidate; NaN: nothing. */
double published_of(const struct trial_candidate *candidate, const char *metric);
/* Whether `list`, separated by spaces, names it. */
bool names_word(const char *list, const char *word);

#endif
