/* Every format can be read back, and says what the results say. */
#include "tests/unit/experiment_synthetic.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct experiment_plan plan;
static struct experiment *e;
static struct experiment_results *r;

static const struct experiment_candidate awkward[] = {{"a, \"quoted\" | piped", "policy = x\n"},
	{"<b> & \xc3\xa9", NULL}, {"c\xff\x1b[31m", NULL}};

static void measure(void *context, size_t candidate, struct experiment_run *run)
{
	struct synthetic *s = context;

	synthetic_measure(s, candidate, run);
	run->value[2] = candidate == 0 ? 0 : 1; /* an infinite ratio */
	if (candidate == 2) {
		run->outcome = RUN_FAILED;
		snprintf(run->failure, sizeof(run->failure), "said \"no\"\n\x1b[2J");
	}
}

static void setup(void)
{
	static const double effect[] = {1, 0.5, 1};
	struct synthetic s = {.state = 1, .noise = NOISE_SKEWED, .spread = 0.02, .effect = effect};
	struct experiment_hooks hooks = {.context = &s, .measure = measure};

	plan = synthetic_plan(3, 3, 12);
	plan.candidate = awkward;
	plan.seed = UINT64_MAX;
	e = experiment_new(&plan);
	experiment_run(e, &hooks);
	r = experiment_evaluate(e);
}

static void teardown(void)
{
	experiment_results_free(r);
	experiment_free(e);
}

static char *written(enum experiment_format format)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	experiment_write(e, r, format, out);
	fclose(out);
	ck_assert_uint_eq(strlen(text), size);
	return text;
}

static const cJSON *member(const cJSON *object, const char *key)
{
	const cJSON *value = cJSON_GetObjectItemCaseSensitive(object, key);

	ck_assert_msg(value != NULL, "no %s", key);
	return value;
}

START_TEST(json_reads_back)
{
	char *text = written(EXPORT_JSON);
	cJSON *root = cJSON_Parse(text);
	const cJSON *candidates, *cell;

	ck_assert_ptr_nonnull(root);
	ck_assert_str_eq(member(root, "schema")->valuestring, "relock-compare-1");
	ck_assert_ptr_nonnull(strstr(text, "18446744073709551615"));
	ck_assert_int_eq(cJSON_GetArraySize(member(root, "metrics")), 3);
	candidates = member(root, "candidates");
	ck_assert_int_eq(cJSON_GetArraySize(candidates), 4);
	ck_assert_str_eq(
		member(cJSON_GetArrayItem(candidates, 0), "name")->valuestring, awkward[0].name);
	cell = cJSON_GetArrayItem(member(cJSON_GetArrayItem(candidates, 1), "results"), 0);
	ck_assert_double_eq_tol(
		member(cell, "ratio")->valuedouble, experiment_cell(r, 1, 0)->ratio, 1e-12);
	ck_assert_double_eq_tol(
		member(cell, "low")->valuedouble, experiment_cell(r, 1, 0)->low, 1e-12);
	ck_assert_str_eq(member(cell, "verdict")->valuestring, "faster");
	ck_assert_str_eq(member(cell, "effect")->valuestring, "better");
	cell = cJSON_GetArrayItem(member(cJSON_GetArrayItem(candidates, 1), "results"), 2);
	ck_assert(cJSON_IsNull(member(cell, "ratio")));
	cJSON_Delete(root);
	free(text);
}
END_TEST

START_TEST(json_has_every_run)
{
	char *text = written(EXPORT_JSON);
	cJSON *root = cJSON_Parse(text);
	const cJSON *run;
	int index = 0;

	/* Three failures, then no more of the third. */
	ck_assert_int_eq(
		cJSON_GetArraySize(member(root, "runs")), 12 * 4 - (12 - EXPERIMENT_GIVE_UP));
	cJSON_ArrayForEach (run, member(root, "runs")) {
		if (index++ < 4)
			ck_assert_double_eq_tol(member(run, "position")->valuedouble, index, 0.5);
		member(member(run, "values"), "wall_ns");
	}
	cJSON_Delete(root);
	free(text);
}
END_TEST

/* Cells of a line of CSV; quoted ones without their quotes. Returns what follows the line. */
static char *csv_line(char *text, char **cell, size_t *cells)
{
	*cells = 0;
	for (;;) {
		char *out = text;
		bool quoted = *text == '"';

		cell[(*cells)++] = out;
		text += quoted;
		while (quoted ? !(text[0] == '"' && text[1] != '"') : !strchr(",\n", *text)) {
			text += quoted && *text == '"';
			*out++ = *text++;
		}
		text += quoted;
		if (*text == '\n') {
			*out = '\0';
			return text + 1;
		}
		ck_assert_int_eq(*text, ',');
		*out = '\0';
		text++;
	}
}

START_TEST(csv_reads_back)
{
	char *text = written(EXPORT_CSV), *at = text, *cell[32];
	size_t cells, columns, rows = 0;

	at = csv_line(at, cell, &columns);
	ck_assert_str_eq(cell[0], "metric");
	ck_assert_str_eq(cell[9], "ratio");
	for (; *at; rows++) {
		size_t slot = rows % 4, metric = rows / 4;
		double ratio = experiment_cell(r, slot, metric)->ratio;

		at = csv_line(at, cell, &cells);
		ck_assert_uint_eq(cells, columns);
		ck_assert_str_eq(cell[0], plan.metric[metric].name);
		if (slot == 0)
			ck_assert_str_eq(cell[2], awkward[0].name);
		if (isfinite(ratio))
			ck_assert_double_eq_tol(strtod(cell[9], NULL), ratio, 1e-6);
		else
			ck_assert_str_eq(cell[9], "");
	}
	ck_assert_uint_eq(rows, 12);
	free(text);
}
END_TEST

START_TEST(markdown_has_a_row_each)
{
	char *text = written(EXPORT_MARKDOWN), *kept = NULL;
	unsigned rows = 0;

	for (char *line = strtok_r(text, "\n", &kept); line; line = strtok_r(NULL, "\n", &kept)) {
		unsigned bars = 0;

		if (line[0] != '|')
			continue;
		for (const char *p = line; *p; p++)
			bars += *p == '|' && (p == line || p[-1] != '\\');
		ck_assert_msg(bars == 7, "%s", line);
		rows++;
	}
	ck_assert_uint_eq(rows, 2 + 12);
	free(text);
}
END_TEST

START_TEST(svg_is_escaped)
{
	char *text = written(EXPORT_SVG);

	ck_assert_ptr_nonnull(strstr(text, "&lt;b&gt; &amp; \xc3\xa9"));
	ck_assert_ptr_null(strstr(text, "<b>"));
	ck_assert_ptr_null(strchr(text, '\x1b'));
	ck_assert_str_eq(text + strlen(text) - 7, "</svg>\n");
	free(text);
}
END_TEST

START_TEST(screen_controls_no_terminal)
{
	const struct style styles[] = {{true, false}, {false, false}};
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	experiment_print(e, r, &styles[_i], out);
	fclose(out);
	for (const char *p = text; *p; p++) {
		ck_assert_msg((unsigned char)*p >= ' ' || *p == '\n', "control character");
		ck_assert(styles[_i].utf8 || (unsigned char)*p < 0x80);
	}
	ck_assert_ptr_nonnull(strstr(text, "faster"));
	ck_assert_ptr_nonnull(strstr(text, "failed 3 of 3"));
	ck_assert_ptr_nonnull(strstr(text, "noise floor"));
	free(text);
}
END_TEST

START_TEST(formats_by_name)
{
	enum experiment_format format;

	ck_assert(experiment_format_of("a.json", &format) && format == EXPORT_JSON);
	ck_assert(experiment_format_of("d.x/a.b.csv", &format) && format == EXPORT_CSV);
	ck_assert(experiment_format_of("a.md", &format) && format == EXPORT_MARKDOWN);
	ck_assert(experiment_format_of("a.svg", &format) && format == EXPORT_SVG);
	ck_assert(!experiment_format_of("a.xml", &format));
	ck_assert(!experiment_format_of("a", &format));
	ck_assert(!experiment_format_of("a.json/b", &format));
}
END_TEST

START_TEST(saving_replaces_whole_files)
{
	char directory[] = "/tmp/relock-experiment-XXXXXX", path[64];
	FILE *file;

	ck_assert_ptr_nonnull(mkdtemp(directory));
	snprintf(path, sizeof(path), "%s/result.json", directory);
	file = fopen(path, "w");
	fputs("before", file);
	fclose(file);
	ck_assert(experiment_save(e, r, EXPORT_JSON, path));
	file = fopen(path, "r");
	ck_assert_int_eq(fgetc(file), '{');
	fclose(file);
	ck_assert_int_eq(unlink(path), 0);
	ck_assert_int_eq(rmdir(directory), 0); /* nothing else was left there */
	ck_assert(!experiment_save(e, r, EXPORT_JSON, path));
	ck_assert_int_eq(errno, ENOENT);
}
END_TEST

static const struct {
	enum experiment_unit unit;
	double value;
	const char *text;
} values[] = {
	{UNIT_NS, 0, "0 ns"},
	{UNIT_NS, 1500, "1.5 us"},
	{UNIT_NS, 12345678, "12.35 ms"},
	{UNIT_NS, 1612345678, "1.612 s"},
	{UNIT_NS, 12e12, "12000 s"},
	{UNIT_KIB, 512, "512 KiB"},
	{UNIT_KIB, 8704, "8.5 MiB"},
	{UNIT_PLAIN, 999, "999"},
	{UNIT_PLAIN, 1234567, "1.235M"},
	{UNIT_PLAIN, 0.25, "0.25"},
	{UNIT_PLAIN, NAN, "-"},
};

START_TEST(values_have_units)
{
	const struct style style = {false, false};
	struct experiment_metric metric = {.unit = values[_i].unit};
	char text[64];

	experiment_value(&metric, values[_i].value, &style, text, sizeof(text));
	ck_assert_str_eq(text, values[_i].text);
}
END_TEST

Suite *experiment_exports_suite(void)
{
	Suite *suite = suite_create("experiment exports");
	TCase *tests = tcase_create("exports");

	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, json_reads_back);
	tcase_add_test(tests, json_has_every_run);
	tcase_add_test(tests, csv_reads_back);
	tcase_add_test(tests, markdown_has_a_row_each);
	tcase_add_test(tests, svg_is_escaped);
	tcase_add_loop_test(tests, screen_controls_no_terminal, 0, 2);
	tcase_add_test(tests, formats_by_name);
	tcase_add_test(tests, saving_replaces_whole_files);
	tcase_add_loop_test(tests, values_have_units, 0, (int)(sizeof(values) / sizeof(values[0])));
	suite_add_tcase(suite, tests);
	return suite;
}
