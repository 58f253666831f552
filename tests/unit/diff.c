/* Two recordings made of rows of one's choosing, and what a diff says of them. */
#include "stats/report/diff.h"
#include "tests/unit/report_tests.h"

#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

#define MS 1000000ull

/* Locks of a program, born at offsets of its one module. */
struct made {
	uint64_t offset;                   /* of the birth; 0: no such lock */
	uint64_t acquired, waits, wait_ns; /* each wait */
	enum rlk_kind kind;
};

/* The module lies at `base`, and locks are noted from the last to the first when `backwards`: what
 * changes from run to run. */
static void write_run(
	const char *path, uint64_t base, const struct made *made, size_t count, bool backwards)
{
	struct builder b;
	uint32_t module;
	struct rlk_thread thread = {.birth_ticks = 2000, .tid = 11, .name = "main"};
	struct rlk_shard shard = {.state = 1};

	builder_begin(&b);
	module = builder_module(&b, "/opt/program", base, base + 0x100000);
	builder_add(&b, RLK_SHARDS, 1, &shard);
	builder_add(&b, RLK_THREADS, 0, &thread);
	for (size_t i = 0; i < count; i++) {
		const struct made *m = &made[backwards ? count - 1 - i : i];
		uint64_t address = base * 16 + m->offset * 64;
		uint32_t site, class, lock;
		struct rlk_cell cell = {.kind = m->kind};

		if (m->offset == 0)
			continue;
		site = builder_site(&b, base + m->offset, module + 1);
		class = builder_class(&b, RLK_BORN_INIT, m->kind, base + m->offset, module + 1,
			RLK_CONTEXT_SITE(site));
		lock = builder_lock(&b, address, class, m->kind);
		builder_entry(&b, 0, lock, address, m->kind, m->acquired);
		cell.record = lock + 1;
		builder_wait(&cell, m->wait_ns, m->waits);
		builder_add(&b, RLK_CELLS, 1, &cell);
	}
	builder_write(&b, path);
	builder_end(&b);
}

/* Out of line: gcc 12 would take a pointer into the text for one to the variable here. */
static __attribute__((noinline)) char *diff_text(
	const struct diff_options *options, int *status, char **errors)
{
	char *text = NULL, *said = NULL;
	size_t size, said_size;
	FILE *out = open_memstream(&text, &size), *err = open_memstream(&said, &said_size);
	int result = diff_run("a.rlk", "b.rlk", options, out, err);

	fclose(out);
	fclose(err);
	if (status)
		*status = result;
	if (errors)
		*errors = said;
	else
		free(said);
	return text;
}

static cJSON *diff_json(double threshold)
{
	struct diff_options options = {.format = REPORT_JSON, .threshold = threshold};
	int status;
	char *text = diff_text(&options, &status, NULL);
	cJSON *root = cJSON_Parse(text);

	ck_assert_int_eq(status, REPORT_OK);
	ck_assert_msg(root != NULL, "%s", text);
	free(text);
	return root;
}

/* The row of the lock born at an offset. */
static cJSON *row_of(cJSON *root, uint64_t offset)
{
	cJSON *row;
	char part[32];

	snprintf(part, sizeof(part), "+0x%llx", (unsigned long long)offset);
	cJSON_ArrayForEach (row, cJSON_GetObjectItem(root, "classes")) {
		const char *name = cJSON_GetObjectItem(row, "name")->valuestring;

		if (strstr(name, part))
			return row;
	}
	return NULL;
}

static bool has_moved(cJSON *row, const char *what)
{
	const cJSON *item;

	ck_assert_ptr_nonnull(row);
	cJSON_ArrayForEach (item, cJSON_GetObjectItem(row, "moved")) {
		if (strcmp(item->valuestring, what) == 0)
			return true;
	}
	return false;
}

static double number(cJSON *row, const char *key)
{
	const cJSON *item = cJSON_GetObjectItem(row, key);

	ck_assert_msg(item != NULL && cJSON_IsNumber(item), "%s", key);
	return item->valuedouble;
}

static const char *word(cJSON *row, const char *key)
{
	return cJSON_GetObjectItem(row, key)->valuestring;
}

static const struct made plain[] = {
	{0x1000, 10000, 500, 2 * MS, RLK_KIND_MUTEX},
	{0x2000, 20000, 200, MS, RLK_KIND_MUTEX},
	{0x3000, 500, 0, 0, RLK_KIND_SPIN},
};

START_TEST(the_same_at_other_addresses_did_not_move)
{
	cJSON *root;

	write_run("a.rlk", 0x400000, plain, 3, false);
	write_run("b.rlk", 0x7f0000000, plain, 3, true);
	root = diff_json(0.01);
	ck_assert_int_eq(cJSON_GetArraySize(cJSON_GetObjectItem(root, "classes")), 3);
	for (size_t i = 0; i < 3; i++) {
		cJSON *row = row_of(root, plain[i].offset);

		ck_assert_int_eq(cJSON_GetArraySize(cJSON_GetObjectItem(row, "moved")), 0);
		ck_assert_str_eq(word(row, "status"), "both");
		ck_assert_double_eq_tol(number(row, "acquired_a"), (double)plain[i].acquired, 0.5);
		ck_assert_double_eq_tol(number(row, "acquired_b"), (double)plain[i].acquired, 0.5);
	}
	cJSON_Delete(root);
}
END_TEST

START_TEST(what_moved_is_told_apart)
{
	const struct made moved[] = {
		{0x1000, 10000, 500, 4 * MS, RLK_KIND_MUTEX}, /* waits twice as long */
		{0x2000, 20000, 1200, MS, RLK_KIND_MUTEX},    /* more of them */
		{0x3000, 900, 0, 0, RLK_KIND_SPIN},           /* more acquisitions */
	};
	cJSON *root;

	write_run("a.rlk", 0x400000, plain, 3, false);
	write_run("b.rlk", 0x500000, moved, 3, false);
	root = diff_json(0.2);
	ck_assert(has_moved(row_of(root, 0x1000), "wait"));
	ck_assert(has_moved(row_of(root, 0x1000), "p99"));
	ck_assert(!has_moved(row_of(root, 0x1000), "contended"));
	ck_assert(!has_moved(row_of(root, 0x1000), "acquired"));
	ck_assert_double_eq_tol(number(row_of(root, 0x1000), "wait_ratio"), 2, 1e-9);
	ck_assert(has_moved(row_of(root, 0x2000), "wait"));
	ck_assert(has_moved(row_of(root, 0x2000), "contended"));
	ck_assert(!has_moved(row_of(root, 0x2000), "p99"));
	ck_assert(has_moved(row_of(root, 0x3000), "acquired"));
	ck_assert(!has_moved(row_of(root, 0x3000), "wait"));
	ck_assert(cJSON_IsNull(cJSON_GetObjectItem(row_of(root, 0x3000), "wait_ratio")));
	cJSON_Delete(root);
}
END_TEST

START_TEST(thresholds)
{
	const struct made moved[] = {
		{0x1000, 10000, 600, 2 * MS, RLK_KIND_MUTEX}, /* 20 % more waits */
	};
	cJSON *root;

	write_run("a.rlk", 0x400000, plain, 1, false);
	write_run("b.rlk", 0x400000, moved, 1, false);
	root = diff_json(0.19);
	ck_assert(has_moved(row_of(root, 0x1000), "wait"));
	cJSON_Delete(root);
	root = diff_json(0.21);
	ck_assert(!has_moved(row_of(root, 0x1000), "wait"));
	cJSON_Delete(root);
}
END_TEST

/* Ten times as much of next to nothing. */
START_TEST(too_little_to_matter)
{
	const struct made before[] = {{0x1000, 100000, 50, 100, RLK_KIND_MUTEX}};
	const struct made after[] = {{0x1000, 100000, 60, 1000, RLK_KIND_MUTEX}};
	cJSON *root;

	write_run("a.rlk", 0x400000, before, 1, false);
	write_run("b.rlk", 0x400000, after, 1, false);
	root = diff_json(0.2);
	ck_assert_int_eq(cJSON_GetArraySize(cJSON_GetObjectItem(row_of(root, 0x1000), "moved")), 0);
	cJSON_Delete(root);
}
END_TEST

START_TEST(new_and_gone)
{
	const struct made after[] = {plain[0], {0x5000, 70, 0, 0, RLK_KIND_RDLOCK}};
	cJSON *root;

	write_run("a.rlk", 0x400000, plain, 3, false);
	write_run("b.rlk", 0x400000, after, 2, false);
	root = diff_json(0.2);
	ck_assert_str_eq(word(row_of(root, 0x1000), "status"), "both");
	ck_assert_str_eq(word(row_of(root, 0x2000), "status"), "gone");
	ck_assert_str_eq(word(row_of(root, 0x5000), "status"), "new");
	ck_assert_str_eq(word(row_of(root, 0x5000), "kind"), "rwlock");
	ck_assert(cJSON_IsNull(cJSON_GetObjectItem(row_of(root, 0x5000), "acquired_a")));
	ck_assert_double_eq_tol(number(row_of(root, 0x5000), "acquired_b"), 70, 0.5);
	cJSON_Delete(root);
}
END_TEST

START_TEST(most_moved_waiting_comes_first)
{
	const struct made after[] = {
		{0x1000, 10000, 1000, 2 * MS, RLK_KIND_MUTEX}, /* 1 s more */
		{0x2000, 20000, 2200, MS, RLK_KIND_MUTEX},     /* 2 s more */
		plain[2],
	};
	struct diff_options options = {.format = REPORT_TEXT, .threshold = 0.2, .rows = 1};
	char *text, *first;

	write_run("a.rlk", 0x400000, plain, 3, false);
	write_run("b.rlk", 0x400000, after, 3, false);
	text = diff_text(&options, NULL, NULL);
	first = strstr(text, "\n1  ");
	ck_assert_msg(first != NULL, "%s", text);
	ck_assert_ptr_nonnull(strstr(first, "+0x2000"));
	ck_assert_ptr_nonnull(strstr(text, "1 more moved; -n 0 shows all"));
	ck_assert_ptr_nonnull(strstr(text, "1 more did not move by more than 20 %"));
	ck_assert_ptr_nonnull(strstr(text, "\nnext     relock "));
	free(text);
}
END_TEST

START_TEST(csv_has_the_same_columns)
{
	struct diff_options options = {.format = REPORT_CSV, .threshold = 0.2};
	char *text, *line;
	unsigned commas = 0, lines = 0;

	write_run("a.rlk", 0x400000, plain, 3, false);
	write_run("b.rlk", 0x400000, plain, 2, false);
	text = diff_text(&options, NULL, NULL);
	ck_assert(strncmp(text, "name,kind,status,moved,acquired_a,acquired_b,", 45) == 0);
	for (line = strtok(text, "\n"); line; line = strtok(NULL, "\n"), lines++) {
		unsigned found = 0;

		for (const char *p = line; *p; p++)
			found += *p == ',';
		ck_assert(lines == 0 || found == commas);
		commas = found;
	}
	ck_assert_uint_eq(lines, 4);
	free(text);
}
END_TEST

START_TEST(unreadable)
{
	struct diff_options options = {.format = REPORT_TEXT, .threshold = 0.2};
	char *text, *errors;
	int status;

	write_run("a.rlk", 0x400000, plain, 3, false);
	remove("b.rlk");
	text = diff_text(&options, &status, &errors);
	ck_assert_int_eq(status, REPORT_UNREADABLE);
	ck_assert_str_eq(text, "");
	ck_assert_ptr_nonnull(strstr(errors, "b.rlk"));
	free(text);
	free(errors);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("diff");
	TCase *tests = tcase_create("diff");
	SRunner *runner;
	int failed;

	tcase_add_test(tests, the_same_at_other_addresses_did_not_move);
	tcase_add_test(tests, what_moved_is_told_apart);
	tcase_add_test(tests, thresholds);
	tcase_add_test(tests, too_little_to_matter);
	tcase_add_test(tests, new_and_gone);
	tcase_add_test(tests, most_moved_waiting_comes_first);
	tcase_add_test(tests, csv_has_the_same_columns);
	tcase_add_test(tests, unreadable);
	suite_add_tcase(suite, tests);
	tests_enter();
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	tests_leave();
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
