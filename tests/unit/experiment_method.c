/*
 * What the method promises, counted over thousands of made-up experiments: intervals that hold the
 * truth as often as they claim, few false verdicts, and true differences found. Everything comes
 * from fixed seeds; the limits leave room for what another choice of seeds would give.
 */
#include "stats/experiment/sample.h"
#include "tests/unit/experiment_synthetic.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const char *const noise_names[] = {
	"normal", "skewed", "heavy-tailed", "bursts", "discrete", "drifting"};

/* The true median of a candidate's paired log ratio is what was put in: both sides of a pair have
 * the same noise, whose difference is symmetric. */
START_TEST(intervals_cover_ratios)
{
	static const double effect[] = {1, 1.3};
	struct synthetic s = {
		.state = 11, .noise = (enum noise)_i, .spread = 0.08, .effect = effect};
	struct experiment_plan plan = synthetic_plan(2, 1, EXPERIMENT_ROUNDS_DEFAULT);
	struct experiment_hooks hooks = {.context = &s, .measure = synthetic_measure};
	unsigned trials = 4000, covered = 0;

	for (unsigned i = 0; i < trials; i++) {
		struct experiment *e;
		struct experiment_results *r;
		const struct experiment_cell *cell;

		plan.seed = i;
		e = experiment_new(&plan);
		experiment_run(e, &hooks);
		r = experiment_evaluate(e);
		cell = experiment_cell(r, 1, 0);
		covered += cell->low <= 1.3 * (1 + 1e-9) && cell->high >= 1.3 * (1 - 1e-9);
		experiment_results_free(r);
		experiment_free(e);
	}
	printf("# ratios, %s: %.2f %% covered\n", noise_names[_i], 100.0 * covered / trials);
	ck_assert_double_ge((double)covered / trials, 0.95);
	/* And they are not wide for nothing, but where ties leave no choice. */
	if (_i != NOISE_DISCRETE)
		ck_assert_double_le((double)covered / trials, 0.98);
}
END_TEST

/* The interval itself, for medians of distributions that are not symmetric. */
static double draw(struct synthetic *s, int kind)
{
	switch (kind) {
	case 0:
		return -log(synthetic_uniform(s)); /* exponential: median ln 2 */
	case 1:
		return exp(2 * synthetic_noise(s)); /* lognormal: median 1 */
	case 2:
		return pow(synthetic_uniform(s), -1.0); /* Pareto without a mean: median 2 */
	default:
		return floor(3 * synthetic_uniform(s)); /* 0, 1, 2: median 1 */
	}
}

START_TEST(intervals_cover_medians)
{
	static const double median[] = {M_LN2, 1, 2, 1};
	static const unsigned counts[] = {6, 10, 12, 25};
	struct synthetic s = {.state = 5, .noise = NOISE_NORMAL, .spread = 1};
	unsigned trials = 10000;

	for (size_t c = 0; c < sizeof(counts) / sizeof(counts[0]); c++) {
		unsigned covered = 0;

		for (unsigned i = 0; i < trials; i++) {
			double values[SAMPLE_MAX];
			struct interval interval;

			for (unsigned v = 0; v < counts[c]; v++)
				values[v] = draw(&s, _i);
			sample_sort(values, counts[c]);
			ck_assert(sample_interval(values, counts[c], 0.95, &interval));
			covered += interval.low <= median[_i] && median[_i] <= interval.high;
		}
		ck_assert_msg((double)covered / trials >= 0.95, "%d: %u of %u values covered %u",
			_i, covered, trials, counts[c]);
	}
}
END_TEST

/* A against A, k times over and by eight metrics: how often is anything at all called different? */
static double false_alarms(enum noise noise, size_t candidates, double *per_metric)
{
	struct synthetic s = {.state = 23, .noise = noise, .spread = 0.08};
	struct experiment_plan plan = synthetic_plan(candidates, 8, EXPERIMENT_ROUNDS_DEFAULT);
	struct experiment_hooks hooks = {.context = &s, .measure = synthetic_measure};
	unsigned trials = 1500, alarms = 0, wrong = 0;

	for (unsigned i = 0; i < trials; i++) {
		struct experiment *e;
		struct experiment_results *r;
		unsigned before = wrong;

		plan.seed = i;
		e = experiment_new(&plan);
		experiment_run(e, &hooks);
		r = experiment_evaluate(e);
		for (size_t metric = 0; metric < 8; metric++) {
			bool any = false;

			for (size_t slot = 1; slot < candidates; slot++)
				any = any || experiment_cell(r, slot, metric)->verdict !=
						     VERDICT_NO_DIFFERENCE;
			wrong += any;
		}
		alarms += wrong > before;
		experiment_results_free(r);
		experiment_free(e);
	}
	*per_metric = (double)wrong / trials / 8;
	return (double)alarms / trials;
}

START_TEST(the_same_is_not_called_different)
{
	enum noise noise = (enum noise)(_i % NOISES);
	size_t candidates = _i < NOISES ? 2 : 6;
	double per_metric, whole = false_alarms(noise, candidates, &per_metric);

	printf("# %zu times the same, %s: false on a metric %.2f %%, on any of eight %.2f %%\n",
		candidates, noise_names[noise], 100 * per_metric, 100 * whole);
	ck_assert_double_le(per_metric, 0.01);
	ck_assert_double_le(whole, 0.025);
}
END_TEST

static const struct {
	enum noise noise;
	double spread, effect, found;
} powers[] = {
	{NOISE_NORMAL, 0.02, 0.90, 0.97},
	{NOISE_NORMAL, 0.08, 0.75, 0.95},
	{NOISE_SKEWED, 0.04, 0.80, 0.90},
	{NOISE_HEAVY, 0.03, 0.80, 0.90},
	{NOISE_BURSTS, 0.05, 0.40, 0.75},
	{NOISE_DRIFT, 0.05, 0.60, 0.90},
	{NOISE_DISCRETE, 0.05, 0.70, 0.95},
};

START_TEST(differences_are_found)
{
	const double effect[] = {1, powers[_i].effect};
	struct synthetic s = {.state = 37,
		.noise = powers[_i].noise,
		.spread = powers[_i].spread,
		.effect = effect};
	struct experiment_plan plan = synthetic_plan(2, 1, EXPERIMENT_ROUNDS_DEFAULT);
	struct experiment_hooks hooks = {.context = &s, .measure = synthetic_measure};
	unsigned trials = 1000, found = 0, wrong = 0;

	for (unsigned i = 0; i < trials; i++) {
		struct experiment *e;
		struct experiment_results *r;

		plan.seed = i;
		e = experiment_new(&plan);
		experiment_run(e, &hooks);
		r = experiment_evaluate(e);
		found += experiment_cell(r, 1, 0)->verdict == VERDICT_BETTER;
		wrong += experiment_cell(r, 1, 0)->verdict == VERDICT_WORSE;
		experiment_results_free(r);
		experiment_free(e);
	}
	printf("# %.2f under %s noise of %.2f: found %.1f %%\n", powers[_i].effect,
		noise_names[powers[_i].noise], powers[_i].spread, 100.0 * found / trials);
	ck_assert_double_ge((double)found / trials, powers[_i].found);
	ck_assert_uint_eq(wrong, 0);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("experiment method");
	TCase *tests = tcase_create("method");
	SRunner *runner;
	int failed;

	tcase_set_timeout(tests, 200);
	tcase_add_loop_test(tests, intervals_cover_ratios, 0, NOISES);
	tcase_add_loop_test(tests, intervals_cover_medians, 0, 4);
	tcase_add_loop_test(tests, the_same_is_not_called_different, 0, 2 * NOISES);
	tcase_add_loop_test(
		tests, differences_are_found, 0, (int)(sizeof(powers) / sizeof(powers[0])));
	suite_add_tcase(suite, tests);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
