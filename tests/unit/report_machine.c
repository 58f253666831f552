/* JSON and CSV, parsed back. */
#include "tests/unit/report_tests.h"

#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

#define FILE_NAME "machine.rlk"

static char *print(enum report_format format, enum report_by by)
{
	const char *path = FILE_NAME;
	struct report_options options = {.format = format, .by = by};

	return tests_report(&path, 1, &options, NULL, NULL);
}

static cJSON *parse(void)
{
	char *text = print(REPORT_JSON, REPORT_BY_LOCK);
	cJSON *json = cJSON_Parse(text);

	ck_assert_msg(json != NULL, "no JSON: %s", text);
	free(text);
	return json;
}

static const cJSON *at(const cJSON *object, const char *key)
{
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);

	ck_assert_msg(item != NULL, "no key %s", key);
	return item;
}

static double number(const cJSON *object, const char *key)
{
	ck_assert_msg(cJSON_IsNumber(at(object, key)), "%s is no number", key);
	return at(object, key)->valuedouble;
}

static const char *text_of(const cJSON *object, const char *key)
{
	ck_assert_msg(cJSON_IsString(at(object, key)), "%s is no text", key);
	return at(object, key)->valuestring;
}

static const cJSON *lock_of_kind(const cJSON *json, const char *kind)
{
	const cJSON *lock;

	cJSON_ArrayForEach (lock, at(json, "locks"))
		if (strcmp(text_of(lock, "kind"), kind) == 0)
			return lock;
	ck_abort_msg("no lock of kind %s", kind);
	return NULL;
}

START_TEST(test_recording_object)
{
	cJSON *json;
	const cJSON *run;

	tests_write_sample(FILE_NAME);
	json = parse();
	ck_assert_str_eq(text_of(json, "schema"), "relock-report-1");
	run = cJSON_GetArrayItem(at(json, "recordings"), 0);
	ck_assert_str_eq(text_of(run, "program"), "/usr/bin/prog");
	ck_assert_str_eq(text_of(run, "run_id"), "run-1");
	ck_assert_str_eq(text_of(run, "state"), "ended");
	ck_assert(cJSON_IsNull(at(run, "exit_status")));
	ck_assert_double_eq(number(run, "wall_ns"), 1e9);
	ck_assert_str_eq(text_of(at(run, "policy"), "spin"), "spin-park:spins=100");
	ck_assert_int_eq(cJSON_GetArraySize(at(run, "config")), 2);
	ck_assert_str_eq(text_of(cJSON_GetArrayItem(at(run, "config"), 1), "name"), "record.holds");
	ck_assert_str_eq(text_of(cJSON_GetArrayItem(at(run, "config"), 1), "value"), "all");
	ck_assert_str_eq(text_of(cJSON_GetArrayItem(at(run, "config"), 1), "origin"), "default");
#define EXPECT_LOSS(name, description) ck_assert_double_eq(number(at(run, "lost"), #name), 0);
	RLK_LOSSES(EXPECT_LOSS)
	cJSON_Delete(json);
}
END_TEST

START_TEST(test_every_counter_is_there)
{
	cJSON *json;
	const cJSON *lock;

	tests_write_sample(FILE_NAME);
	json = parse();
	lock = lock_of_kind(json, "mutex");
#define SUFFIX_count ""
#define SUFFIX_ticks "_ns"
#define EXPECT_COUNTER(name, unit, description)                                                    \
	number(lock, #name SUFFIX_##unit);                                                         \
	number(at(json, "totals"), #name SUFFIX_##unit);
	RLK_COUNTERS(EXPECT_COUNTER)
	ck_assert_double_eq(number(lock, "acquired"), 1500);
	ck_assert_double_eq(number(lock, "wait_total_ns"), 3000000);
	ck_assert_double_eq(number(lock, "spun_total_ns"), 700000);
	ck_assert_double_eq(number(at(json, "totals"), "acquired"), 1607);
	cJSON_Delete(json);
}
END_TEST

START_TEST(test_histograms_hold_all_waits)
{
	cJSON *json;
	const cJSON *bucket;
	double sum = 0;

	tests_write_sample(FILE_NAME);
	json = parse();
	cJSON_ArrayForEach (bucket, at(lock_of_kind(json, "mutex"), "wait_histogram")) {
		ck_assert_int_eq(cJSON_GetArraySize(bucket), 3);
		ck_assert_double_lt(cJSON_GetArrayItem(bucket, 0)->valuedouble,
			cJSON_GetArrayItem(bucket, 1)->valuedouble);
		ck_assert_double_le(cJSON_GetArrayItem(bucket, 0)->valuedouble, 100000);
		ck_assert_double_gt(cJSON_GetArrayItem(bucket, 1)->valuedouble, 100000);
		sum += cJSON_GetArrayItem(bucket, 2)->valuedouble;
	}
	ck_assert_double_eq(sum, 30);
	cJSON_Delete(json);
}
END_TEST

START_TEST(test_sides)
{
	cJSON *json;
	const cJSON *sides;

	tests_write_sample(FILE_NAME);
	json = parse();
	sides = at(lock_of_kind(json, "rwlock"), "sides");
	ck_assert_double_eq(number(at(sides, "read"), "acquired"), 90);
	ck_assert_double_eq(number(at(sides, "write"), "acquired"), 10);
	ck_assert_double_eq(number(at(sides, "write"), "wait_total_ns"), 20000);
	ck_assert(cJSON_IsNull(at(lock_of_kind(json, "mutex"), "sides")));
	cJSON_Delete(json);
}
END_TEST

/* Every id that is referred to is described. */
START_TEST(test_references_lead_somewhere)
{
	cJSON *json;
	const cJSON *pair, *context, *lock;
	bool waiter = false, found = false;

	tests_write_sample(FILE_NAME);
	json = parse();
	ck_assert_int_eq(cJSON_GetArraySize(at(json, "pairs")), 1);
	pair = cJSON_GetArrayItem(at(json, "pairs"), 0);
	cJSON_ArrayForEach (context, at(json, "contexts")) {
		if (number(context, "id") != number(pair, "waiter"))
			continue;
		waiter = true;
		ck_assert(cJSON_IsTrue(at(context, "stack")));
		ck_assert_int_eq(cJSON_GetArraySize(at(context, "frames")), 2);
	}
	ck_assert(waiter);
	cJSON_ArrayForEach (lock, at(json, "locks")) {
		const cJSON *class;

		if (number(lock, "index") != number(pair, "lock"))
			continue;
		ck_assert_str_eq(text_of(lock, "address"), "0x7000");
		cJSON_ArrayForEach (class, at(json, "classes"))
			found = found || number(class, "index") == number(lock, "class");
	}
	ck_assert(found);
	cJSON_Delete(json);
}
END_TEST

START_TEST(test_large_numbers_are_exact)
{
	struct builder b;
	char *text;

	builder_begin(&b);
	builder_class(&b, RLK_BORN_INIT, RLK_KIND_MUTEX, 0x10, 0, 0);
	builder_lock(&b, 0x7000, 0, RLK_KIND_MUTEX);
	builder_entry(&b, 0, 0, 0x7000, RLK_KIND_MUTEX, (1ull << 60) + 1);
	builder_write(&b, FILE_NAME);
	builder_end(&b);
	text = print(REPORT_JSON, REPORT_BY_LOCK);
	ck_assert_ptr_nonnull(strstr(text, "\"acquired\":1152921504606846977,"));
	free(text);
}
END_TEST

/* Cells of a line of CSV, by its commas outside of quotes. */
static size_t cells(const char *line, const char *end)
{
	size_t count = 1;
	bool quoted = false;

	for (; line < end; line++) {
		if (*line == '"')
			quoted = !quoted;
		else if (*line == ',' && !quoted)
			count++;
	}
	ck_assert(!quoted);
	return count;
}

static size_t expect_rectangle(const char *text)
{
	size_t lines = 0, columns = 0;

	while (*text) {
		const char *end = strchr(text, '\n');

		ck_assert_ptr_nonnull(end);
		if (lines++ == 0)
			columns = cells(text, end);
		ck_assert_uint_eq(cells(text, end), columns);
		text = end + 1;
	}
	ck_assert_uint_gt(columns, 5);
	return lines;
}

START_TEST(test_csv_has_one_width)
{
	/* A heading; a rwlock has two rows. */
	static const size_t lines[] = {1 + 4, 1 + 4, 1 + 4, 1 + 2};
	char *text;

	tests_write_sample(FILE_NAME);
	for (int by = REPORT_BY_LOCK; by <= REPORT_BY_THREAD; by++) {
		text = print(REPORT_CSV, by);
		if (by == REPORT_BY_SITE)
			ck_assert_uint_eq(expect_rectangle(text), 1 + 2);
		else
			ck_assert_uint_eq(expect_rectangle(text), lines[by]);
		free(text);
	}
}
END_TEST

START_TEST(test_csv_quotes)
{
	struct builder b;
	struct rlk_thread thread = {.birth_ticks = 1, .name = "a,\"b\"\n\x1b[c"};
	char *text;

	builder_begin(&b);
	builder_add(&b, RLK_THREADS, 0, &thread);
	builder_write(&b, FILE_NAME);
	builder_end(&b);
	text = print(REPORT_CSV, REPORT_BY_THREAD);
	ck_assert_ptr_nonnull(strstr(text, "\n\"a,\"\"b\"\"\\x0a\\x1b[c\",0,"));
	free(text);
}
END_TEST

START_TEST(test_names_are_valid_utf8)
{
	struct builder b;
	cJSON *json;

	builder_begin(&b);
	b.header.program = builder_text(&b, "/bin/\xff\"\\\n\xc3\xa9");
	builder_write(&b, FILE_NAME);
	builder_end(&b);
	json = parse();
	ck_assert_str_eq(text_of(cJSON_GetArrayItem(at(json, "recordings"), 0), "program"),
		"/bin/\xef\xbf\xbd\"\\\n\xc3\xa9");
	cJSON_Delete(json);
}
END_TEST

Suite *report_machine_suite(void)
{
	Suite *suite = suite_create("machine");
	TCase *tests = tcase_create("machine");

	tcase_set_timeout(tests, 20);
	tcase_add_test(tests, test_recording_object);
	tcase_add_test(tests, test_every_counter_is_there);
	tcase_add_test(tests, test_histograms_hold_all_waits);
	tcase_add_test(tests, test_sides);
	tcase_add_test(tests, test_references_lead_somewhere);
	tcase_add_test(tests, test_large_numbers_are_exact);
	tcase_add_test(tests, test_csv_has_one_width);
	tcase_add_test(tests, test_csv_quotes);
	tcase_add_test(tests, test_names_are_valid_utf8);
	suite_add_tcase(suite, tests);
	return suite;
}
