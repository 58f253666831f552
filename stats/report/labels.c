#include "stats/report/labels.h"

#include "stats/report/headline.h"
#include "stats/report/memory.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct class_label {
	char *text;
	char *family; /* static locks */
};

struct labels {
	struct model *model;
	struct symbols *symbols;
	struct class_label *classes;
	char **sites, **stacks; /* headlines */
	uint32_t *waiter;       /* by class: the context that waited longest for its locks */
	uint32_t *rank;         /* by lock: its number within its class, from 1 by time waited */
};

struct labels *labels_new(struct model *model, struct symbols *symbols)
{
	struct labels *l = memory_get(1, sizeof *l);

	l->model = model;
	l->symbols = symbols;
	l->classes = memory_get(model->classes.count, sizeof *l->classes);
	l->sites = memory_get(model->sites.count, sizeof *l->sites);
	l->stacks = memory_get(model->stacks.count, sizeof *l->stacks);
	return l;
}

void labels_free(struct labels *l)
{
	if (!l)
		return;
	for (size_t i = 0; i < l->model->classes.count; i++) {
		free(l->classes[i].text);
		free(l->classes[i].family);
	}
	for (size_t i = 0; i < l->model->sites.count; i++)
		free(l->sites[i]);
	for (size_t i = 0; i < l->model->stacks.count; i++)
		free(l->stacks[i]);
	free(l->classes);
	free(l->sites);
	free(l->stacks);
	free(l->waiter);
	free(l->rank);
	free(l);
}

const char *labels_context(struct labels *l, uint32_t context)
{
	const struct frame *frame;
	char **kept;

	if (context == 0)
		return "?";
	kept = &(RLK_CONTEXT_IS_STACK(context) ? l->stacks : l->sites)[RLK_CONTEXT_INDEX(context)];
	if (!*kept) {
		frame = headline_frame(l->symbols, l->model, context, NULL);
		*kept = frame ? headline_text(frame) : memory_copy("?");
	}
	return *kept;
}

/* --- names of classes */

static uint64_t lock_wait(const struct lock *lock)
{
	uint64_t wait = 0;

	for (unsigned side = 0; side < SIDES; side++)
		if (lock->side[side].detail)
			wait += lock->side[side].detail->counter[COUNT_wait_total];
	return wait;
}

static void find_waiters(struct labels *l)
{
	const struct model *m = l->model;
	const struct pair **best = memory_get(m->classes.count, sizeof *best);

	for (size_t i = 0; i < m->pairs.count; i++) {
		const struct pair *pair = &m->pairs.row[i];
		uint32_t class = m->locks.row[pair->lock].class;

		if (pair->waiter != 0 && (!best[class] || pair->wait_ns > best[class]->wait_ns))
			best[class] = pair;
	}
	l->waiter = memory_get(m->classes.count, sizeof *l->waiter);
	for (size_t i = 0; i < m->classes.count; i++)
		l->waiter[i] = best[i] ? best[i]->waiter : 0;
	free(best);
}

/* The context that waited longest for locks of a class; 0: none known. */
static uint32_t busiest_waiter(struct labels *l, uint32_t class)
{
	if (!l->waiter)
		find_waiters(l);
	return l->waiter[class];
}

/* Length of "a::B" of "a::B::B"; 0 when the name is not a constructor's. */
static size_t constructor_class_length(const char *brief)
{
	const char *last = strrchr(brief, ':');
	size_t name, before;

	if (!last || last == brief || last[-1] != ':')
		return 0;
	name = strlen(last + 1);
	before = (size_t)(last - 1 - brief);
	if (name == 0 || name > before || memcmp(last - 1 - name, last + 1, name) != 0)
		return 0;
	return name == before || last[-2 - (ptrdiff_t)name] == ':' ? before : 0;
}

static char *wrapper_label(struct labels *l, uint32_t class, const struct frame *frame)
{
	const char *scope = strrchr(frame->brief, ':');
	size_t length = scope && scope > frame->brief + 1 ? (size_t)(scope - 1 - frame->brief)
							  : strlen(frame->brief);
	uint32_t waiter = busiest_waiter(l, class);
	bool wrapper = true;
	const struct frame *who = headline_frame(l->symbols, l->model, waiter, &wrapper);

	if (who && !wrapper)
		return memory_format("%.*s (%s)", (int)length, frame->brief, who->brief);
	return headline_text(frame);
}

static char *born_label(struct labels *l, uint32_t class)
{
	const struct class *c = &l->model->classes.row[class];
	bool wrapper = false;
	const struct frame *frame = headline_frame(l->symbols, l->model, c->context, &wrapper);
	size_t length;
	char *whole, *label;

	if (!frame)
		return memory_copy("[born at an unknown place]");
	if (wrapper)
		return wrapper_label(l, class, frame);
	whole = headline_text(frame);
	length = constructor_class_length(frame->brief);
	if (length == 0)
		return whole;
	label = memory_format("%.*s%s", (int)length, whole, whole + strlen(frame->brief));
	free(whole);
	return label;
}

static void static_label(struct labels *l, uint32_t class, struct class_label *out)
{
	const struct site *place = &l->model->classes.row[class].place;
	struct variable_name name;

	if (place->module == NONE) {
		out->text = memory_format("0x%" PRIx64, place->offset);
	} else if (symbols_variable(l->symbols, place->module, place->offset, &name)) {
		out->text = name.whole;
		out->family = name.family;
	} else {
		out->text = memory_format(
			"%s+0x%" PRIx64, symbols_module(l->symbols, place->module), place->offset);
	}
}

const char *labels_class(struct labels *l, uint32_t class)
{
	struct class_label *kept;

	kept = &l->classes[class];
	if (kept->text)
		return kept->text;
	switch (l->model->classes.row[class].birth) {
	case RLK_BORN_STATIC:
		static_label(l, class, kept);
		break;
	case 0:
		kept->text = memory_copy("[not described]");
		break;
	case RLK_BORN_UNKNOWN:
		kept->text = memory_copy("[all other classes]");
		break;
	default:
		kept->text = born_label(l, class);
	}
	return kept->text;
}

const char *labels_family(struct labels *l, uint32_t class)
{
	labels_class(l, class);
	return l->classes[class].family;
}

/* --- numbers of locks within their class */

static int rank_compare(const void *a, const void *b, void *data)
{
	const struct model *m = data;
	const struct lock *x = &m->locks.row[*(const uint32_t *)a];
	const struct lock *y = &m->locks.row[*(const uint32_t *)b];
	uint64_t wait_x, wait_y;

	if (x->class != y->class)
		return x->class < y->class ? -1 : 1;
	/* What stands for the rest has no number; it goes last. */
	if ((x->flags ^ y->flags) & RLK_LOCK_IS_CLASS)
		return x->flags & RLK_LOCK_IS_CLASS ? 1 : -1;
	wait_x = lock_wait(x);
	wait_y = lock_wait(y);
	if (wait_x != wait_y)
		return wait_x > wait_y ? -1 : 1;
	return x < y ? -1 : x > y;
}

static void rank_all(struct labels *l)
{
	const struct model *m = l->model;
	uint32_t *order = memory_get(m->locks.count, sizeof *order);

	l->rank = memory_get(m->locks.count, sizeof *l->rank);
	for (uint32_t i = 0; i < m->locks.count; i++)
		order[i] = i;
	qsort_r(order, m->locks.count, sizeof *order, rank_compare, l->model);
	for (size_t i = 0; i < m->locks.count; i++) {
		bool same =
			i > 0 && m->locks.row[order[i]].class == m->locks.row[order[i - 1]].class;

		l->rank[order[i]] = same ? l->rank[order[i - 1]] + 1 : 1;
	}
	free(order);
}

char *labels_lock(struct labels *l, uint32_t row)
{
	const struct lock *lock = &l->model->locks.row[row];
	const char *class = labels_class(l, lock->class);

	if (lock->flags & RLK_LOCK_IS_CLASS)
		return memory_format("%s (the rest)", class);
	if (l->model->classes.row[lock->class].locks < 2)
		return memory_copy(class);
	if (!l->rank)
		rank_all(l);
	return memory_format("%s #%" PRIu32, class, l->rank[row]);
}
