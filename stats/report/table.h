/*
 * The emitter: one description of a table's columns prints it as text, HTML, CSV and JSON.
 *
 * A column with a key is part of the machine formats, one with a heading part of text and HTML. A
 * getter hands over a value of a row; the format decides how it looks. Rows are asked for by
 * number, when they are printed, so that a table of a million rows is never in memory.
 */
#ifndef RELOCK_STATS_REPORT_TABLE_H
#define RELOCK_STATS_REPORT_TABLE_H

#include "stats/report/units.h"

#include <cjson/cJSON.h>
#include <stdio.h>

enum value_kind {
	VALUE_NONE, /* nothing in a text, null in JSON, an empty cell in CSV */
	VALUE_TEXT,
	VALUE_LIST, /* a text whose parts are separated by '|': an array in JSON */
	VALUE_COUNT,
	VALUE_NS,
	VALUE_SHARE, /* a fraction of 1 */
	VALUE_BAR,   /* a fraction of 1 that a text and HTML draw */
	VALUE_FLAG,
	VALUE_TREE, /* JSON only; the emitter takes it over */
};

struct value {
	enum value_kind kind;
	union {
		const char *text; /* valid until the next row is asked for */
		uint64_t number;  /* counts, ns; flags: 0 or 1 */
		double share;
		cJSON *tree;
	};
	bool exact; /* times: three digits in a text instead of two */
	bool about; /* an estimate: marked so in a text */
};

struct column {
	const char *key;     /* machine formats, unit last ("wait_total_ns"); NULL: text only */
	const char *heading; /* text; NULL: machine formats only */
	void (*get)(const void *row, uintptr_t argument, struct value *out);
	uintptr_t argument; /* for `get` */
	bool left;          /* aligned to the left in a text */
	bool tree;          /* values are trees: not in CSV */
	const char *wide;   /* HTML's heading where the text has no room for one */
	bool parts;         /* heading and texts are parts separated by '/', percentages of a
			       whole: HTML draws them */
};

struct table {
	const struct column *column;
	size_t columns;
	size_t rows;
	const void *(*row)(void *context, size_t index); /* valid until the next one */
	void *context;
	void (*after)(void *context, size_t index, FILE *out); /* prints below a row; may be NULL */
};

void table_text(const struct table *table, const struct style *style, FILE *out);
void table_html(const struct table *table, const struct style *style, FILE *out);
void table_csv(const struct table *table, FILE *out);
/* The rows as a JSON array. */
void table_json(const struct table *table, FILE *out);

/* One row as a JSON object, its keyed columns added to `object`. */
void table_row_json(const struct column *column, size_t columns, const void *row, cJSON *object);
/* An exact integer; cJSON's own numbers are doubles. */
cJSON *table_json_number(uint64_t number);
/* A text made valid UTF-8; null for NULL. */
cJSON *table_json_text(const char *text);
/* Prints a value and frees it. */
void table_json_print(cJSON *value, FILE *out);

/* How many columns a text or HTML table has. */
size_t table_headings(const struct table *table);
/* A cell of a text table, for free(). */
char *table_cell(const struct value *value, const struct style *style);

#endif
