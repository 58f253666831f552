#include "stats/report/advice_internal.h"

#include "stats/report/memory.h"

#include <stdlib.h>
#include <string.h>

#define KIND_NAME(name, text) [ADVICE_##name] = text,
const char *const advice_kind_names[ADVICES] = {ADVICE_KINDS(KIND_NAME)};

#define UNIT_count ADVICE_COUNT
#define UNIT_ns ADVICE_NS
#define UNIT_share ADVICE_PART
#define NAME_count(name) #name
#define NAME_ns(name) #name "_ns"
#define NAME_share(name) #name
#define NUMBER_INFO(name, unit, description) [NUMBER_##name] = {NAME_##unit(name), UNIT_##unit},
const struct advice_number_info advice_number_info[NUMBERS] = {ADVICE_NUMBERS(NUMBER_INFO)};

/* --- what all kinds use */

struct advice *advice_add(struct advising *a, const struct advice *advice)
{
	struct advices *list = a->list;

	list->row = memory_grow(list->row, list->count, &list->capacity, sizeof *list->row);
	list->row[list->count] = *advice;
	return &list->row[list->count++];
}

void advice_set(struct advice *advice, enum advice_number id, double value)
{
	advice->has[id] = true;
	advice->number[id] = value;
}

bool advice_matters(const struct advising *a, double ns)
{
	return a->busy.busy_ns > 0 && ns >= a->busy.busy_ns * LIMIT_AT_STAKE;
}

double advice_percentile(
	const struct advising *a, const struct figures *f, enum percentile_of what, double share)
{
	return (double)figures_percentile_ns(f, what, share, &a->model->reference);
}

/* --- subjects */

static bool is_delegated(const struct lock *lock)
{
	return (lock->flags & RLK_LOCK_DELEGATED) != 0;
}

static double lock_wait_ns(const struct lock *lock)
{
	double wait = 0;

	for (unsigned side = 0; side < SIDES; side++)
		if (lock->side[side].detail)
			wait += (double)lock->side[side].detail->counter[COUNT_wait_total];
	return wait;
}

static void subject_add(struct subject *s, const struct lock *lock)
{
	s->locks++;
	for (unsigned side = 0; side < SIDES; side++)
		figures_add(&s->figures, lock->side[side].acquired, lock->side[side].failed,
			lock->side[side].detail);
}

/* A class whose waiting is for one lock mostly is about that lock; a row that stands for many is no
 * lock. */
static void subject_find(const struct advising *a, size_t row, struct subject *out)
{
	const struct model *m = a->model;
	const struct view *classes = a->list->classes;
	const struct view_row *r = &classes->row[row];
	double largest = -1, all = 0;
	uint32_t first = NONE;
	uint64_t created;

	*out = (struct subject){.class_row = (uint32_t)row, .lock = NONE};
	for (uint32_t i = 0; i < r->count; i++) {
		const struct lock *lock = &m->locks.row[classes->member[r->first + i]];
		double wait = lock_wait_ns(lock);

		if (is_delegated(lock))
			continue;
		subject_add(out, lock);
		all += wait;
		if (wait > largest) {
			largest = wait;
			first = classes->member[r->first + i];
		}
	}
	if (first == NONE)
		return;
	out->kind = m->locks.row[first].kind;
	out->run = m->locks.row[first].run;
	out->largest_share = all > 0 ? largest / all : 0;
	if (m->locks.row[first].flags & RLK_LOCK_IS_CLASS) {
		created = classes->lifetimes[r->number].created;
		out->locks = created > out->locks ? created : out->locks;
		return;
	}
	if (out->locks > 1 && out->largest_share < 0.5)
		return;
	out->lock = first;
	out->locks = 0;
	out->figures = (struct figures){0};
	subject_add(out, &m->locks.row[first]);
}

static void advise_locks(struct advising *a)
{
	for (size_t row = 0; row < a->list->classes->count; row++) {
		struct subject s;

		subject_find(a, row, &s);
		if (s.locks == 0)
			continue;
		advise_waits(a, &s);
		advise_written(a, &s);
	}
}

/* --- the list */

static const struct advice *find_kind(const struct advices *list, enum advice_kind kind)
{
	for (size_t i = 0; i < list->count; i++)
		if (list->row[i].kind == kind)
			return &list->row[i];
	return NULL;
}

/* When waiting eats the CPUs, holders are descheduled because of it: one cause, one advice. */
static void drop_consequences(struct advices *list)
{
	size_t kept = 0;

	if (!find_kind(list, ADVICE_CPU_BURNT))
		return;
	for (size_t i = 0; i < list->count; i++)
		if (list->row[i].kind != ADVICE_DESCHEDULED)
			list->row[kept++] = list->row[i];
	list->count = kept;
}

static int stake_compare(const void *a, const void *b)
{
	const struct advice *x = a, *y = b;

	if (x->stake_ns != y->stake_ns)
		return x->stake_ns > y->stake_ns ? -1 : 1;
	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	if (x->class_row != y->class_row)
		return x->class_row < y->class_row ? -1 : 1;
	return x->context < y->context ? -1 : x->context > y->context;
}

static uint32_t pair_number(const struct advising *a, size_t pair)
{
	const struct lock *lock = &a->model->locks.row[a->model->pairs.row[pair].lock];

	return a->list->classes->class_row[lock->class];
}

/* Each row looks at its own pairs only: there may be very many of both. */
static void sort_pairs(struct advising *a)
{
	const struct model *m = a->model;
	size_t rows = m->classes.count;

	a->pairs = memory_get(m->pairs.count, sizeof *a->pairs);
	a->first_pair = memory_get(rows + 2, sizeof *a->first_pair);
	for (size_t i = 0; i < m->pairs.count; i++)
		a->first_pair[pair_number(a, i) + 2]++;
	for (size_t row = 2; row < rows + 2; row++)
		a->first_pair[row] += a->first_pair[row - 1];
	for (uint32_t i = 0; i < m->pairs.count; i++)
		a->pairs[a->first_pair[pair_number(a, i) + 1]++] = i;
}

struct advices *advices_new(struct model *model, struct labels *labels)
{
	struct advices *list = memory_get(1, sizeof *list);
	struct advising a = {.list = list, .model = model, .labels = labels};

	list->model = model;
	list->classes = view_new(model, labels, REPORT_BY_CLASS, 0);
	busy_find(model, &a.busy);
	sort_pairs(&a);
	advise_locks(&a);
	advise_bursts(&a);
	advise_churn(&a);
	advise_burnt(&a);
	advise_home_made(&a);
	free(a.pairs);
	free(a.first_pair);
	drop_consequences(list);
	if (list->count > 0)
		qsort(list->row, list->count, sizeof *list->row, stake_compare);
	return list;
}

void advices_free(struct advices *list)
{
	if (!list)
		return;
	view_free(list->classes);
	free(list->row);
	free(list);
}
