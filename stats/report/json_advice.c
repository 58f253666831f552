/* Advice in the JSON document. */
#include "stats/report/json.h"

#include <stdlib.h>

static void add_index(cJSON *object, const char *key, bool known, uint64_t index)
{
	add_number_if(object, key, known, index);
}

static void add_numbers(cJSON *object, const struct advice *advice)
{
	cJSON *numbers = cJSON_AddObjectToObject(object, "numbers");

	for (enum advice_number id = 0; id < NUMBERS; id++) {
		const char *key = advice_number_info[id].name;

		if (!advice->has[id])
			continue;
		if (advice_number_info[id].unit == ADVICE_PART)
			cJSON_AddNumberToObject(numbers, key, advice->number[id]);
		else
			add_number(numbers, key, units_whole(advice->number[id]));
	}
}

static void add_words(cJSON *object, const struct advice_words *words, const struct advice *advice)
{
	char *sentence = advice_sentence(words, advice), *command = advice_command(words, advice);

	add_text(object, "text", sentence);
	add_text(object, "command", command);
	cJSON_AddBoolToObject(object, "needs_change", advice_needs_change(advice));
	free(sentence);
	free(command);
}

static cJSON *advice_json(const struct report *r, const struct advice *advice)
{
	const struct view *classes = r->advices->classes;
	const struct model *m = r->model;
	bool thread = advice->thread != NONE, class = advice->class_row != NONE;
	struct advice_words words = screen_words(r);
	cJSON *object = cJSON_CreateObject();

	add_text(object, "kind", advice_kind_names[advice->kind]);
	add_number(object, "recording", advice->run);
	add_index(object, "lock", advice->lock != NONE, advice->lock);
	add_index(object, "class", class, class ? classes->row[advice->class_row].number : 0);
	add_text(object, "thread", thread ? m->threads.row[advice->thread].name : NULL);
	add_index(object, "tid", thread, thread ? (uint32_t)m->threads.row[advice->thread].tid : 0);
	add_index(object, "context", advice->context != 0, advice->context);
	add_number(object, "stake_ns", units_whole(advice->stake_ns));
	add_numbers(object, advice);
	add_words(object, &words, advice);
	return object;
}

void json_advice(const struct report *r)
{
	fputs(",\n\"advice\":[", r->out);
	for (size_t i = 0; i < r->advices->count; i++) {
		fputs(i > 0 ? ",\n" : "\n", r->out);
		table_json_print(advice_json(r, &r->advices->row[i]), r->out);
	}
	fputs(r->advices->count > 0 ? "\n]" : "]", r->out);
}
