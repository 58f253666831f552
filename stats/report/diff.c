#include "stats/report/diff.h"

#include "stats/report/diff_rows.h"
#include "stats/report/memory.h"
#include "stats/report/read.h"
#include "stats/report/shell.h"

#include <stdlib.h>
#include <string.h>

#define ROWS_IN_TEXT 10
#define NAME_WIDTH 44

struct diff {
	const char *path[DIFF_SIDES];
	struct model *model[DIFF_SIDES];
	struct diff_rows rows;
	const struct diff_options *options;
	struct style style;
	FILE *out;
};

const char *const diff_format_names[] = {"text", "json", "csv", NULL};

static const char *const side_names[DIFF_SIDES] = {"a", "b"};

static const void *table_row(void *context, size_t index)
{
	struct diff *d = context;
	struct diff_row *row = &d->rows.row[index];

	if (!row->label) {
		char *escaped = units_escape(row->name, &d->style);

		/* units_cut() wants 3 bytes more. */
		row->label = memory_format("%s    ", escaped);
		row->label[strlen(escaped)] = '\0';
		units_cut(row->label, NAME_WIDTH, &d->style);
		free(escaped);
	}
	snprintf(row->rank, sizeof row->rank, "%zu", index + 1);
	return row;
}

/* --- machine formats */

/* The policy of all locks; NULL: there are several, or it is not known. */
static const char *whole_policy(const struct model *m)
{
	const char *first = m->runs.row[0].policy[0];

	for (size_t i = 0; i < m->runs.count; i++)
		for (unsigned kind = 0; kind < RLK_KINDS; kind++) {
			const char *policy = m->runs.row[i].policy[kind];

			if (!first || !policy || strcmp(policy, first) != 0)
				return NULL;
		}
	return first;
}

static cJSON *json_side(const struct diff *d, enum diff_which which)
{
	const struct model *m = d->model[which];
	cJSON *side = cJSON_CreateObject();

	cJSON_AddItemToObject(side, "path", table_json_text(d->path[which]));
	cJSON_AddItemToObject(side, "recordings", table_json_number(m->runs.count));
	cJSON_AddItemToObject(side, "program", table_json_text(m->runs.row[0].program));
	cJSON_AddItemToObject(side, "command", table_json_text(m->runs.row[0].command));
	cJSON_AddItemToObject(side, "policy", table_json_text(whole_policy(m)));
	cJSON_AddItemToObject(side, "wall_ns", table_json_number(m->wall_ns));
	cJSON_AddItemToObject(side, "thread_time_ns", table_json_number(m->thread_time_ns));
	cJSON_AddItemToObject(side, "acquired", table_json_number(m->total.acquired));
	cJSON_AddItemToObject(
		side, "wait_total_ns", table_json_number(m->total.counter[COUNT_wait_total]));
	return side;
}

static void print_json(struct diff *d, const struct table *table)
{
	cJSON *threshold = cJSON_CreateNumber(d->options->threshold);

	fprintf(d->out, "{\"schema\": \"relock-diff-1\", \"relock\": \"%s\", \"threshold\": ",
		RELOCK_VERSION);
	table_json_print(threshold, d->out);
	for (int side = 0; side < DIFF_SIDES; side++) {
		fprintf(d->out, ",\n\"%s\": ", side_names[side]);
		table_json_print(json_side(d, (enum diff_which)side), d->out);
	}
	fputs(",\n\"classes\": ", d->out);
	table_json(table, d->out);
	fputs("}\n", d->out);
}

/* --- text */

static void put_escaped(const struct diff *d, const char *text)
{
	char *shown = units_escape(text ? text : "?", &d->style);

	fputs(shown, d->out);
	free(shown);
}

static void put_duration(const struct diff *d, const char *what, uint64_t ns)
{
	char text[UNITS_MAX];

	units_duration(ns, true, &d->style, text, sizeof text);
	fprintf(d->out, "%s%s %s", d->style.utf8 ? " · " : " - ", what, text);
}

static void put_side(const struct diff *d, enum diff_which which)
{
	const struct model *m = d->model[which];
	const char *policy = whole_policy(m), *dot = d->style.utf8 ? " · " : " - ";

	fprintf(d->out, "%c  ", 'A' + (int)which);
	put_escaped(d, d->path[which]);
	fputs(dot, d->out);
	put_escaped(d, m->runs.row[0].command);
	if (m->runs.count > 1)
		fprintf(d->out, " and %zu more", m->runs.count - 1);
	fprintf(d->out, "%spolicy ", dot);
	put_escaped(d, policy ? policy : "by kind of lock");
	put_duration(d, "wall", m->wall_ns);
	put_duration(d, "waited", m->total.counter[COUNT_wait_total]);
	fputc('\n', d->out);
}

static void put_rest(const struct diff *d, size_t shown)
{
	const struct diff_rows *rows = &d->rows;

	if (rows->moved == 0)
		fprintf(d->out, "none of %zu classes moved by more than %.0f %%\n", rows->count,
			d->options->threshold * 100);
	else if (rows->moved > shown)
		fprintf(d->out, "%zu more moved; -n 0 shows all\n", rows->moved - shown);
	if (rows->moved > 0 && rows->count > rows->moved)
		fprintf(d->out, "%zu more did not move by more than %.0f %%\n",
			rows->count - rows->moved, d->options->threshold * 100);
}

static void put_candidate(const struct diff *d, const char *policy)
{
	char *word = shell_quote(policy);

	fputs(" -p ", d->out);
	put_escaped(d, word);
	free(word);
}

/* Whether a difference would be there again is a question for compare. */
static void put_next(const struct diff *d)
{
	const char *a = whole_policy(d->model[DIFF_A]), *b = whole_policy(d->model[DIFF_B]);
	const struct run *run = &d->model[DIFF_B]->runs.row[0];

	if (a && b && strcmp(a, b) != 0 && run->command && shell_is_words(run->command)) {
		fputs("note     two single runs also differ by chance; compare tells what would be "
		      "so again\n",
			d->out);
		fputs("next     relock compare", d->out);
		put_candidate(d, a);
		put_candidate(d, b);
		fputs(" -- ", d->out);
		put_escaped(d, run->command);
	} else {
		fputs("next     relock report --stacks ", d->out);
		put_escaped(d, d->path[DIFF_B]);
	}
	fputc('\n', d->out);
}

static void print_text(struct diff *d, struct table *table)
{
	size_t limit = d->options->rows == 0                 ? ROWS_IN_TEXT
		       : d->options->rows == REPORT_ROWS_ALL ? SIZE_MAX
							     : d->options->rows;

	put_side(d, DIFF_A);
	put_side(d, DIFF_B);
	fputc('\n', d->out);
	table->rows = d->rows.moved < limit ? d->rows.moved : limit;
	if (table->rows > 0)
		table_text(table, &d->style, d->out);
	put_rest(d, table->rows);
	fputc('\n', d->out);
	put_next(d);
}

/* --- */

static void print(struct diff *d, FILE *err)
{
	struct table table = {diff_columns, diff_columns_count, d->rows.count, table_row, d, NULL};
	size_t rows = d->options->rows;

	if (d->options->format != REPORT_TEXT && rows != 0 && rows < table.rows)
		table.rows = rows;
	if (d->options->format == REPORT_JSON)
		print_json(d, &table);
	else if (d->options->format == REPORT_CSV)
		table_csv(&table, d->out);
	else
		print_text(d, &table);
	for (int side = 0; side < DIFF_SIDES; side++)
		for (size_t i = 0; i < d->model[side]->notes.count; i++)
			read_complain(err, d->model[side]->notes.text[i]);
}

int diff_run(const char *a, const char *b, const struct diff_options *options, FILE *out, FILE *err)
{
	struct diff d = {.path = {a, b}, .options = options, .out = out};
	int status = REPORT_OK;

	d.style = (struct style){.utf8 = units_utf8()};
	for (int side = 0; side < DIFF_SIDES; side++) {
		d.model[side] = model_new();
		read_path(d.model[side], d.path[side], err);
		if (d.model[side]->runs.count == 0)
			status = REPORT_UNREADABLE;
		else
			model_finish(d.model[side]);
	}
	if (status == REPORT_OK) {
		diff_rows_make(&d.rows, d.model[DIFF_A], d.model[DIFF_B], options->threshold);
		print(&d, err);
		diff_rows_free(&d.rows);
	}
	for (int side = 0; side < DIFF_SIDES; side++)
		model_free(d.model[side]);
	if (fflush(out) != 0 || ferror(out)) {
		read_complain(err, "the differences could not be written");
		status = REPORT_UNREADABLE;
	}
	return status;
}
