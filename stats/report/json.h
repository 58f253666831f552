/*
 * The parts of the JSON document. For the json*.c files only.
 */
#ifndef RELOCK_STATS_REPORT_JSON_H
#define RELOCK_STATS_REPORT_JSON_H

#include "stats/report/screen.h"

static inline void add_number(cJSON *object, const char *key, uint64_t number)
{
	cJSON_AddItemToObjectCS(object, key, table_json_number(number));
}

static inline void add_text(cJSON *object, const char *key, const char *text)
{
	cJSON_AddItemToObjectCS(object, key, table_json_text(text));
}

/* null when it is not known. */
static inline void add_number_if(cJSON *object, const char *key, bool known, uint64_t number)
{
	cJSON_AddItemToObjectCS(
		object, key, known ? table_json_number(number) : cJSON_CreateNull());
}

void json_runs(const struct report *report);
void json_contexts(const struct report *report);
void json_advice(const struct report *report);

#endif
