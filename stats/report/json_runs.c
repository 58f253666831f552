/* The recordings in the JSON document: what each says of itself. */
#include "stats/report/json.h"
#include "stats/report/losses.h"
#include "stats/report/memory.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

/* A line of the configuration, "section.key = value ; origin"; cut up in place. */
static void add_option(cJSON *list, char *line)
{
	char *value = strstr(line, " = ");
	char *origin = value ? strstr(value, " ; ") : NULL;
	cJSON *option;

	if (!value)
		return;
	*value = '\0';
	value += 3;
	if (origin) {
		*origin = '\0';
		origin = origin < value ? NULL : origin + 3;
	}
	option = cJSON_CreateObject();
	add_text(option, "name", line);
	add_text(option, "value", value);
	add_text(option, "origin", origin);
	cJSON_AddItemToArray(list, option);
}

static cJSON *config_tree(const char *config)
{
	cJSON *list = cJSON_CreateArray();
	char *copy = memory_copy(config ? config : ""), *rest = copy, *line;

	while ((line = strsep(&rest, "\n")))
		add_option(list, line);
	free(copy);
	return list;
}

static void add_end(cJSON *object, const struct run *run)
{
	const struct rlk_header *h = &run->header;
	bool exited = h->run_valid == 1 && WIFEXITED(h->run_status);
	bool killed = h->run_valid == 1 && WIFSIGNALED(h->run_status);

	add_text(object, "state",
		exited                 ? "exited"
		: killed               ? "killed"
		: h->end == RLK_EXITED ? "ended"
				       : "unfinished");
	add_number_if(object, "exit_status", exited, (uint64_t)WEXITSTATUS(h->run_status));
	add_number_if(object, "exit_signal", killed, (uint64_t)WTERMSIG(h->run_status));
}

static void add_times(cJSON *object, const struct run *run)
{
	const struct rlk_header *h = &run->header;

	add_number(object, "start_realtime_ns", h->start_realtime_ns);
	add_number(object, "wall_ns", run->wall_ns);
	add_number_if(object, "cpu_user_ns", run->cpu_known, run->cpu_user_ns);
	add_number_if(object, "cpu_system_ns", run->cpu_known, run->cpu_system_ns);
	add_number_if(object, "max_rss_kib", h->run_valid == 1, h->run_max_rss_kib);
}

static void add_machine(cJSON *object, const struct run *run)
{
	static const char *const clocks[] = {"tsc", "cntvct", "monotonic", "monotonic"};
	static const char *const holds[] = {"off", "sampled", "all"};
	const struct rlk_header *h = &run->header;

	add_number(object, "cpus_present", h->cpus_present);
	add_number(object, "cpus_allowed", h->cpus_allowed);
	add_number(object, "cpus_quota_milli", h->cpus_quota_milli);
	add_text(object, "clock", h->clock < 4 ? clocks[h->clock] : NULL);
	add_text(object, "holds", h->holds < 3 ? holds[h->holds] : NULL);
	add_number(object, "hold_sample", h->hold_sample);
	cJSON_AddBoolToObject(object, "delegate_all", h->delegate_all != 0);
	cJSON_AddNumberToObject(object, "fast_mutexes", h->fast_mutexes);
	cJSON_AddNumberToObject(object, "fast_spin", h->fast_spin);
}

static void add_policies(cJSON *object, const struct run *run)
{
	static const char *const kinds[RLK_KINDS] = {"mutex", "spin", "rdlock", "wrlock"};
	cJSON *policy = cJSON_AddObjectToObject(object, "policy");

	for (unsigned kind = 0; kind < RLK_KINDS; kind++)
		add_text(policy, kinds[kind], run->policy[kind]);
}

static void add_cost(cJSON *object, const char *key, const struct run *run, uint64_t per_1024)
{
	double ns = (double)clock_ns(&run->clock, per_1024) / 1024;

	if (per_1024 > 0 && ns < 1e12)
		cJSON_AddNumberToObject(object, key, ns);
	else
		cJSON_AddNullToObject(object, key);
}

static void add_deflation(cJSON *object, const struct run *run)
{
	const struct rlk_deflation *from = &run->header.deflation;
	cJSON *to = cJSON_AddObjectToObject(object, "deflation");

	add_number(to, "scans", from->scans);
	add_number(to, "folded", from->folded);
	add_number(to, "total_ns", clock_ns(&run->clock, from->total));
	add_number(to, "longest_ns", clock_ns(&run->clock, from->longest));
}

static cJSON *run_tree(const struct run *run)
{
	cJSON *object = cJSON_CreateObject(), *lost;

	add_text(object, "path", run->path);
	add_text(object, "program", run->program);
	add_text(object, "command", run->command);
	add_text(object, "host", run->host);
	add_text(object, "libc", run->libc);
	add_text(object, "kernel", run->kernel);
	add_text(object, "run_id", run->run_id);
	cJSON_AddNumberToObject(object, "pid", run->header.pid);
	cJSON_AddNumberToObject(object, "ppid", run->header.ppid);
	add_end(object, run);
	add_times(object, run);
	add_machine(object, run);
	add_policies(object, run);
	cJSON_AddItemToObjectCS(object, "config", config_tree(run->config));
	add_cost(object, "cost_acquire_ns", run, run->header.cost_acquire_1024);
	add_cost(object, "cost_clock_ns", run, run->header.cost_clock_1024);
	add_cost(object, "cost_hold_ns", run, run->header.cost_hold_1024);
	add_cost(object, "cost_hold_spin_ns", run, run->header.cost_hold_spin_1024);
	add_cost(object, "cost_wait_ns", run, run->header.cost_wait_1024);
	lost = cJSON_AddObjectToObject(object, "lost");
	for (enum loss loss = 0; loss < LOSSES; loss++)
		add_number(lost, loss_info[loss].name, loss_of(&run->header, loss));
	add_deflation(object, run);
	return object;
}

void json_runs(const struct report *r)
{
	fputs("\"recordings\":[", r->out);
	for (size_t i = 0; i < r->model->runs.count; i++) {
		fputs(i > 0 ? ",\n" : "\n", r->out);
		table_json_print(run_tree(&r->model->runs.row[i]), r->out);
	}
	fputs("\n]", r->out);
}
