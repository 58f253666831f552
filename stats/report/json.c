/* The JSON document; report.h describes it. */
#include "stats/report/headline.h"
#include "stats/report/keys.h"
#include "stats/report/lines.h"
#include "stats/report/losses.h"
#include "stats/report/memory.h"
#include "stats/report/screen.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

static void add_number(cJSON *object, const char *key, uint64_t number)
{
	cJSON_AddItemToObjectCS(object, key, table_json_number(number));
}

static void add_text(cJSON *object, const char *key, const char *text)
{
	cJSON_AddItemToObjectCS(object, key, table_json_text(text));
}

static void add_number_if(cJSON *object, const char *key, bool known, uint64_t number)
{
	cJSON_AddItemToObjectCS(
		object, key, known ? table_json_number(number) : cJSON_CreateNull());
}

/* --- recordings */

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
	static const char *const clocks[] = {"tsc", "cntvct", "monotonic"};
	static const char *const holds[] = {"off", "sampled", "all"};
	const struct rlk_header *h = &run->header;

	add_number(object, "cpus_present", h->cpus_present);
	add_number(object, "cpus_allowed", h->cpus_allowed);
	add_number(object, "cpus_quota_milli", h->cpus_quota_milli);
	add_text(object, "clock", h->clock < 3 ? clocks[h->clock] : NULL);
	add_text(object, "holds", h->holds < 3 ? holds[h->holds] : NULL);
	add_number(object, "hold_sample", h->hold_sample);
	cJSON_AddBoolToObject(object, "delegate_all", h->delegate_all != 0);
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
	add_cost(object, "cost_wait_ns", run, run->header.cost_wait_1024);
	lost = cJSON_AddObjectToObject(object, "lost");
	for (enum loss loss = 0; loss < LOSSES; loss++)
		add_number(lost, loss_info[loss].name, loss_of(&run->header, loss));
	return object;
}

static void print_runs(const struct report *r)
{
	fputs("\"recordings\":[", r->out);
	for (size_t i = 0; i < r->model->runs.count; i++) {
		fputs(i > 0 ? ",\n" : "\n", r->out);
		table_json_print(run_tree(&r->model->runs.row[i]), r->out);
	}
	fputs("\n]", r->out);
}

/* --- totals */

static void print_totals(const struct report *r)
{
	const struct model *m = r->model;
	struct lock_line line = {.view = r->view, .figures = m->total};
	cJSON *object = cJSON_CreateObject();
	bool overhead = m->overhead_ns > 0;

	add_number(object, "locks", m->locks.count);
	add_number(object, "classes", m->classes.count);
	add_number(object, "threads", m->threads.count);
	add_number(object, "threads_peak", m->threads_peak);
	add_number(object, "thread_time_ns", m->thread_time_ns);
	add_number(object, "wall_ns", m->wall_ns);
	add_number_if(object, "cpu_ns", m->cpu_known, m->cpu_ns);
	add_number_if(object, "overhead_ns", overhead, m->overhead_ns);
	if (overhead && m->cpu_known && m->cpu_ns > 0)
		cJSON_AddNumberToObject(
			object, "overhead_share", (double)m->overhead_ns / (double)m->cpu_ns);
	else
		cJSON_AddNullToObject(object, "overhead_share");
	table_row_json(side_columns, side_columns_count, &line, object);
	fputs(",\n\"totals\":", r->out);
	table_json_print(object, r->out);
}

/* --- tables */

static void print_lines(const struct report *r, const char *key, const struct view *view,
	const struct view *classes)
{
	bool by_class = view->by == REPORT_BY_CLASS;
	struct lines lines;
	struct table table = {by_class ? class_columns : lock_columns,
		by_class ? class_columns_count : lock_columns_count, 0, lines_row, &lines, NULL};

	lines_new(&lines, view, classes, SIDES_TOGETHER, r->rows, NULL);
	table.rows = lines.count;
	fprintf(r->out, ",\n\"%s\":", key);
	table_json(&table, r->out);
	lines_free(&lines);
}

static struct view *own_view(const struct report *r, enum report_by by)
{
	char message[512];
	size_t key = r->key;

	if (!keys_find(report_key_names[key], by, &key, message, sizeof message))
		keys_find(NULL, by, &key, message, sizeof message);
	return view_new(r->model, r->labels, by, key);
}

static void print_views(const struct report *r)
{
	struct view *view[] = {[REPORT_BY_LOCK] = own_view(r, REPORT_BY_LOCK),
		[REPORT_BY_CLASS] = own_view(r, REPORT_BY_CLASS),
		[REPORT_BY_SITE] = own_view(r, REPORT_BY_SITE),
		[REPORT_BY_THREAD] = own_view(r, REPORT_BY_THREAD)};

	print_lines(r, "locks", view[REPORT_BY_LOCK], view[REPORT_BY_CLASS]);
	print_lines(r, "classes", view[REPORT_BY_CLASS], NULL);
	fputs(",\n\"sites\":", r->out);
	print_sites(r, view[REPORT_BY_SITE], REPORT_JSON);
	fputs(",\n\"threads\":", r->out);
	print_threads(r, view[REPORT_BY_THREAD], REPORT_JSON);
	for (size_t i = 0; i < sizeof view / sizeof view[0]; i++)
		view_free(view[i]);
}

struct json_rows {
	const struct report *report;
	struct pair_line pair;
	struct yield_line yield;
};

static const void *pair_row(void *context, size_t i)
{
	struct json_rows *rows = context;
	uint64_t total = rows->report->model->total.counter[COUNT_wait_total];

	rows->pair = (struct pair_line){.pair = rows->report->model->pairs.row[i]};
	if (total > 0)
		rows->pair.share = (double)rows->pair.pair.wait_ns / (double)total;
	return &rows->pair;
}

static const void *yield_row(void *context, size_t i)
{
	struct json_rows *rows = context;

	rows->yield = (struct yield_line){.site = &rows->report->model->yield_sites.row[i]};
	return &rows->yield;
}

static void print_waits(const struct report *r)
{
	struct json_rows rows = {.report = r};
	struct table pairs = {
		pair_columns, pair_columns_count, r->model->pairs.count, pair_row, &rows, NULL};
	struct table yields = {yield_columns, yield_columns_count, r->model->yield_sites.count,
		yield_row, &rows, NULL};

	fputs(",\n\"pairs\":", r->out);
	table_json(&pairs, r->out);
	fputs(",\n\"yield_sites\":", r->out);
	table_json(&yields, r->out);
}

/* --- contexts */

struct frame_list {
	const struct report *report;
	cJSON *list;
};

static void add_build_id(cJSON *object, const struct module *module)
{
	char text[2 * RLK_BUILD_ID_MAX + 1] = "";

	for (uint32_t i = 0; module && i < module->build_id_length; i++)
		snprintf(text + 2 * i, 3, "%02x", module->build_id[i]);
	add_text(object, "build_id", text[0] ? text : NULL);
}

static bool add_frame(void *data, const struct frame *frame, uint32_t row)
{
	struct frame_list *l = data;
	const struct model *m = l->report->model;
	const struct site *site = &m->sites.row[row];
	const struct module *module = site->module == NONE ? NULL : &m->modules.row[site->module];
	cJSON *object = cJSON_CreateObject();

	add_text(object, "function", frame->known ? frame->function : NULL);
	add_text(object, "short", frame->brief);
	add_text(object, "file", frame->file);
	add_number_if(object, "line", frame->line > 0, (uint64_t)frame->line);
	add_text(object, "module", module ? module->path : NULL);
	add_build_id(object, module);
	add_number(object, "offset", site->offset);
	cJSON_AddBoolToObject(object, "inlined", frame->inlined);
	cJSON_AddItemToArray(l->list, object);
	return true;
}

static void print_context(const struct report *r, uint32_t context)
{
	struct frame_list frames = {r, NULL};
	cJSON *object = cJSON_CreateObject();
	bool stack = RLK_CONTEXT_IS_STACK(context);

	add_number(object, "id", context);
	add_text(object, "headline", labels_context(r->labels, context));
	cJSON_AddBoolToObject(object, "stack", stack);
	cJSON_AddBoolToObject(object, "truncated",
		stack && r->model->stacks.row[RLK_CONTEXT_INDEX(context)].truncated);
	frames.list = cJSON_AddArrayToObject(object, "frames");
	headline_each_frame(r->symbols, r->model, context, add_frame, &frames);
	table_json_print(object, r->out);
}

/* Those that the document refers to, and no other: looking up a name costs time. */
static void print_contexts(const struct report *r)
{
	const struct model *m = r->model;
	size_t count = 2 * (m->sites.count > m->stacks.count ? m->sites.count : m->stacks.count);
	bool *used = memory_get(count + 1, sizeof *used);
	const char *separator = "\n";

	for (size_t i = 0; i < m->pairs.count; i++)
		used[m->pairs.row[i].waiter] = used[m->pairs.row[i].holder] = true;
	for (size_t i = 0; i < m->classes.count; i++)
		used[m->classes.row[i].context] = true;
	for (size_t i = 0; i < m->yield_sites.count; i++)
		if (m->yield_sites.row[i].site != NONE)
			used[RLK_CONTEXT_SITE(m->yield_sites.row[i].site)] = true;
	fputs(",\n\"contexts\":[", r->out);
	for (uint32_t context = 1; context <= count; context++) {
		if (!used[context])
			continue;
		fputs(separator, r->out);
		separator = ",\n";
		print_context(r, context);
	}
	fputs("\n]", r->out);
	free(used);
}

static void print_warnings(const struct report *r)
{
	cJSON *list = cJSON_CreateArray();

	for (size_t i = 0; i < r->model->notes.count; i++)
		cJSON_AddItemToArray(list, table_json_text(r->model->notes.text[i]));
	fputs(",\n\"warnings\":", r->out);
	table_json_print(list, r->out);
}

void json_print(struct report *r)
{
	fprintf(r->out, "{\"schema\":\"relock-report-1\",\n\"relock\":\"%s\",\n", RELOCK_VERSION);
	print_runs(r);
	print_totals(r);
	print_views(r);
	print_waits(r);
	print_contexts(r);
	print_warnings(r);
	fputs("}\n", r->out);
}
