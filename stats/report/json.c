/* The JSON document; report.h describes it. */
#include "stats/report/json.h"

#include "stats/report/keys.h"
#include "stats/report/lines.h"

static void print_totals(const struct report *r)
{
	const struct model *m = r->model;
	struct lock_line line = {.view = r->view, .figures = m->total};
	cJSON *object = cJSON_CreateObject();
	bool overhead = m->overhead_ns > 0;

	add_number(object, "locks", m->locks_shown);
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
	json_runs(r);
	print_totals(r);
	print_views(r);
	print_waits(r);
	json_contexts(r);
	json_advice(r);
	print_warnings(r);
	fputs("}\n", r->out);
}
