#include "stats/report/stacks.h"

#include "stats/report/headline.h"
#include "stats/report/memory.h"

#include <stdlib.h>

#define STACKS_SHOWN 3

struct stacks {
	struct stack_wait *wait; /* by row, then by time waited */
	size_t count;
};

static int by_context(const void *a, const void *b)
{
	const struct stack_wait *x = a, *y = b;

	if (x->row != y->row)
		return x->row < y->row ? -1 : 1;
	return (x->context > y->context) - (x->context < y->context);
}

static int by_wait(const void *a, const void *b)
{
	const struct stack_wait *x = a, *y = b;

	if (x->row != y->row)
		return x->row < y->row ? -1 : 1;
	if (x->wait_ns != y->wait_ns)
		return x->wait_ns > y->wait_ns ? -1 : 1;
	return by_context(a, b);
}

static uint32_t *rows_of_locks(const struct model *m, const struct view *view)
{
	uint32_t *row = memory_get(m->locks.count, sizeof *row);

	/* In a damaged recording there are waits for locks that are in no row. */
	for (size_t i = 0; i < m->locks.count; i++)
		row[i] = NONE;
	for (uint32_t i = 0; i < view->count; i++)
		for (uint32_t k = 0; k < view->row[i].count; k++)
			row[view->member[view->row[i].first + k]] = i;
	return row;
}

/* Adds up waits of the same row and context, which follow each other. */
static void merge(struct stacks *s)
{
	size_t kept = 0;

	for (size_t i = 0; i < s->count; i++) {
		if (kept > 0 && by_context(&s->wait[kept - 1], &s->wait[i]) == 0) {
			s->wait[kept - 1].count += s->wait[i].count;
			s->wait[kept - 1].wait_ns += s->wait[i].wait_ns;
		} else {
			s->wait[kept++] = s->wait[i];
		}
	}
	s->count = kept;
}

struct stacks *stacks_new(const struct model *m, const struct view *view)
{
	struct stacks *s = memory_get(1, sizeof *s);
	uint32_t *row = rows_of_locks(m, view);

	s->wait = memory_get(m->pairs.count, sizeof *s->wait);
	for (size_t i = 0; i < m->pairs.count; i++) {
		const struct pair *pair = &m->pairs.row[i];

		if (row[pair->lock] == NONE)
			continue;
		s->wait[s->count++] = (struct stack_wait){
			row[pair->lock], pair->waiter, pair->count, pair->wait_ns};
	}
	free(row);
	qsort(s->wait, s->count, sizeof *s->wait, by_context);
	merge(s);
	qsort(s->wait, s->count, sizeof *s->wait, by_wait);
	return s;
}

void stacks_free(struct stacks *s)
{
	if (!s)
		return;
	free(s->wait);
	free(s);
}

struct stack_wait *stacks_waits(struct stacks *s, size_t *count)
{
	*count = s->count;
	return s->wait;
}

/* The first wait of a row. */
static size_t stacks_find(const struct stacks *s, size_t row)
{
	size_t low = 0, high = s->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (s->wait[middle].row < row)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool print_frame(void *data, const struct frame *frame, uint32_t site)
{
	const struct report *r = data;
	char *text = headline_text(frame);

	(void)site;
	fputs("             ", r->out);
	screen_text(r, text);
	fputs(frame->inlined ? ", inlined into\n" : "\n", r->out);
	free(text);
	return true;
}

static void print_wait(const struct report *r, const struct stack_wait *wait)
{
	char waited[UNITS_MAX], count[UNITS_MAX];

	units_duration(wait->wait_ns, false, &r->style, waited, sizeof waited);
	units_count(wait->count, count, sizeof count);
	fprintf(r->out, "      %s in %s waits at\n", waited, count);
	headline_each_frame(r->symbols, r->model, wait->context, print_frame, (void *)r);
	if (RLK_CONTEXT_IS_STACK(wait->context) &&
		r->model->stacks.row[RLK_CONTEXT_INDEX(wait->context)].truncated)
		fprintf(r->out, "             %s\n", r->style.utf8 ? "…" : "...");
}

void stacks_print(const struct stacks *s, const struct report *r, size_t row)
{
	size_t shown = 0, more = 0;

	for (size_t i = stacks_find(s, row); i < s->count && s->wait[i].row == row; i++) {
		if (s->wait[i].context == 0)
			continue;
		if (shown++ < STACKS_SHOWN)
			print_wait(r, &s->wait[i]);
		else
			more++;
	}
	if (more > 0)
		fprintf(r->out, "      %s %zu more places\n", r->style.utf8 ? "…" : "...", more);
}
