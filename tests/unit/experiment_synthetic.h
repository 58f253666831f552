/*
 * Experiments whose measurements are made up, from a seed: what comes out is known, and the same
 * every time.
 */
#ifndef RELOCK_TESTS_UNIT_EXPERIMENT_SYNTHETIC_H
#define RELOCK_TESTS_UNIT_EXPERIMENT_SYNTHETIC_H

#include "stats/experiment/experiment.h"

#include <check.h>

enum noise {
	NOISE_NORMAL,
	NOISE_SKEWED,   /* lognormal: slow runs are further off than fast ones */
	NOISE_HEAVY,    /* Student's t with 2 degrees of freedom: no variance */
	NOISE_BURSTS,   /* every seventh run up to 7 times as slow */
	NOISE_DISCRETE, /* few different values, many ties */
	NOISE_DRIFT,    /* each run begins where the last one ended */
	NOISES
};

struct synthetic {
	uint64_t state; /* of the random numbers */
	enum noise noise;
	double spread; /* typical deviation of a run's logarithm */
	double drift;
	const double *effect; /* by candidate: its figures are so many times the reference's */
};

double synthetic_uniform(struct synthetic *s); /* inside 0…1 */
/* Deviation of one run from what it would be without noise, as a logarithm. */
double synthetic_noise(struct synthetic *s);
/* For hooks.measure: the same figure, by noise of its own, for every metric. */
void synthetic_measure(void *synthetic, size_t candidate, struct experiment_run *run);

/* A plan over the first `candidates` of a…h and `metrics` of wall, ops (higher is better), rss. */
struct experiment_plan synthetic_plan(size_t candidates, size_t metrics, unsigned rounds);

Suite *experiment_sample_suite(void);
Suite *experiment_rounds_suite(void);
Suite *experiment_verdicts_suite(void);
Suite *experiment_exports_suite(void);

#endif
