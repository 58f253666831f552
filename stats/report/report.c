#include "stats/report/report.h"

#include "stats/report/html.h"
#include "stats/report/keys.h"
#include "stats/report/lines.h"
#include "stats/report/memory.h"
#include "stats/report/read.h"
#include "stats/report/screen.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ROWS_IN_TEXT 10
#define ROWS_IN_PAGE 100
#define ROWS_COLLECTED 1000

const char *const report_format_names[] = {
	"text", "json", "csv", "html", "folded", "openmetrics", NULL};
const char *const report_by_names[] = {"lock", "class", "site", "thread", NULL};
const char *const report_color_names[] = {"auto", "always", "never", NULL};

/* --- style */

static bool color_wanted(enum report_color color, FILE *out)
{
	const char *no_color = getenv("NO_COLOR");

	if (color != REPORT_COLOR_AUTO)
		return color == REPORT_COLOR_ALWAYS;
	return !(no_color && *no_color) && fileno(out) >= 0 && isatty(fileno(out));
}

/* --- printing */

void csv_print(struct report *r)
{
	bool by_class = r->view->by == REPORT_BY_CLASS;
	struct view *classes = NULL;
	struct lines lines;
	struct table table = {by_class ? class_columns : lock_columns,
		by_class ? class_columns_count : lock_columns_count, 0, lines_row, &lines, NULL};

	if (r->view->by == REPORT_BY_SITE) {
		print_sites(r, r->view, REPORT_CSV);
		return;
	}
	if (r->view->by == REPORT_BY_THREAD) {
		print_threads(r, r->view, REPORT_CSV);
		return;
	}
	if (!by_class)
		classes = view_new(r->model, r->labels, REPORT_BY_CLASS, r->key);
	lines_new(&lines, r->view, classes, SIDES_INSTEAD, r->rows, NULL);
	table.rows = lines.count;
	table_csv(&table, r->out);
	lines_free(&lines);
	view_free(classes);
}

static void print_warnings(const struct model *m, FILE *err)
{
	for (size_t i = 0; i < m->notes.count; i++)
		read_complain(err, m->notes.text[i]);
}

static size_t row_limit(const struct report_options *options)
{
	static const size_t limits[REPORT_FORMATS] = {
		[REPORT_TEXT] = ROWS_IN_TEXT,
		[REPORT_HTML] = ROWS_IN_PAGE,
		[REPORT_OPENMETRICS] = ROWS_COLLECTED,
	};

	if (options->rows == REPORT_ROWS_ALL)
		return SIZE_MAX;
	if (options->rows > 0)
		return options->rows;
	return limits[options->format] > 0 ? limits[options->format] : SIZE_MAX;
}

static void report_print(struct report *r, FILE *err)
{
	static void (*const print_as[REPORT_FORMATS])(struct report *) = {
		[REPORT_TEXT] = screen_print,
		[REPORT_JSON] = json_print,
		[REPORT_CSV] = csv_print,
		[REPORT_HTML] = html_print,
		[REPORT_FOLDED] = folded_print,
		[REPORT_OPENMETRICS] = openmetrics_print,
	};
	const struct report_options *options = r->options;

	r->rows = row_limit(options);
	r->style = options->format == REPORT_HTML
			   ? html_style
			   : (struct style){.utf8 = units_utf8(),
				     .color = color_wanted(options->color, r->out)};
	r->symbols = symbols_new(r->model);
	r->labels = labels_new(r->model, r->symbols);
	r->view = view_new(r->model, r->labels, options->by, r->key);
	if (report_is_read(r) || options->format == REPORT_JSON)
		r->advices = advices_new(r->model, r->labels);
	print_as[options->format](r);
	if (!report_is_read(r))
		print_warnings(r->model, err);
	advices_free(r->advices);
	view_free(r->view);
	labels_free(r->labels);
	symbols_free(r->symbols);
}

static bool options_check(const struct report_options *options, size_t *key, FILE *err)
{
	char message[512];

	if ((unsigned)options->format >= REPORT_FORMATS ||
		(unsigned)options->by > REPORT_BY_THREAD ||
		(unsigned)options->color > REPORT_COLOR_NEVER) {
		read_complain(err, "no such format, table or color");
		return false;
	}
	if (options->format == REPORT_FOLDED && options->by == REPORT_BY_THREAD) {
		read_complain(err,
			"stacks were not recorded by thread; they can be folded by lock, class "
			"or site");
		return false;
	}
	if (keys_find(options->key, options->by, key, message, sizeof message))
		return true;
	read_complain(err, message);
	return false;
}

int report_run(const char *const *paths, size_t count, const struct report_options *options,
	FILE *out, FILE *err)
{
	struct report r = {.options = options, .paths = paths, .path_count = count, .out = out};
	int status = REPORT_OK;

	if (!options_check(options, &r.key, err))
		return REPORT_BAD_OPTION;
	r.model = model_new();
	for (size_t i = 0; i < count; i++)
		read_path(r.model, paths[i], err);
	if (r.model->runs.count == 0) {
		print_warnings(r.model, err);
		status = REPORT_UNREADABLE;
	} else {
		model_finish(r.model);
		report_print(&r, err);
	}
	model_free(r.model);
	if (fflush(out) != 0 || ferror(out)) {
		read_complain(err, "the report could not be written");
		status = REPORT_UNREADABLE;
	}
	return status;
}
