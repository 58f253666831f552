#include "stats/report/view.h"

#include "stats/report/keys.h"
#include "stats/report/memory.h"

#include <stdlib.h>
#include <string.h>

static void view_by_lock(struct view *v)
{
	const struct model *m = v->model;

	v->row = memory_get(m->locks.count, sizeof *v->row);
	v->member = memory_get(m->locks.count, sizeof *v->member);
	for (uint32_t i = 0; i < m->locks.count; i++) {
		v->member[i] = i;
		if (!model_lock_is_empty(&m->locks.row[i]))
			v->row[v->count++] = (struct view_row){
				.subject = i, .first = i, .count = 1, .number = i};
	}
}

/* --- classes: static locks inside one variable are one row */

struct variable_key {
	const struct view *view;
	uint32_t class;
};

static const struct class *view_class(const struct view *v, uint32_t class)
{
	return &v->model->classes.row[class];
}

static bool same_variable(const void *context, uint32_t row)
{
	const struct variable_key *key = context;
	const struct view *v = key->view;
	const char *other = labels_family(v->labels, v->row[row].subject);

	return view_class(v, v->row[row].subject)->kind == view_class(v, key->class)->kind &&
	       other && strcmp(other, labels_family(v->labels, key->class)) == 0;
}

/* The row of the classes that are one variable; makes it when there is none yet. */
static uint32_t class_row(struct view *v, struct index *variables, uint32_t class)
{
	struct variable_key key = {v, class};
	const char *family = labels_family(v->labels, class);
	uint64_t hash =
		family ? index_hash_bytes(view_class(v, class)->kind, family, strlen(family)) : 0;
	uint32_t row = family ? index_find(variables, hash, same_variable, &key) : INDEX_NONE;

	if (row != INDEX_NONE)
		return row;
	row = (uint32_t)v->count++;
	v->row[row] = (struct view_row){.subject = class, .number = row};
	if (family)
		index_insert(variables, hash, row);
	return row;
}

/* Sorts the locks by row, keeping their order within one: counts, then places. */
static void gather_members(struct view *v)
{
	const struct model *m = v->model;
	uint32_t next = 0;

	for (size_t i = 0; i < m->locks.count; i++)
		if (!model_lock_is_empty(&m->locks.row[i]))
			v->row[v->class_row[m->locks.row[i].class]].count++;
	for (size_t i = 0; i < v->count; i++) {
		v->row[i].first = next;
		next += v->row[i].count;
		v->row[i].count = 0;
	}
	for (uint32_t i = 0; i < m->locks.count; i++) {
		struct view_row *row = &v->row[v->class_row[m->locks.row[i].class]];

		if (!model_lock_is_empty(&m->locks.row[i]))
			v->member[row->first + row->count++] = i;
	}
}

/* Classes without a lock in the recording; the others keep their numbers. */
static void drop_empty_rows(struct view *v)
{
	size_t kept = 0;

	for (size_t i = 0; i < v->count; i++)
		if (v->row[i].count > 0)
			v->row[kept++] = v->row[i];
	v->count = kept;
}

static void view_by_class(struct view *v)
{
	const struct model *m = v->model;
	struct index variables = {0};

	v->row = memory_get(m->classes.count, sizeof *v->row);
	v->class_row = memory_get(m->classes.count, sizeof *v->class_row);
	v->member = memory_get(m->locks.count, sizeof *v->member);
	v->lifetimes = memory_get(m->classes.count, sizeof *v->lifetimes);
	for (uint32_t i = 0; i < m->classes.count; i++) {
		v->class_row[i] = class_row(v, &variables, i);
		v->lifetimes[v->class_row[i]].created += m->classes.row[i].created;
		v->lifetimes[v->class_row[i]].destroyed += m->classes.row[i].destroyed;
	}
	gather_members(v);
	drop_empty_rows(v);
	index_free(&variables);
}

/* --- sites: contexts of one headline are one row */

static bool same_headline(const void *context, uint32_t row)
{
	const struct variable_key *key = context;

	return strcmp(labels_context(key->view->labels, key->view->row[row].subject),
		       labels_context(key->view->labels, key->class)) == 0;
}

static struct site_figures *site_row(
	struct view *v, struct index *headlines, size_t *capacity, uint32_t context)
{
	struct variable_key key = {v, context};
	const char *label = labels_context(v->labels, context);
	uint64_t hash = index_hash_bytes(0, label, strlen(label));
	uint32_t row = index_find(headlines, hash, same_headline, &key);

	if (row == INDEX_NONE) {
		size_t figures_capacity = *capacity;

		row = (uint32_t)v->count;
		v->site = memory_grow(v->site, row, &figures_capacity, sizeof *v->site);
		v->row = memory_grow(v->row, row, capacity, sizeof *v->row);
		v->site[row] = (struct site_figures){0};
		v->row[v->count++] = (struct view_row){.subject = context, .number = row};
		index_insert(headlines, hash, row);
	}
	return &v->site[row];
}

static void view_by_site(struct view *v)
{
	const struct model *m = v->model;
	struct index headlines = {0};
	size_t capacity = 0;

	for (size_t i = 0; i < m->pairs.count; i++) {
		const struct pair *pair = &m->pairs.row[i];
		struct site_figures *f = site_row(v, &headlines, &capacity, pair->waiter);

		f->waits += pair->count;
		f->wait_ns += pair->wait_ns;
		if (f->max_ns < pair->max_ns)
			f->max_ns = pair->max_ns;
		f = site_row(v, &headlines, &capacity, pair->holder);
		f->caused_waits += pair->count;
		f->caused_ns += pair->wait_ns;
	}
	index_free(&headlines);
}

static void view_by_thread(struct view *v)
{
	v->count = v->model->threads.count;
	v->row = memory_get(v->count, sizeof *v->row);
	for (uint32_t i = 0; i < v->count; i++)
		v->row[i] = (struct view_row){.subject = i, .number = i};
}

/* --- figures */

static void lock_side_add(const struct lock *lock, unsigned side, struct figures *out)
{
	figures_add(
		out, lock->side[side].acquired, lock->side[side].failed, lock->side[side].detail);
}

void view_side_figures(const struct view *v, size_t row, enum lock_side side, struct figures *out)
{
	const struct view_row *r = &v->row[row];

	*out = (struct figures){0};
	for (uint32_t i = 0; i < r->count; i++)
		lock_side_add(&v->model->locks.row[v->member[r->first + i]], side, out);
}

static void site_figures(const struct site_figures *from, struct figures *out)
{
	out->counter[COUNT_contended] = from->waits;
	out->counter[COUNT_wait_total] = from->wait_ns;
	out->counter[COUNT_wait_max] = from->max_ns;
}

static void thread_figures(const struct thread *from, struct figures *out)
{
	out->acquired = from->acquired;
	out->counter[COUNT_contended] = from->contended;
	out->counter[COUNT_wait_total] = from->wait_ns;
}

void view_figures(const struct view *v, size_t row, struct figures *out)
{
	*out = (struct figures){0};
	view_figures_add(v, row, out);
}

void view_figures_add(const struct view *v, size_t row, struct figures *out)
{
	const struct view_row *r = &v->row[row];

	if (v->by == REPORT_BY_SITE)
		site_figures(&v->site[r->number], out);
	else if (v->by == REPORT_BY_THREAD)
		thread_figures(&v->model->threads.row[r->subject], out);
	for (uint32_t i = 0; i < r->count; i++)
		for (unsigned side = 0; side < SIDES; side++)
			lock_side_add(&v->model->locks.row[v->member[r->first + i]], side, out);
}

char *view_label(const struct view *v, size_t row)
{
	const struct view_row *r = &v->row[row];
	const char *family;

	switch (v->by) {
	case REPORT_BY_LOCK:
		return labels_lock(v->labels, r->subject);
	case REPORT_BY_CLASS:
		family = labels_family(v->labels, r->subject);
		return memory_copy(
			family && r->count > 1 ? family : labels_class(v->labels, r->subject));
	case REPORT_BY_SITE:
		return memory_copy(labels_context(v->labels, r->subject));
	case REPORT_BY_THREAD:
		break;
	}
	return memory_copy(v->model->threads.row[r->subject].name);
}

/* --- sorting */

static int row_compare(const void *a, const void *b)
{
	const struct view_row *x = a, *y = b;

	if (x->key != y->key)
		return x->key > y->key ? -1 : 1;
	return x->number < y->number ? -1 : x->number > y->number;
}

/* Rows that are equal by key are sorted by acquisitions, so that a table of locks nobody waited for
 * begins with the busiest. */
static double tie_break(double key, const struct figures *f)
{
	return key != 0 ? key : -1 / (1 + (double)f->acquired);
}

struct view *view_new(struct model *model, struct labels *labels, enum report_by by, size_t key)
{
	static void (*const fill[])(struct view *) = {
		[REPORT_BY_LOCK] = view_by_lock,
		[REPORT_BY_CLASS] = view_by_class,
		[REPORT_BY_SITE] = view_by_site,
		[REPORT_BY_THREAD] = view_by_thread,
	};
	struct view *v = memory_get(1, sizeof *v);

	v->model = model;
	v->labels = labels;
	v->by = by;
	fill[by](v);
	for (size_t i = 0; i < v->count; i++) {
		struct figures f;

		view_figures(v, i, &f);
		v->row[i].key = tie_break(keys_value(key, &f, &model->reference), &f);
	}
	if (v->count > 0)
		qsort(v->row, v->count, sizeof *v->row, row_compare);
	return v;
}

void view_free(struct view *v)
{
	if (!v)
		return;
	free(v->row);
	free(v->member);
	free(v->class_row);
	free(v->lifetimes);
	free(v->site);
	free(v);
}
