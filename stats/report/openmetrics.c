/*
 * OpenMetrics text, for systems that collect and query it: what the recording is, its totals, and a
 * sample of each row of the table.
 *
 * A counter is declared once, in RLK_COUNTERS: its name, unit, whether it adds up and its help come
 * from there.
 */
#include "stats/report/screen.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* --- names and values */

/* "relock_lock_wait_seconds" of the counter "wait_total": a unit comes last, and what adds up gets
 * its "_total" as a sample. */
struct family {
	char name[96];
	bool seconds, counter;
};

static struct family family_of(const char *of, const char *name, bool seconds, bool counter)
{
	static const char total[] = "_total";
	size_t length = strlen(name), tail = sizeof total - 1;
	struct family f = {.seconds = seconds, .counter = counter};

	if (length > tail && strcmp(name + length - tail, total) == 0)
		length -= tail;
	snprintf(f.name, sizeof f.name, "relock_%s%s%.*s%s", of, *of ? "_" : "", (int)length, name,
		seconds ? "_seconds" : "");
	return f;
}

static void put_family(FILE *out, const struct family *f, const char *help)
{
	fprintf(out, "# TYPE %s %s\n", f->name, f->counter ? "counter" : "gauge");
	if (f->seconds)
		fprintf(out, "# UNIT %s seconds\n", f->name);
	fprintf(out, "# HELP %s %s\n", f->name, help);
}

static void put_value(FILE *out, const struct family *f, uint64_t value)
{
	if (f->seconds)
		fprintf(out, " %" PRIu64 ".%09" PRIu64 "\n", value / 1000000000,
			value % 1000000000);
	else
		fprintf(out, " %" PRIu64 "\n", value);
}

static void put_label(FILE *out, const char *separator, const char *name, const char *text)
{
	static const struct style any = {.utf8 = true};
	char *shown = units_escape(text ? text : "", &any);

	fprintf(out, "%s%s=\"", separator, name);
	for (const char *p = shown; *p; p++) {
		if (*p == '"' || *p == '\\')
			fputc('\\', out);
		fputc(*p, out);
	}
	fputc('"', out);
	free(shown);
}

/* --- the recordings */

/* What a collection of many files is told apart by; several at once are a sum of processes. */
static void put_process(const struct report *r, const char *separator)
{
	const struct run *run = &r->model->runs.row[0];
	char pid[16];

	if (r->model->runs.count > 1)
		return;
	snprintf(pid, sizeof pid, "%" PRId32, run->header.pid);
	put_label(r->out, separator, "program", screen_program(run));
	put_label(r->out, ",", "pid", pid);
	put_label(r->out, ",", "host", run->host);
}

static void put_recordings(const struct report *r)
{
	fputs("# TYPE relock_recording info\n# HELP relock_recording A recording that was read.\n",
		r->out);
	for (size_t i = 0; i < r->model->runs.count; i++) {
		const struct run *run = &r->model->runs.row[i];
		char number[24];

		fputs("relock_recording_info{", r->out);
		snprintf(number, sizeof number, "%" PRId32, run->header.pid);
		put_label(r->out, "", "program", screen_program(run));
		put_label(r->out, ",", "pid", number);
		put_label(r->out, ",", "host", run->host);
		snprintf(number, sizeof number, "%zu", i);
		put_label(r->out, ",", "recording", number);
		put_label(r->out, ",", "path", run->path);
		put_label(r->out, ",", "mutex_policy", run->policy[RLK_KIND_MUTEX]);
		put_label(r->out, ",", "relock", RELOCK_VERSION);
		fputs("} 1\n", r->out);
	}
}

static void put_whole(
	const struct report *r, const struct family *f, const char *help, uint64_t value)
{
	put_family(r->out, f, help);
	fprintf(r->out, "%s%s", f->name, f->counter ? "_total" : "");
	if (r->model->runs.count == 1) {
		fputc('{', r->out);
		put_process(r, "");
		fputc('}', r->out);
	}
	put_value(r->out, f, value);
}

static void put_totals(const struct report *r)
{
	const struct model *m = r->model;
	struct family f = family_of("", "wall", true, false);

	put_whole(r, &f, "From the start to the end, or to the last sign of life.", m->wall_ns);
	f = family_of("", "thread_time", true, false);
	put_whole(r, &f, "Lifetimes of all threads together.", m->thread_time_ns);
	if (m->cpu_known) {
		f = family_of("", "cpu", true, true);
		put_whole(r, &f, "CPU time of the process.", m->cpu_ns);
	}
	f = family_of("", "threads", false, false);
	put_whole(r, &f, "Threads there were.", m->threads.count);
	f = family_of("", "locks", false, false);
	put_whole(r, &f, "Locks there were.", m->locks_shown);
}

/* --- rows */

static const char *const row_names[] = {[REPORT_BY_LOCK] = "lock",
	[REPORT_BY_CLASS] = "class",
	[REPORT_BY_SITE] = "site",
	[REPORT_BY_THREAD] = "thread"};

static const char *kind_of(const struct view *v, size_t row)
{
	static const char *const kinds[RLK_KINDS] = {"mutex", "spin", "rwlock", "rwlock"};
	uint32_t subject = v->row[row].subject;

	return v->by == REPORT_BY_LOCK    ? kinds[v->model->locks.row[subject].kind]
	       : v->by == REPORT_BY_CLASS ? kinds[v->model->classes.row[subject].kind]
					  : NULL;
}

/* Names may be the same, numbers are not. */
static void put_row_labels(const struct report *r, size_t row)
{
	char *label = view_label(r->view, row);
	const char *kind = kind_of(r->view, row);
	char number[16];

	snprintf(number, sizeof number, "%" PRIu32, r->view->row[row].number);
	put_label(r->out, "", "index", number);
	put_label(r->out, ",", "name", label);
	if (kind)
		put_label(r->out, ",", "kind", kind);
	put_process(r, ",");
	free(label);
}

enum { ACQUIRED = COUNTERS, FAILED, FIGURES }; /* figures that are no counters of a cell */

static uint64_t figure(const struct figures *f, unsigned id)
{
	return id == ACQUIRED ? f->acquired : id == FAILED ? f->failed : f->counter[id];
}

/* Of sites and threads less is known. */
static bool is_known(enum report_by by, unsigned id)
{
	if (by == REPORT_BY_SITE)
		return id == COUNT_contended || id == COUNT_wait_total || id == COUNT_wait_max;
	if (by == REPORT_BY_THREAD)
		return id == ACQUIRED || id == COUNT_contended || id == COUNT_wait_total;
	return true;
}

static const struct counter_info *info_of(unsigned id)
{
	static const struct counter_info acquired = {"acquired", "acquisitions", false, false};
	static const struct counter_info failed = {"failed", "tries that failed", false, false};

	return id == ACQUIRED ? &acquired : id == FAILED ? &failed : &counter_info[id];
}

static void put_rows(const struct report *r, unsigned id)
{
	const struct counter_info *info = info_of(id);
	struct family f =
		family_of(row_names[r->view->by], info->name, info->is_time, !info->is_max);

	put_family(r->out, &f, info->description);
	for (size_t row = 0; row < r->view->count && row < r->rows; row++) {
		struct figures figures;

		view_figures(r->view, row, &figures);
		fprintf(r->out, "%s%s{", f.name, f.counter ? "_total" : "");
		put_row_labels(r, row);
		fputc('}', r->out);
		put_value(r->out, &f, figure(&figures, id));
	}
}

void openmetrics_print(struct report *r)
{
	put_recordings(r);
	put_totals(r);
	for (unsigned id = 0; id < FIGURES; id++) {
		const struct counter_info *info = info_of(id);
		struct family f = family_of("", info->name, info->is_time, !info->is_max);

		put_whole(r, &f, info->description, figure(&r->model->total, id));
	}
	for (unsigned id = 0; id < FIGURES; id++)
		if (is_known(r->view->by, id))
			put_rows(r, id);
	fputs("# EOF\n", r->out);
}
