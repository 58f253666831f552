#include "stats/experiment/internal.h"
#include "stats/report/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

unsigned experiment_rounds_needed(size_t candidates, size_t metrics)
{
	size_t compared = candidates > 1 ? candidates - 1 : 1;
	size_t family = compared * (metrics > 2 ? metrics - 1 : 1);
	unsigned rounds = 6; /* for an interval */

	while (sample_least_p(rounds) * (double)family > 1 - EXPERIMENT_LEVEL)
		rounds++;
	return rounds;
}

struct experiment *experiment_new(const struct experiment_plan *plan)
{
	struct experiment *e = memory_get(1, sizeof(*e));
	const char *reference = plan->candidate[plan->reference].name;

	e->plan = plan;
	e->slots = plan->candidates + 1;
	e->run = memory_get((plan->rounds ? plan->rounds : 1) * e->slots, sizeof(*e->run));
	e->control = memory_format("%s again", reference);
	return e;
}

void experiment_free(struct experiment *e)
{
	free(e->run);
	free(e->control);
	free(e);
}

/* --- running */

struct schedule {
	const struct experiment_hooks *hooks;
	size_t run; /* done so far */
	uint64_t started_ns;
	unsigned failed_in_row[EXPERIMENT_CANDIDATES_MAX + 1];
};

static bool is_control(const struct experiment *e, size_t slot)
{
	return slot == e->plan->candidates;
}

static void tell(const struct experiment *e, const struct schedule *s, unsigned round, size_t slot)
{
	struct experiment_progress progress = {.run = s->run + 1, .round = round, .slot = slot};
	uint64_t spent = now_ns() - s->started_ns;

	if (!s->hooks->starting)
		return;
	progress.runs = (e->plan->warmup + e->plan->rounds) * e->slots;
	if (s->run > 0)
		progress.left_ns = spent / s->run * (progress.runs - s->run);
	s->hooks->starting(s->hooks->context, &progress);
}

static void judge_failure(struct experiment *e, struct schedule *s, size_t slot, bool failed)
{
	s->failed_in_row[slot] = failed ? s->failed_in_row[slot] + 1 : 0;
	if (s->failed_in_row[slot] >= EXPERIMENT_GIVE_UP)
		e->given_up[slot] = true;
}

/* False: the experiment ends here. */
static bool run_one(struct experiment *e, struct schedule *s, unsigned round, size_t slot,
	struct experiment_run *run)
{
	size_t candidate = is_control(e, slot) ? e->plan->reference : slot;

	*run = (struct experiment_run){.outcome = RUN_DONE, .position = run->position};
	for (size_t i = 0; i < EXPERIMENT_METRICS_MAX; i++)
		run->value[i] = NAN;
	tell(e, s, round, slot);
	s->hooks->measure(s->hooks->context, candidate, run);
	s->run++;
	if (run->outcome == RUN_INTERRUPTED) {
		run->outcome = RUN_NOT_DONE;
		e->interrupted = true;
		e->stopped_in = round;
		return false;
	}
	judge_failure(e, s, slot, run->outcome == RUN_FAILED);
	return true;
}

/* A warm-up round's runs go to `scratch`, and count for nothing but giving up. */
static bool run_round(struct experiment *e, struct schedule *s, unsigned number, bool warmup)
{
	size_t order[EXPERIMENT_CANDIDATES_MAX + 1];
	struct experiment_run scratch;

	order_round(e->plan->seed, warmup ? UINT64_MAX / 2 + number : number, order, e->slots);
	for (size_t i = 0; i < e->slots; i++) {
		size_t slot = order[i];
		struct experiment_run *run = &e->run[number * e->slots + slot];

		run = warmup ? &scratch : run;
		run->position = (unsigned)i;
		if (e->given_up[slot]) {
			s->run++;
			continue;
		}
		if (!run_one(e, s, warmup ? 0 : number + 1, slot, run))
			return false;
		if (!warmup)
			e->rounds = number + 1;
	}
	return true;
}

static bool reference_given_up(const struct experiment *e)
{
	return e->given_up[e->plan->reference] || e->given_up[e->plan->candidates];
}

void experiment_run(struct experiment *e, const struct experiment_hooks *hooks)
{
	struct schedule schedule = {.hooks = hooks, .started_ns = now_ns()};

	for (unsigned i = 0; i < e->plan->warmup && !reference_given_up(e); i++)
		if (!run_round(e, &schedule, i, true))
			return;
	for (unsigned i = 0; i < e->plan->rounds && !reference_given_up(e); i++) {
		bool whole = run_round(e, &schedule, i, false);

		if (e->rounds > i && hooks->round_done)
			hooks->round_done(hooks->context, e);
		if (!whole)
			return;
	}
}

/* --- what was done */

const struct experiment_plan *experiment_plan(const struct experiment *e)
{
	return e->plan;
}

size_t experiment_slots(const struct experiment *e)
{
	return e->slots;
}

const char *experiment_name(const struct experiment *e, size_t slot)
{
	return is_control(e, slot) ? e->control : e->plan->candidate[slot].name;
}

unsigned experiment_rounds(const struct experiment *e)
{
	return e->rounds;
}

const struct experiment_run *experiment_at(const struct experiment *e, unsigned round, size_t slot)
{
	return &e->run[round * e->slots + slot];
}

bool experiment_interrupted(const struct experiment *e)
{
	return e->interrupted;
}

bool experiment_given_up(const struct experiment *e, size_t slot)
{
	return e->given_up[slot];
}

unsigned experiment_tried(const struct experiment *e, size_t slot)
{
	unsigned tried = 0;

	for (unsigned i = 0; i < e->rounds; i++)
		tried += experiment_at(e, i, slot)->outcome != RUN_NOT_DONE;
	return tried;
}

unsigned experiment_failed(const struct experiment *e, size_t slot)
{
	unsigned failed = 0;

	for (unsigned i = 0; i < e->rounds; i++)
		failed += experiment_at(e, i, slot)->outcome == RUN_FAILED;
	return failed;
}

const char *experiment_failure(const struct experiment *e, size_t slot)
{
	const char *failure = NULL;

	for (unsigned i = 0; i < e->rounds; i++)
		if (experiment_at(e, i, slot)->outcome == RUN_FAILED)
			failure = experiment_at(e, i, slot)->failure;
	return failure;
}
