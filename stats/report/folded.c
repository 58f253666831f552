/* Stacks on one line each, "program;outermost;…;innermost;[lock] ns": what flame graphs are drawn
 * from. */
#include "stats/report/screen.h"

#include "stats/report/headline.h"
#include "stats/report/memory.h"
#include "stats/report/stacks.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* --- a line */

/* A name in it: a semicolon would end it. */
static void put_name(FILE *out, const char *name)
{
	static const struct style any = {.utf8 = true};
	char *shown = units_escape(*name ? name : "?", &any);

	for (char *p = shown; (p = strchr(p, ';'));)
		*p = ',';
	fputs(shown, out);
	free(shown);
}

struct frame_names {
	const char **name;
	size_t count, capacity;
};

static bool frame_add(void *data, const struct frame *frame, uint32_t site)
{
	struct frame_names *names = data;

	(void)site;
	names->name = memory_grow(names->name, names->count, &names->capacity, sizeof *names->name);
	names->name[names->count++] = frame->brief;
	return true;
}

/* The frames come innermost first. */
static void put_frames(const struct report *r, uint32_t context)
{
	struct frame_names names = {0};

	if (context != 0)
		headline_each_frame(r->symbols, r->model, context, frame_add, &names);
	if (context != 0 && RLK_CONTEXT_IS_STACK(context) &&
		r->model->stacks.row[RLK_CONTEXT_INDEX(context)].truncated)
		fputs(";…", r->out);
	if (names.count == 0)
		fputs(";?", r->out);
	while (names.count > 0) {
		fputc(';', r->out);
		put_name(r->out, names.name[--names.count]);
	}
	free(names.name);
}

static void put_line(const struct report *r, const struct view *view, const struct stack_wait *wait)
{
	const struct lock *lock = &r->model->locks.row[view->member[view->row[wait->row].first]];

	put_name(r->out, screen_program(&r->model->runs.row[lock->run]));
	put_frames(r, wait->context);
	if (r->options->by != REPORT_BY_SITE) {
		char *label = view_label(view, wait->row);

		fputs(";[", r->out);
		put_name(r->out, label);
		fputc(']', r->out);
		free(label);
	}
	fprintf(r->out, " %" PRIu64 "\n", wait->wait_ns);
}

/* --- all of them */

static int longest_first(const void *a, const void *b)
{
	const struct stack_wait *x = a, *y = b;

	if (x->wait_ns != y->wait_ns)
		return x->wait_ns > y->wait_ns ? -1 : 1;
	if (x->row != y->row)
		return x->row < y->row ? -1 : 1;
	return (x->context > y->context) - (x->context < y->context);
}

void folded_print(struct report *r)
{
	/* What waits by the place cannot tell apart is still of different classes. */
	struct view *classes = r->options->by == REPORT_BY_SITE
				       ? view_new(r->model, r->labels, REPORT_BY_CLASS, r->key)
				       : NULL;
	const struct view *view = classes ? classes : r->view;
	struct stacks *stacks = stacks_new(r->model, view);
	size_t count;
	struct stack_wait *wait = stacks_waits(stacks, &count);

	if (count > 0)
		qsort(wait, count, sizeof *wait, longest_first);
	for (size_t i = 0; i < count && i < r->rows; i++)
		if (wait[i].wait_ns > 0)
			put_line(r, view, &wait[i]);
	stacks_free(stacks);
	view_free(classes);
}
