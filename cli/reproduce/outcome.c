/* From what was measured to verdicts. */
#include "cli/reproduce/bench.h"

#include <string.h>

size_t outcome_column(const struct trial_outcome *t, size_t slot, size_t metric, double *values)
{
	unsigned rounds = t->experiment ? experiment_rounds(t->experiment) : 0;

	for (unsigned i = 0; i < rounds; i++) {
		const struct experiment_run *run = experiment_at(t->experiment, i, slot);

		values[i] = run->outcome == RUN_DONE ? run->value[metric] : NAN;
	}
	return rounds;
}

struct evidence outcome_value(const struct trial_outcome *t, size_t slot, size_t metric)
{
	double values[EXPERIMENT_ROUNDS_MAX];
	size_t count = outcome_column(t, slot, metric, values);

	return evidence_of_values(values, count);
}

struct evidence outcome_ratio(
	const struct trial_outcome *t, size_t slot, size_t over, size_t metric)
{
	double values[EXPERIMENT_ROUNDS_MAX], below[EXPERIMENT_ROUNDS_MAX],
		control[EXPERIMENT_ROUNDS_MAX], baseline[EXPERIMENT_ROUNDS_MAX];
	size_t count = outcome_column(t, slot, metric, values);

	outcome_column(t, over, metric, below);
	outcome_column(t, t->candidates, metric, control);
	outcome_column(t, 0, metric, baseline);
	return evidence_of_ratios(values, below, count, noise_of(control, baseline, count));
}

/* --- criteria */

static const struct trial_outcome *find_trial(const struct outcome *o, const char *name)
{
	for (size_t i = 0; i < o->trials; i++)
		if (strcmp(o->trial[i].trial->name, name) == 0)
			return &o->trial[i];
	return NULL;
}

static int find_slot(const struct trial_outcome *t, const char *name)
{
	for (size_t i = 0; i < t->candidates; i++)
		if (strcmp(t->candidate[i].name, name) == 0)
			return (int)i;
	return -1;
}

static bool is_asked(const struct criterion *c, const struct trial_outcome *t, size_t slot)
{
	if (strcmp(c->of, EACH_BUT_THE_BASELINE) == 0)
		return slot > 0;
	return names_word(c->of, t->candidate[slot].name);
}

/* A run that failed gave no figure, and why it did is what the reader wants to know. */
static struct judgement explain_failure(
	const struct trial_outcome *t, size_t slot, struct judgement judgement)
{
	const char *failure = experiment_failure(t->experiment, slot);

	if (judgement.verdict != INCONCLUSIVE || !failure)
		return judgement;
	return judge_not("%u of %u runs of %s failed, the last: %.100s",
		experiment_failed(t->experiment, slot), experiment_tried(t->experiment, slot),
		t->candidate[slot].name, failure);
}

/* How far from its demand a median is, for choosing the one to show: what is met counts from its
 * bound inwards. */
static double shortfall(const struct demand *d, double median)
{
	double from_low = d->low > 0 ? log(d->low) - log(median) : -INFINITY;
	double from_high = d->high < INFINITY ? log(median) - log(d->high) : -INFINITY;

	return fmax(from_low, from_high);
}

static struct evidence collect(
	const struct trial_outcome *t, const struct criterion *c, size_t slot, size_t metric)
{
	int over = c->over ? find_slot(t, c->over) : -1;

	if (!c->over)
		return outcome_value(t, slot, metric);
	return outcome_ratio(t, slot, over < 0 ? 0 : (size_t)over, metric);
}

static void judge_measured(const struct trial_outcome *t, struct criterion_outcome *out)
{
	const struct criterion *c = out->criterion;
	struct judgement list[TRIAL_CANDIDATES];
	size_t count = 0, metric = (size_t)metric_find(t->trial, c->metric);
	double farthest = -INFINITY;

	for (size_t slot = 0; slot < t->candidates; slot++) {
		struct evidence e;
		double far;

		if (!is_asked(c, t, slot))
			continue;
		e = collect(t, c, slot, metric);
		e.others = t->cpu_s > 0 ? t->others_s / t->cpu_s : 0;
		list[count++] = explain_failure(t, slot, judge(&c->demand, &e));
		far = shortfall(&c->demand, e.median);
		if (e.count > 0 && (!out->candidate || far > farthest)) {
			out->candidate = t->candidate[slot].name;
			out->evidence = e;
			farthest = far;
		}
	}
	out->judgement = judge_all(list, count);
}

static struct criterion_outcome judge_criterion(
	const struct outcome *o, const struct criterion *criterion)
{
	const struct trial_outcome *t = find_trial(o, criterion->trial);
	struct criterion_outcome out = {
		.criterion = criterion, .evidence = {.median = NAN, .low = NAN, .high = NAN}};

	if (!t)
		out.judgement = judge_not("not measured");
	else if (!t->experiment)
		out.judgement = judge_not("%s", t->reason);
	else
		judge_measured(t, &out);
	return out;
}

void outcome_judge(struct outcome *o)
{
	const struct criterion *list = o->finding->criterion;

	o->criteria = 0;
	for (size_t i = 0; list[i].text; i++)
		o->criterion[o->criteria++] = judge_criterion(o, &list[i]);
}

struct judgement outcome_verdict(const struct outcome *o)
{
	struct judgement list[FINDING_CRITERIA];

	for (size_t i = 0; i < o->criteria; i++)
		list[i] = o->criterion[i].judgement;
	return judge_all(list, o->criteria);
}
