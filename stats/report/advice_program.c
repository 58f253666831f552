/* Advice on what is not about waits for one lock: how locks are used, and where CPU time goes. */
#include "stats/report/advice_internal.h"

#include <string.h>

static struct advice about_lock(enum advice_kind kind, uint32_t run, uint32_t lock, uint32_t row)
{
	return (struct advice){
		.kind = kind, .run = run, .lock = lock, .class_row = row, .thread = NONE};
}

static double per_second(const struct advising *a, uint32_t run, double count)
{
	double wall = (double)a->model->runs.row[run].wall_ns;

	return wall > 0 ? count * 1e9 / wall : 0;
}

/* --- bursts */

#define BURSTS_NAMED 256 /* worth a line that are looked into; a program has few */

/* The row of a lock's class; NONE: the view has none. */
static uint32_t row_of_lock(const struct advising *a, uint32_t lock)
{
	const struct view *classes = a->list->classes;
	uint32_t number = classes->class_row[a->model->locks.row[lock].class];

	for (uint32_t row = 0; row < classes->count; row++)
		if (classes->row[row].number == number)
			return row;
	return NONE;
}

/* Threads that counted in a shard: how many, how long they lived together, and one of them. */
static size_t takers(const struct model *m, const struct burst *b, double *lifetime, uint32_t *one)
{
	size_t count = 0;

	*lifetime = 0;
	for (uint32_t i = 0; i < m->threads.count; i++) {
		if (m->threads.row[i].run != b->run || m->threads.row[i].shard != b->shard)
			continue;
		*lifetime += (double)m->threads.row[i].lifetime_ns;
		*one = i;
		count++;
	}
	return count;
}

/* Threads that do the same to a lock are one advice, about the one with most at stake. */
static void burst_add(struct advising *a, struct advice *advice)
{
	double stake = advice->stake_ns, others = 0;
	struct advice *same = NULL;

	for (size_t i = 0; i < a->list->count && !same; i++)
		if (a->list->row[i].kind == ADVICE_BURSTS && a->list->row[i].lock == advice->lock)
			same = &a->list->row[i];
	if (!same) {
		advice_set(advice, NUMBER_others, 0);
		advice_add(a, advice);
		return;
	}
	stake += same->stake_ns;
	others = same->number[NUMBER_others] + 1;
	if (advice->number[NUMBER_saved] > same->number[NUMBER_saved])
		*same = *advice;
	same->stake_ns = stake;
	advice_set(same, NUMBER_others, others);
}

/* True: it was looked into. */
static bool advise_burst(struct advising *a, const struct burst *b)
{
	double apart = (double)b->total_ns / (double)b->acquired;
	double hold = (double)b->hold_ns / (double)b->holds, between = apart - hold;
	double waited = (double)b->wait_ns / (double)b->acquired;
	double saved = between * (double)b->acquired, lifetime;
	uint32_t thread = NONE;
	size_t threads;
	struct advice advice;

	if (between <= 0 || between - waited > LIMIT_BURST_BETWEEN_NS || !advice_matters(a, saved))
		return false;
	threads = takers(a->model, b, &lifetime, &thread);
	/* Most of what it may have computed; the rest of its life it waited for a CPU. */
	if (a->busy.cpu_ns > 0 && lifetime > a->busy.cpu_ns)
		lifetime = a->busy.cpu_ns;
	if (threads == 0 || saved < lifetime * LIMIT_BURST_SAVED)
		return true;
	advice = about_lock(ADVICE_BURSTS, b->run, b->lock, row_of_lock(a, b->lock));
	advice.thread = threads == 1 ? thread : NONE;
	advice.stake_ns = saved;
	advice_set(&advice, NUMBER_threads, (double)threads);
	advice_set(&advice, NUMBER_acquired, (double)b->acquired);
	advice_set(&advice, NUMBER_apart, apart);
	advice_set(&advice, NUMBER_hold_mean, hold);
	advice_set(&advice, NUMBER_between, between);
	advice_set(&advice, NUMBER_saved, saved);
	advice_set(&advice, NUMBER_saved_share, saved / lifetime);
	burst_add(a, &advice);
	return true;
}

void advise_bursts(struct advising *a)
{
	size_t named = 0;

	for (size_t i = 0; i < a->model->bursts.count && named < BURSTS_NAMED; i++) {
		const struct burst *b = &a->model->bursts.row[i];

		if (b->acquired >= LIMIT_BURST && b->holds >= LIMIT_HOLDS)
			named += advise_burst(a, b);
	}
}

/* --- locks made and destroyed */

void advise_churn(struct advising *a)
{
	const struct view *classes = a->list->classes;

	for (uint32_t row = 0; row < classes->count; row++) {
		const struct lifetimes *lives = &classes->lifetimes[classes->row[row].number];
		double created = (double)lives->created, destroyed = (double)lives->destroyed, rate;
		uint32_t first = classes->member[classes->row[row].first];
		uint32_t run = a->model->locks.row[first].run;
		struct figures f;
		struct advice advice;

		rate = per_second(a, run, created);
		if (created < LIMIT_CHURN || rate < LIMIT_CHURN_RATE ||
			destroyed < created * LIMIT_CHURN_GONE)
			continue;
		view_figures(classes, row, &f);
		if ((double)f.acquired > created * LIMIT_CHURN_USES)
			continue;
		advice = about_lock(ADVICE_CHURN, run, NONE, row);
		advice_set(&advice, NUMBER_created, created);
		advice_set(&advice, NUMBER_destroyed, destroyed);
		advice_set(&advice, NUMBER_per_second, rate);
		advice_set(&advice, NUMBER_acquired, (double)f.acquired);
		advice.stake_ns = created;
		advice_add(a, &advice);
	}
}

/* --- CPU time */

static double yields_ns(const struct model *m)
{
	double yielded = (double)m->total.counter[COUNT_yielded_total];
	double least = (double)m->total.counter[COUNT_yields] * LIMIT_YIELD_NS;

	return least < yielded ? least : yielded;
}

static uint32_t most_waiting_run(const struct model *m)
{
	uint32_t best = 0;

	for (uint32_t i = 1; i < m->runs.count; i++)
		if (m->runs.row[i].counter[COUNT_wait_total] >
			m->runs.row[best].counter[COUNT_wait_total])
			best = i;
	return best;
}

void advise_burnt(struct advising *a)
{
	const struct model *m = a->model;
	uint32_t run = most_waiting_run(m);
	double burnt = busy_cpu_of(&a->busy, a->busy.spun_ns) + yields_ns(m);
	double cpu = a->busy.cpu_ns;
	struct advice advice;

	if (a->busy.crowding < LIMIT_CROWDED ||
		m->total.counter[COUNT_contended] < LIMIT_BURNT_WAITS || cpu <= 0 ||
		burnt < cpu * LIMIT_BURNT)
		return;
	if (burnt > cpu)
		burnt = cpu;
	advice = about_lock(ADVICE_CPU_BURNT, run, NONE, NONE);
	advice.stake_ns = (double)m->total.counter[COUNT_wait_total];
	advice_set(&advice, NUMBER_waits, (double)m->total.counter[COUNT_contended]);
	advice_set(&advice, NUMBER_burnt, burnt);
	advice_set(&advice, NUMBER_burnt_share, burnt / cpu);
	advice_set(&advice, NUMBER_threads, m->runs.row[run].threads_peak);
	advice_set(&advice, NUMBER_cpus, busy_cpus(&m->runs.row[run]));
	advice_add(a, &advice);
}

/* --- rwlocks that are only written */

void advise_written(struct advising *a, const struct subject *s)
{
	const struct view_row *r = &a->list->classes->row[s->class_row];
	double written = (double)s->figures.acquired, extra = written * LIMIT_RWLOCK_NS;
	struct advice advice;

	if (!model_is_rwlock(s->kind) || written < LIMIT_WRITTEN)
		return;
	for (uint32_t i = 0; i < r->count; i++) {
		uint32_t member = a->list->classes->member[r->first + i];
		const struct side *read = &a->model->locks.row[member].side[SIDE_READ];

		if ((s->lock == NONE || s->lock == member) &&
			(read->acquired > 0 || read->failed > 0 || read->detail))
			return;
	}
	if (extra < a->busy.busy_ns * LIMIT_RWLOCK_SHARE &&
		!advice_matters(a, (double)s->figures.counter[COUNT_wait_total]))
		return;
	advice = about_lock(ADVICE_ONLY_WRITTEN, s->run, s->lock, s->class_row);
	advice.stake_ns = extra;
	advice_set(&advice, NUMBER_acquired, written);
	advice_set(&advice, NUMBER_locks, (double)s->locks);
	advice_add(a, &advice);
}

/* --- home-made waiting */

#define PLACES_MAX 64 /* that are told apart */

/* Calls from one place, of one kind. */
struct place {
	uint32_t context, kind;
	double calls, asked_ns;
};

static void place_add(
	const struct advising *a, struct place *places, size_t *count, const struct yield_site *y)
{
	uint32_t context = RLK_CONTEXT_SITE(y->site);
	const char *label = labels_context(a->labels, context);
	size_t i = 0;

	while (i < *count &&
		(places[i].kind != y->kind ||
			strcmp(labels_context(a->labels, places[i].context), label) != 0))
		i++;
	if (i == PLACES_MAX)
		return;
	if (i == *count)
		places[(*count)++] = (struct place){.context = context, .kind = y->kind};
	places[i].calls += (double)y->count;
	places[i].asked_ns += (double)y->asked_ns;
}

static void advise_place(struct advising *a, const struct place *place)
{
	double wall = (double)a->model->wall_ns;
	double rate = wall > 0 ? place->calls * 1e9 / wall : 0;
	struct advice advice;

	if (place->calls < LIMIT_HOME_MADE || rate < LIMIT_HOME_MADE_RATE ||
		place->asked_ns > place->calls * LIMIT_HOME_MADE_SLEEP_NS)
		return;
	advice = about_lock(ADVICE_HOME_MADE, 0, NONE, NONE);
	advice.context = place->context;
	advice.stake_ns = place->calls * LIMIT_YIELD_NS;
	advice_set(&advice, NUMBER_calls, place->calls);
	advice_set(&advice, NUMBER_per_second, rate);
	if (place->kind == RLK_YIELD_SLEEP)
		advice_set(&advice, NUMBER_asked, place->asked_ns);
	advice_add(a, &advice);
}

void advise_home_made(struct advising *a)
{
	const struct model *m = a->model;
	struct place places[PLACES_MAX];
	size_t count = 0;

	for (size_t i = 0; i < m->yield_sites.count; i++)
		if (m->yield_sites.row[i].site != NONE &&
			m->yield_sites.row[i].count >= LIMIT_HOME_MADE / PLACES_MAX)
			place_add(a, places, &count, &m->yield_sites.row[i]);
	for (size_t i = 0; i < count; i++)
		advise_place(a, &places[i]);
}
