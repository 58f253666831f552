#include "stats/report/rules.h"

#include "conf/conf.h"
#include "stats/report/memory.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* --- where classes were born */

struct place {
	const char *module; /* file name without directories */
	uint64_t offset;
	bool is_variable;
};

/* False: in no file that is known. */
static bool place_of(const struct model *m, uint32_t class, struct place *out)
{
	const struct class *c = &m->classes.row[class];
	const struct site *site = &c->place;
	const char *path, *slash;

	out->is_variable = c->birth == RLK_BORN_STATIC;
	if (c->birth == RLK_BORN_UNKNOWN || c->birth == 0)
		return false;
	if (!out->is_variable && c->context != 0) {
		uint32_t index = RLK_CONTEXT_INDEX(c->context);

		if (RLK_CONTEXT_IS_STACK(c->context))
			index = m->stack_sites[m->stacks.row[index].first];
		site = &m->sites.row[index];
	}
	if (site->module == NONE || !(path = m->modules.row[site->module].path))
		return false;
	slash = strrchr(path, '/');
	out->module = slash ? slash + 1 : path;
	out->offset = site->offset;
	return *out->module != '\0';
}

static int compare(const void *a, const void *b)
{
	const struct place *x = a, *y = b;
	int order = strcmp(x->module, y->module);

	if (order != 0)
		return order;
	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

/* Sorted, each once. */
static size_t places_of(const struct view *view, size_t row, struct place *places)
{
	const struct view_row *r = &view->row[row];
	size_t count = 0, kept = 0;

	for (uint32_t i = 0; i < r->count; i++) {
		const struct lock *lock = &view->model->locks.row[view->member[r->first + i]];

		if (lock->class != NONE && place_of(view->model, lock->class, &places[count]))
			count++;
	}
	if (count > 0)
		qsort(places, count, sizeof *places, compare);
	for (size_t i = 0; i < count; i++)
		if (kept == 0 || compare(&places[kept - 1], &places[i]) != 0)
			places[kept++] = places[i];
	return kept;
}

/* --- as text */

static void put_place(FILE *out, const struct place *place, const struct place *before)
{
	char text[512];

	if (before && strcmp(before->module, place->module) == 0) {
		fprintf(out, "|0x%" PRIx64, place->offset);
		return;
	}
	conf_format_class(place->module, place->offset, text, sizeof text);
	fprintf(out, "%s%s", before ? "|" : "", text);
}

/* Locks in one variable: from the first to the last of them. */
static bool is_stretch(const struct place *places, size_t count)
{
	const struct place *last = &places[count - 1];

	return count > 1 && places->is_variable && last->is_variable &&
	       strcmp(places->module, last->module) == 0;
}

char *rules_match(const struct view *view, size_t row)
{
	struct place *places = memory_get(view->row[row].count, sizeof *places);
	size_t count = places_of(view, row, places), length;
	char *text = NULL;
	FILE *out = count > 0 ? open_memstream(&text, &length) : NULL;

	if (out) {
		fputs("class=", out);
		put_place(out, places, NULL);
		if (is_stretch(places, count))
			fprintf(out, "-0x%" PRIx64, places[count - 1].offset);
		else
			for (size_t i = 1; i < count; i++)
				put_place(out, &places[i], &places[i - 1]);
		fclose(out);
	}
	free(places);
	return text;
}

/* --- what a rule chose */

char *rules_policy(const struct model *m, const struct lock *lock)
{
	return lock->rule <= RUN_RULES_MAX
		       ? memory_copy(m->runs.row[lock->run].policy_of_rule[lock->rule])
		       : NULL;
}

void rules_print(const struct report *r, size_t row)
{
	const struct view_row *v = &r->view->row[row];
	const struct lock *lock = &r->model->locks.row[r->view->member[v->first]];
	char *match = rules_match(r->view, row), *policy = rules_policy(r->model, lock);

	fputs("      rule  ", r->out);
	screen_text(r, match ? match : "none can select it: born in no file that is known");
	if (policy) {
		fprintf(r->out, "   lock.%" PRIu32 " gave it ", lock->rule);
		screen_text(r, policy);
	}
	fputc('\n', r->out);
	free(match);
	free(policy);
}
