/* The contexts in the JSON document: places with all their frames. */
#include "stats/report/headline.h"
#include "stats/report/json.h"
#include "stats/report/memory.h"

#include <stdlib.h>

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
void json_contexts(const struct report *r)
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
