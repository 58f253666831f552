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

static void put_path(const struct report *r, const char *path)
{
	char *shown = quoted(path);

	fputc(' ', r->out);
	screen_text(r, shown);
	free(shown);
}

static void put_own_next(const struct report *r)
{
	const struct model *m = r->model;
	const char *program = m->runs.row[0].program;

	screen_margin(r, "next", false);
	if (m->total.counter[COUNT_contended] == 0 && program) {
		fputs("relock doctor", r->out);
		put_path(r, program);
	} else {
		fputs("relock report", r->out);
		if (!r->options->stacks && any_stacks(m))
			fputs(" --stacks", r->out);
		else if (r->view->by != REPORT_BY_CLASS)
			fputs(" --by class", r->out);
		else
			fputs(" --by thread", r->out);
		for (size_t i = 0; i < r->path_count; i++)
			put_path(r, r->paths[i]);
	}
	fputc('\n', r->out);
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
