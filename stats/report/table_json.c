/* Tables as JSON: cJSON makes each row, rows are streamed. */
#include "stats/report/table.h"

#include "stats/report/memory.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

cJSON *table_json_number(uint64_t number)
{
	char text[UNITS_MAX];

	snprintf(text, sizeof text, "%" PRIu64, number);
	return cJSON_CreateRaw(text);
}

cJSON *table_json_text(const char *text)
{
	char *clean;
	cJSON *json;

	if (!text)
		return cJSON_CreateNull();
	clean = units_sanitize(text);
	json = cJSON_CreateString(clean);
	free(clean);
	return json;
}

static cJSON *json_share(double share)
{
	char text[UNITS_MAX];

	/* Neither NaN nor infinity are JSON. */
	if (!(share >= 0) || share > 1e15)
		return cJSON_CreateNull();
	snprintf(text, sizeof text, "%.6f", share);
	return cJSON_CreateRaw(text);
}

static cJSON *json_list(const char *text)
{
	cJSON *list = cJSON_CreateArray();

	while (*text) {
		size_t length = strcspn(text, "|");
		char *part = memory_format("%.*s", (int)length, text);

		cJSON_AddItemToArray(list, table_json_text(part));
		free(part);
		text += length + (text[length] == '|');
	}
	return list;
}

static cJSON *json_value(const struct value *value)
{
	switch (value->kind) {
	case VALUE_TEXT:
		return table_json_text(value->text);
	case VALUE_LIST:
		return json_list(value->text);
	case VALUE_COUNT:
	case VALUE_NS:
		return table_json_number(value->number);
	case VALUE_SHARE:
	case VALUE_BAR:
		return json_share(value->share);
	case VALUE_FLAG:
		return cJSON_CreateBool(value->number != 0);
	case VALUE_TREE:
		return value->tree;
	case VALUE_NONE:
		break;
	}
	return cJSON_CreateNull();
}

void table_row_json(const struct column *column, size_t columns, const void *row, cJSON *object)
{
	for (size_t c = 0; c < columns; c++) {
		struct value value = {0};

		if (!column[c].key)
			continue;
		column[c].get(row, column[c].argument, &value);
		cJSON_AddItemToObjectCS(object, column[c].key, json_value(&value));
	}
}

void table_json_print(cJSON *value, FILE *out)
{
	char *text = cJSON_PrintUnformatted(value);

	units_put_json(text ? text : "null", out);
	cJSON_free(text);
	cJSON_Delete(value);
}

void table_json(const struct table *t, FILE *out)
{
	fputc('[', out);
	for (size_t i = 0; i < t->rows; i++) {
		cJSON *object = cJSON_CreateObject();

		table_row_json(t->column, t->columns, t->row(t->context, i), object);
		fputs(i > 0 ? ",\n" : "\n", out);
		table_json_print(object, out);
	}
	fputs(t->rows > 0 ? "\n]" : "]", out);
}
