/* The last line: the next command to type. */
#include "stats/report/screen.h"

#include "stats/report/shell.h"

#include <stdlib.h>
#include <string.h>

static bool any_stacks(const struct model *m)
{
	for (size_t i = 0; i < m->pairs.count; i++)
		if (m->pairs.row[i].waiter != 0)
			return true;
	return false;
}

static void put_path(const struct report *r, const char *path)
{
	char *shown = shell_quote(path);

	fputc(' ', r->out);
	screen_text(r, shown);
	free(shown);
}

/* The command that tests the strongest advice for which the program need not be changed first. */
static bool put_advised(const struct report *r)
{
	struct advice_words words = screen_words(r);

	for (size_t i = 0; i < r->advices->count; i++) {
		const struct advice *advice = &r->advices->row[i];
		char *command = advice_needs_change(advice) ? NULL : advice_command(&words, advice);

		if (!command)
			continue;
		screen_text(r, command);
		free(command);
		return true;
	}
	return false;
}

static void put_own_next(const struct report *r)
{
	const struct model *m = r->model;
	const char *program = m->runs.row[0].program;

	screen_margin(r, "next", false);
	if (put_advised(r)) {
		fputc('\n', r->out);
		return;
	}
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
