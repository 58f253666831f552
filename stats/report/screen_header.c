/* The first lines of a text report: what ran, how, and what waiting cost in all. */
#include "stats/report/screen.h"

#include "stats/report/busy.h"
#include "stats/report/memory.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

static const char *base_name(const char *path)
{
	const char *slash = path ? strrchr(path, '/') : NULL;

	return slash && slash[1] ? slash + 1 : path;
}

const char *screen_program(const struct run *run)
{
	return run->program ? base_name(run->program) : "?";
}

static void put_duration(const struct report *r, uint64_t ns)
{
	char text[UNITS_MAX];

	units_duration(ns, true, &r->style, text, sizeof text);
	fputs(text, r->out);
}

static void put_count(const struct report *r, uint64_t count)
{
	char text[UNITS_MAX];

	units_count(count, text, sizeof text);
	fputs(text, r->out);
}

static void put_share(const struct report *r, double share)
{
	char text[UNITS_MAX];

	units_share(share, text, sizeof text);
	fputs(text, r->out);
}

/* "spin-park:spins=100,hint=pause" as "spin-park (spins=100, hint=pause)". */
static void put_policy(const struct report *r, const char *policy)
{
	const char *colon = policy ? strchr(policy, ':') : NULL;
	char *shown = units_escape(policy ? policy : "?", &r->style);
	char *argument = colon ? strchr(shown, ':') : NULL;

	if (!argument) {
		fputs(shown, r->out);
	} else {
		*argument++ = '\0';
		fprintf(r->out, "%s (", shown);
		for (; *argument; argument++)
			fputs(*argument == ',' ? ", " : (char[]){*argument, '\0'}, r->out);
		fputc(')', r->out);
	}
	free(shown);
}

static bool same_text(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

/* "; 2 rules per lock" */
static void put_rules(const struct report *r, const char *config)
{
	unsigned count = 0;

	for (const char *at = config; at; at++) {
		count += strncmp(at, "lock.", 5) == 0;
		at = strchr(at, '\n');
		if (!at)
			break;
	}
	if (count > 0)
		fprintf(r->out, "%s%u rule%s per lock", screen_dot(r), count,
			count == 1 ? "" : "s");
}

static void put_policies(const struct report *r, const struct run *run)
{
	static const char *const kinds[RLK_KINDS] = {"mutex", "spin", "rdlock", "wrlock"};
	bool same = true;

	for (unsigned kind = 1; kind < RLK_KINDS; kind++)
		same = same && same_text(run->policy[kind], run->policy[0]);
	for (unsigned kind = 0; kind < (same ? 1 : RLK_KINDS); kind++) {
		/* The two sides of rwlocks share their policy unless they were told apart. */
		bool both = kind == RLK_KIND_RDLOCK &&
			    same_text(run->policy[RLK_KIND_WRLOCK], run->policy[kind]);

		fprintf(r->out, "%s%s ", kind > 0 ? screen_dot(r) : "",
			same   ? "policy"
			: both ? "rwlock"
			       : kinds[kind]);
		put_policy(r, run->policy[kind]);
		if (both)
			break;
	}
	put_rules(r, run->config);
}

/* Recordings of one comparison may be of different policies; one line cannot name them all. */
static bool same_policies(const struct model *m)
{
	for (size_t i = 1; i < m->runs.count; i++)
		for (unsigned kind = 0; kind < RLK_KINDS; kind++)
			if (!same_text(m->runs.row[i].policy[kind], m->runs.row[0].policy[kind]))
				return false;
	return true;
}

static void put_end(const struct report *r, const struct run *run)
{
	int status = run->header.run_status;

	if (run->header.run_valid == 1 && WIFEXITED(status))
		fprintf(r->out, "exit %d", WEXITSTATUS(status));
	else if (run->header.run_valid == 1 && WIFSIGNALED(status))
		fprintf(r->out, "killed by signal %d (%s)", WTERMSIG(status),
			strsignal(WTERMSIG(status)));
	else if (run->header.end == RLK_EXITED)
		fputs("ended", r->out);
	else
		fputs("running, or ended by a signal or _exit", r->out);
}

static void put_programs(const struct report *r)
{
	const struct model *m = r->model;
	const char *last = NULL;

	fprintf(r->out, "%zu recordings", m->runs.count);
	for (size_t i = 0; i < m->runs.count && i < 4; i++) {
		const char *name = base_name(m->runs.row[i].program);

		if (!name || same_text(name, last))
			continue;
		fputs(last ? ", " : " of ", r->out);
		screen_text(r, name);
		last = name;
	}
}

void screen_subject(const struct report *r)
{
	const struct run *run = &r->model->runs.row[0];

	if (r->model->runs.count > 1) {
		put_programs(r);
		return;
	}
	screen_text(r, screen_program(run));
	fprintf(r->out, "%spid %" PRId32, screen_dot(r), run->header.pid);
}

void screen_ran(const struct report *r)
{
	const struct run *run = &r->model->runs.row[0];

	if (r->model->runs.count == 1) {
		put_end(r, run);
		fputs(screen_dot(r), r->out);
	}
	if (same_policies(r->model))
		put_policies(r, run);
	else
		fputs("different policies", r->out);
}

static void put_threads(const struct report *r)
{
	const struct model *m = r->model;
	double cpus = busy_cpus(&m->runs.row[0]);

	fprintf(r->out, "%s%" PRIu32 " thread%s", screen_dot(r), m->threads_peak,
		m->threads_peak == 1 ? "" : "s");
	if (m->threads.count > m->threads_peak)
		fprintf(r->out, " at once (%zu in all)", m->threads.count);
	if (cpus <= 0)
		return;
	fprintf(r->out, " on %g CPU%s%s", cpus, cpus == 1 ? "" : "s",
		cpus < m->runs.row[0].header.cpus_allowed ? " of cgroup quota" : "");
	if (m->threads_peak > 1)
		fprintf(r->out, " (%.1f per CPU)", m->threads_peak / cpus);
}

static void put_overhead(const struct report *r, double share)
{
	char text[UNITS_MAX];

	units_share(share, text, sizeof text);
	fprintf(r->out, "%srecorder overhead %s%s", screen_dot(r),
		text[0] == '<'  ? ""
		: r->style.utf8 ? "≈ "
				: "~ ",
		text);
}

void screen_times(const struct report *r)
{
	const struct model *m = r->model;

	fprintf(r->out, "wall %s",
		m->runs.count == 1 && m->runs.row[0].wall_is_least ? "at least " : "");
	put_duration(r, m->wall_ns);
	fprintf(r->out, "%scpu ", screen_dot(r));
	if (m->cpu_known)
		put_duration(r, m->cpu_ns);
	else
		fputs("not known", r->out);
	put_threads(r);
	if (m->overhead_ns > 0 && m->cpu_known && m->cpu_ns > 0)
		put_overhead(r, (double)m->overhead_ns / (double)m->cpu_ns);
	fputc('\n', r->out);
}

/* Never that there is no contention: only pthread locks are seen. */
static void put_nothing(const struct report *r)
{
	fputs("no lock was waited for; ", r->out);
	put_count(r, r->model->total.acquired);
	fprintf(r->out,
		" acquisitions of %zu lock%s\nonly pthread and C11 locks are seen: waiting on "
		"futexes or semaphores (Rust's std, Go, Java,\nQt's QMutex) is invisible to "
		"relock\n",
		r->model->locks_shown, r->model->locks_shown == 1 ? "" : "s");
}

/* By the clock, which goes on while a spinning thread has no CPU. */
static void put_burnt(const struct report *r)
{
	struct busy busy;
	double spun;

	busy_find(r->model, &busy);
	spun = busy.spun_ns;
	if (busy.cpu_ns > 0 && spun > busy.cpu_ns) {
		fputs("up to ", r->out);
		spun = busy.cpu_ns;
	}
	put_duration(r, units_whole(spun));
	fputs(" of CPU burnt waiting", r->out);
}

void screen_waited(const struct report *r)
{
	const struct model *m = r->model;
	uint64_t waited = m->total.counter[COUNT_wait_total];

	if (m->total.counter[COUNT_contended] + m->total.counter[COUNT_timeouts] == 0) {
		put_nothing(r);
		return;
	}
	fputs("waited ", r->out);
	put_duration(r, waited);
	if (m->thread_time_ns > 0) {
		fputs(", ", r->out);
		put_share(r, (double)waited / (double)m->thread_time_ns);
		fputs(" of thread time", r->out);
	}
	fputs(screen_dot(r), r->out);
	put_burnt(r);
	if (m->total.counter[COUNT_yielded_total] > 0) {
		fputs(", ", r->out);
		put_duration(r, m->total.counter[COUNT_yielded_total]);
		fputs(" in yields", r->out);
	}
	fputc('\n', r->out);
}

void screen_header(const struct report *r)
{
	fprintf(r->out, "relock%s", screen_dot(r));
	screen_subject(r);
	fputs(screen_dot(r), r->out);
	screen_ran(r);
	fputc('\n', r->out);
	screen_times(r);
	screen_waited(r);
}
