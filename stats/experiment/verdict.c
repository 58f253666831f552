/* From runs to verdicts: what experiment.h describes as the method. */
#include "stats/experiment/internal.h"
#include "stats/report/memory.h"

#include <math.h>
#include <stdlib.h>

/* A figure that can be compared. */
static bool measured(const struct experiment_run *run, size_t metric)
{
	return run->outcome == RUN_DONE && run->value[metric] >= 0 && isfinite(run->value[metric]);
}

static size_t own_values(const struct experiment *e, size_t slot, size_t metric, double *out)
{
	size_t count = 0;

	for (unsigned i = 0; i < e->rounds; i++) {
		const struct experiment_run *run = experiment_at(e, i, slot);

		if (measured(run, metric))
			out[count++] = run->value[metric];
	}
	return count;
}

static double log_ratio(double value, double reference)
{
	return value == reference ? 0 : log(value) - log(reference);
}

static size_t log_ratios(const struct experiment *e, size_t slot, size_t metric, double *out)
{
	size_t count = 0;

	for (unsigned i = 0; i < e->rounds; i++) {
		const struct experiment_run *run = experiment_at(e, i, slot);
		const struct experiment_run *reference = experiment_at(e, i, e->plan->reference);

		if (measured(run, metric) && measured(reference, metric))
			out[count++] = log_ratio(run->value[metric], reference->value[metric]);
	}
	return count;
}

/* Everything about a cell but what needs the other ones. */
static void fill(
	const struct experiment *e, size_t slot, size_t metric, struct experiment_cell *cell)
{
	double values[EXPERIMENT_ROUNDS_MAX];
	struct interval interval;

	*cell = (struct experiment_cell){.p = NAN, .p_adjusted = NAN};
	cell->values = own_values(e, slot, metric, values);
	sample_sort(values, cell->values);
	cell->median = sample_median(values, cell->values);
	cell->pairs = log_ratios(e, slot, metric, values);
	if (cell->pairs > 0 && slot != e->plan->reference)
		cell->p = sample_signed_rank(values, cell->pairs);
	sample_sort(values, cell->pairs);
	cell->ratio = exp(sample_median(values, cell->pairs));
	cell->interval = sample_interval(values, cell->pairs, EXPERIMENT_LEVEL, &interval);
	if (cell->interval) {
		cell->low = exp(interval.low);
		cell->high = exp(interval.high);
		cell->confidence = interval.confidence;
	}
}

/* How far a ratio is from 1, either way: 0.5 and 2 are the same. */
static double distance(double ratio)
{
	return fabs(log(ratio));
}

static double noise_floor(const struct experiment *e, const struct experiment_cell *control)
{
	double floor = log1p(e->plan->threshold);

	if (control->interval)
		floor = fmax(floor, fmax(distance(control->low), distance(control->high)));
	return exp(floor);
}

/* Whether the strongest evidence that so many pairs can give would do among so many tests. */
static bool could_tell(size_t pairs, size_t family)
{
	return sample_least_p(pairs) * (double)family <= 1 - EXPERIMENT_LEVEL;
}

static enum experiment_verdict judge(const struct experiment *e, size_t slot, size_t metric,
	const struct experiment_results *r, size_t family)
{
	const struct experiment_cell *cell = experiment_cell(r, slot, metric);
	const struct experiment_cell *control = experiment_cell(r, e->plan->candidates, metric);

	if (slot == e->plan->reference)
		return VERDICT_REFERENCE;
	if (slot == e->plan->candidates)
		return VERDICT_CONTROL;
	if (experiment_failed(e, slot) > experiment_failed(e, e->plan->reference))
		return VERDICT_FAILED;
	if (cell->pairs == 0)
		return VERDICT_NOT_MEASURED;
	if (!cell->interval || !control->interval || !could_tell(cell->pairs, family))
		return VERDICT_TOO_FEW;
	if (!(cell->p_adjusted <= 1 - EXPERIMENT_LEVEL) || (cell->low <= 1 && cell->high >= 1) ||
		!(distance(cell->ratio) > distance(r->floor[metric])))
		return VERDICT_NO_DIFFERENCE;
	return (cell->ratio > 1) == e->plan->metric[metric].higher ? VERDICT_BETTER : VERDICT_WORSE;
}

/* Judges the metrics first … first + count - 1 as one family. */
static void judge_family(
	const struct experiment *e, size_t first, size_t count, struct experiment_results *r)
{
	size_t candidates = e->plan->candidates, size = 0;
	double *adjusted = memory_get(candidates * count + 1, sizeof(*adjusted));

	for (size_t i = 0; i < candidates * count; i++) {
		adjusted[i] = experiment_cell(r, i / count, first + i % count)->p;
		size += !isnan(adjusted[i]);
	}
	sample_holm(adjusted, candidates * count);
	for (size_t i = 0; i < r->slots * count; i++) {
		size_t slot = i / count, metric = first + i % count;
		struct experiment_cell *cell = &r->cell[slot * r->metrics + metric];

		if (slot < candidates)
			cell->p_adjusted = adjusted[i];
		cell->verdict = judge(e, slot, metric, r, size);
	}
	free(adjusted);
}

static void evaluate_cells(const struct experiment *e, struct experiment_results *r)
{
	for (size_t metric = 0; metric < r->metrics; metric++) {
		for (size_t slot = 0; slot < r->slots; slot++)
			fill(e, slot, metric, &r->cell[slot * r->metrics + metric]);
		r->floor[metric] = noise_floor(e, experiment_cell(r, e->plan->candidates, metric));
	}
}

/* --- outliers */

/* Typical deviations from the median, in logarithms, from which on a run is named; and the least
 * typical deviation, so that nothing is made of differences of a few percent. */
#define UNUSUAL 5.0
#define LEAST_DEVIATION 0.02

static void name_outlier(struct experiment_results *r, size_t *capacity, size_t slot, size_t metric,
	unsigned round, double value)
{
	const struct experiment_cell *cell = experiment_cell(r, slot, metric);

	r->outlier = memory_grow(r->outlier, r->outliers, capacity, sizeof(*r->outlier));
	r->outlier[r->outliers++] = (struct experiment_outlier){
		slot, metric, round, value, value == cell->median ? 1 : value / cell->median};
}

static void find_outliers(const struct experiment *e, size_t slot, size_t metric,
	struct experiment_results *r, size_t *capacity)
{
	double sorted[EXPERIMENT_ROUNDS_MAX], scratch[EXPERIMENT_ROUNDS_MAX];
	size_t count = own_values(e, slot, metric, sorted);

	/* Of a few runs none can be called unusual. */
	if (count < 5)
		return;
	for (size_t i = 0; i < count; i++)
		sorted[i] = log(sorted[i]);
	sample_sort(sorted, count);
	for (unsigned i = 0; i < e->rounds; i++) {
		const struct experiment_run *run = experiment_at(e, i, slot);

		if (measured(run, metric) && sample_deviation(log(run->value[metric]), sorted,
						     count, LEAST_DEVIATION, scratch) > UNUSUAL)
			name_outlier(r, capacity, slot, metric, i, run->value[metric]);
	}
}

/* --- the whole */

struct experiment_results *experiment_evaluate(const struct experiment *e)
{
	struct experiment_results *r = memory_get(1, sizeof(*r));
	size_t capacity = 0;

	r->slots = e->slots;
	r->metrics = e->plan->metrics;
	r->cell = memory_get(r->slots * r->metrics, sizeof(*r->cell));
	evaluate_cells(e, r);
	judge_family(e, 0, 1, r);
	if (r->metrics > 1)
		judge_family(e, 1, r->metrics - 1, r);
	for (size_t metric = 0; metric < r->metrics; metric++)
		for (size_t slot = 0; slot < r->slots; slot++)
			find_outliers(e, slot, metric, r, &capacity);
	return r;
}

void experiment_results_free(struct experiment_results *r)
{
	free(r->cell);
	free(r->outlier);
	free(r);
}

const struct experiment_cell *experiment_cell(
	const struct experiment_results *r, size_t slot, size_t metric)
{
	return &r->cell[slot * r->metrics + metric];
}

const char *experiment_word(const struct experiment_metric *metric, enum experiment_verdict verdict)
{
	switch (verdict) {
	case VERDICT_REFERENCE:
		return "reference";
	case VERDICT_CONTROL:
		return "control";
	case VERDICT_BETTER:
		return metric->better;
	case VERDICT_WORSE:
		return metric->worse;
	case VERDICT_NO_DIFFERENCE:
		return "no difference";
	case VERDICT_TOO_FEW:
		return "too few runs";
	case VERDICT_FAILED:
		return "failed";
	case VERDICT_NOT_MEASURED:
		break;
	}
	return "not measured";
}

size_t experiment_best(
	const struct experiment *e, const struct experiment_results *r, size_t metric)
{
	size_t best = e->plan->reference;
	double farthest = 0;

	for (size_t slot = 0; slot < e->plan->candidates; slot++) {
		const struct experiment_cell *cell = experiment_cell(r, slot, metric);

		if (cell->verdict == VERDICT_BETTER && distance(cell->ratio) > farthest) {
			best = slot;
			farthest = distance(cell->ratio);
		}
	}
	return best;
}
