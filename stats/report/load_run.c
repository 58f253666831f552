/* A recording's own facts: texts, times, what recording cost. */
#include "conf/conf.h"
#include "stats/report/load.h"
#include "stats/report/memory.h"

#include <stdlib.h>
#include <string.h>

#define RULE_BYTES_MAX 4096

_Static_assert(RUN_RULES_MAX == CONF_LOCK_RULES_MAX, "a configuration has so many rules");

/* "match=policy ; origin" of a line; NULL: no policy could be so long. */
static char *policy_of_rule(const char *line)
{
	size_t length = strcspn(line, "\n");
	char *rule, *policy;

	if (length > RULE_BYTES_MAX)
		return NULL;
	rule = memory_format("%.*s", (int)length, line);
	if (strstr(rule, " ; "))
		*strstr(rule, " ; ") = '\0';
	policy = memory_copy(conf_policy_of_rule(rule));
	free(rule);
	return policy;
}

/* Once, not for every lock: a configuration may be long. */
static void find_policies(struct run *run)
{
	static const char key[] = "lock.";

	for (const char *line = run->config; line; line = strchr(line, '\n')) {
		unsigned long number;
		char *end;

		line += *line == '\n';
		if (strncmp(line, key, sizeof key - 1) != 0)
			continue;
		number = strtoul(line + sizeof key - 1, &end, 10);
		if (number >= 1 && number <= RUN_RULES_MAX && strncmp(end, " = ", 3) == 0 &&
			!run->policy_of_rule[number])
			run->policy_of_rule[number] = policy_of_rule(end + 3);
	}
}

void load_run(struct load *l)
{
	struct model *m = l->model;
	const struct rlk_header *h = &l->recording->header;
	struct run run = {.path = memory_copy(l->recording->path),
		.header = *h,
		.program = recording_text(l->recording, h->program),
		.command = recording_text(l->recording, h->command),
		.host = recording_text(l->recording, h->host),
		.libc = recording_text(l->recording, h->libc),
		.kernel = recording_text(l->recording, h->kernel),
		.config = recording_text(l->recording, h->config),
		.run_id = recording_text(l->recording, h->run_id)};

	for (unsigned kind = 0; kind < RLK_KINDS; kind++)
		run.policy[kind] = recording_text(l->recording, h->policy[kind]);
	find_policies(&run);
	clock_set(&run.clock, h);
	if (!run.clock.known)
		notes_add(&m->notes,
			"%s: the length of a clock tick is not known; times are in ticks, not ns",
			run.path);
	if (m->runs.count == 0)
		m->reference = run.clock;
	l->run = (uint32_t)m->runs.count;
	l->last_ticks =
		h->end == RLK_EXITED ? h->finish.ticks : h->latest[h->latest_index & 1].ticks;
	m->runs.row = memory_grow(m->runs.row, m->runs.count, &m->runs.capacity, sizeof run);
	m->runs.row[m->runs.count++] = run;
}

static void run_times(struct run *run, uint64_t last_ticks)
{
	const struct rlk_header *h = &run->header;

	run->cpu_known = h->end == RLK_EXITED || h->run_valid == 1;
	if (h->end == RLK_EXITED) {
		run->cpu_user_ns = h->cpu_user_ns;
		run->cpu_system_ns = h->cpu_system_ns;
	} else if (h->run_valid == 1) {
		run->cpu_user_ns = h->run_user_ns;
		run->cpu_system_ns = h->run_system_ns;
	}
	if (h->run_valid == 1) {
		run->wall_ns = h->run_wall_ns;
	} else {
		run->wall_ns = run->clock.span_ns;
		run->wall_is_least = h->end != RLK_EXITED;
		if (clock_since_start(&run->clock, last_ticks) > run->wall_ns)
			run->wall_ns = clock_since_start(&run->clock, last_ticks);
	}
}

static void run_overhead(struct run *run)
{
	const struct rlk_header *h = &run->header;
	double waits = (double)run->counter[COUNT_contended] + (double)run->counter[COUNT_timeouts];
	double per_event =
		(double)run->acquired * (double)h->cost_acquire_1024 +
		(double)(run->counter[COUNT_holds] - run->holds_spin) * (double)h->cost_hold_1024 +
		(double)run->holds_spin * (double)h->cost_hold_spin_1024 +
		waits * (double)(h->cost_wait_1024 + 2 * h->cost_clock_1024);
	double ticks = per_event / 1024 + (double)h->cost_first_uses + (double)h->deflation.total;

	if (ticks < 1e18)
		run->overhead_ns = clock_ns(&run->clock, (uint64_t)ticks);
}

void load_run_end(struct load *l)
{
	struct run *run = &l->model->runs.row[l->run];

	run_times(run, l->last_ticks);
	run_overhead(run);
	if (l->damaged > 0)
		notes_add(&l->model->notes, "%s: damaged: %zu rows were left out", run->path,
			(size_t)l->damaged);
	if (l->orphans > 0)
		notes_add(&l->model->notes,
			"%s: %zu rows belong to locks that are not described in the recording",
			run->path, (size_t)l->orphans);
}
