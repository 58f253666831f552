/* The last line: the next command to type. */
#include "stats/report/screen.h"

#include "stats/report/memory.h"

#include <stdlib.h>
#include <string.h>

static bool any_stacks(const struct model *m)
{
	for (size_t i = 0; i < m->pairs.count; i++)
		if (m->pairs.row[i].waiter != 0)
			return true;
	return false;
}

/* A path as a shell takes it, for free(). */
static char *quoted(const char *path)
{
	char *out, *o;

	if (path[strcspn(path, " \t\n\"'\\$`!*?[](){}<>|&;#~")] == '\0')
		return memory_copy(path);
	out = o = memory_get(strlen(path) * 4 + 3, 1);
	*o++ = '\'';
	for (; *path; path++) {
		if (*path == '\'')
			o = stpcpy(o, "'\\''");
		else
			*o++ = *path;
	}
	*o++ = '\'';
	return out;
}

static void put_own_next(const struct report *r)
{
	const struct model *m = r->model;
	bool waited = m->total.counter[COUNT_contended] > 0;
	const struct run *run = &m->runs.row[0];
	char *path = quoted(waited || !run->program ? run->path : run->program);

	screen_margin(r, "next", false);
	if (!waited && run->program)
		fputs("relock doctor ", r->out);
	else if (!r->options->stacks && any_stacks(m))
		fputs("relock report --stacks ", r->out);
	else if (r->view->by != REPORT_BY_CLASS)
		fputs("relock report --by class ", r->out);
	else
		fputs("relock report --by thread ", r->out);
	screen_text(r, path);
	for (size_t i = 1; waited && i < m->runs.count; i++) {
		char *other = quoted(m->runs.row[i].path);

		fputc(' ', r->out);
		screen_text(r, other);
		free(other);
	}
	fputc('\n', r->out);
	free(path);
}

void screen_next(const struct report *r)
{
	if (!r->options->next) {
		put_own_next(r);
	} else if (r->options->next[0]) {
		screen_margin(r, "next", false);
		screen_text(r, r->options->next);
		fputc('\n', r->out);
	}
}
