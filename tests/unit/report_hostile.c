/* Damaged and hostile recordings: whatever is in the file, all formats print something and end. */
#include "tests/unit/report_tests.h"

#include <cjson/cJSON.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define FILE_NAME "hostile.rlk"

/* Everything there is to print. JSON has to stay JSON. */
static int print_all(void)
{
	const char *paths[] = {FILE_NAME};
	struct report_options options = {.stacks = true};
	int status, json_status;
	char *text = tests_report(paths, 1, &options, &status, NULL);
	cJSON *json;

	free(text);
	options.format = REPORT_JSON;
	text = tests_report(paths, 1, &options, &json_status, NULL);
	ck_assert_int_eq(status, json_status);
	if (status == REPORT_OK) {
		json = cJSON_Parse(text);
		ck_assert_msg(json != NULL, "no JSON: %s", text);
		cJSON_Delete(json);
	}
	free(text);
	options.format = REPORT_HTML;
	free(tests_report(paths, 1, &options, NULL, NULL));
	options.format = REPORT_CSV;
	options.by = REPORT_BY_CLASS;
	free(tests_report(paths, 1, &options, NULL, NULL));
	return status;
}

static uint64_t sample_used(void)
{
	struct rlk_header h;
	int fd = open(FILE_NAME, O_RDONLY);

	ck_assert_int_eq(read(fd, &h, sizeof h), (ssize_t)sizeof h);
	close(fd);
	return h.used;
}

START_TEST(test_truncated_everywhere)
{
	uint64_t used, last_acquired = 0;
	struct model *m;

	tests_write_sample(FILE_NAME);
	used = sample_used();
	ck_assert_uint_gt(used, 10 * RLK_PAGE);
	for (uint64_t size = RLK_PAGE; size <= used; size += RLK_PAGE) {
		tests_write_sample(FILE_NAME);
		ck_assert_int_eq(truncate(FILE_NAME, (off_t)size), 0);
		ck_assert_int_eq(print_all(), REPORT_OK);
		m = tests_model_of(FILE_NAME);
		ck_assert_int_eq(tests_warned(m, "cut short"), size < used);
		ck_assert_uint_ge(m->total.acquired, last_acquired);
		last_acquired = m->total.acquired;
		model_free(m);
	}
	ck_assert_uint_eq(last_acquired, 1000 + 500 + 90 + 10 + 7);
}
END_TEST

START_TEST(test_truncated_inside_rows)
{
	uint64_t used;

	tests_write_sample(FILE_NAME);
	used = sample_used();
	for (uint64_t size = 0; size < used; size += 997) {
		tests_write_sample(FILE_NAME);
		ck_assert_int_eq(truncate(FILE_NAME, (off_t)size), 0);
		print_all();
	}
}
END_TEST

/* Always the same numbers, so that a failure can be repeated. */
static uint64_t next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

/* A place in the file that was written: bits of the padding between blocks tell nothing. */
static uint64_t random_offset(const unsigned char *image, uint64_t used, uint64_t *state)
{
	for (;;) {
		uint64_t offset = next_random(state) % used;

		if (image[offset] != 0 || next_random(state) % 64 == 0)
			return offset;
	}
}

static unsigned char *read_image(uint64_t used)
{
	unsigned char *image = malloc(used);
	int fd = open(FILE_NAME, O_RDONLY);

	ck_assert_int_eq(read(fd, image, used), (ssize_t)used);
	close(fd);
	return image;
}

static void flip(unsigned char *image, uint64_t used, uint64_t *state)
{
	uint64_t flips = 1 + next_random(state) % 4;

	while (flips-- > 0)
		image[random_offset(image, used, state)] ^=
			(unsigned char)(1u << next_random(state) % 8);
}

#define FLIPPED_FILES 2500

START_TEST(test_bit_flips)
{
	uint64_t used, state = 0x9e3779b97f4a7c15u;
	unsigned char *image, *damaged;
	int fd;

	tests_write_sample(FILE_NAME);
	used = sample_used();
	image = read_image(used);
	damaged = malloc(used);
	fd = open(FILE_NAME, O_RDWR);
	for (int i = 0; i < FLIPPED_FILES; i++) {
		memcpy(damaged, image, used);
		flip(damaged, used, &state);
		ck_assert_int_eq(pwrite(fd, damaged, used, 0), (ssize_t)used);
		print_all();
	}
	close(fd);
	free(image);
	free(damaged);
}
END_TEST

/* Every field of every row at its largest. */
START_TEST(test_all_ones)
{
	uint64_t used;
	unsigned char *image;
	int fd;

	tests_write_sample(FILE_NAME);
	used = sample_used();
	image = read_image(used);
	for (uint64_t page = RLK_PAGE; page < used; page += RLK_PAGE) {
		const struct rlk_block *head = (const struct rlk_block *)(image + page);

		memset(image + page + (head->magic == RLK_BLOCK_MAGIC ? sizeof *head : 0), 0xff,
			RLK_PAGE - sizeof *head);
	}
	fd = open(FILE_NAME, O_RDWR);
	ck_assert_int_eq(pwrite(fd, image, used, 0), (ssize_t)used);
	close(fd);
	free(image);
	ck_assert_int_eq(print_all(), REPORT_OK);
}
END_TEST

static void patch_header(size_t offset, uint64_t value)
{
	int fd = open(FILE_NAME, O_RDWR);

	ck_assert_int_eq(pwrite(fd, &value, sizeof value, (off_t)offset), (ssize_t)sizeof value);
	close(fd);
}

START_TEST(test_used_beyond_everything)
{
	struct model *m;

	tests_write_sample(FILE_NAME);
	patch_header(offsetof(struct rlk_header, used), UINT64_MAX);
	ck_assert_int_eq(print_all(), REPORT_OK);
	m = tests_model_of(FILE_NAME);
	ck_assert(tests_warned(m, "cut short"));
	ck_assert_uint_eq(m->total.acquired, 1607);
	model_free(m);
	patch_header(offsetof(struct rlk_header, used), 0);
	m = tests_model_of(FILE_NAME);
	ck_assert(tests_warned(m, "claims to hold 0 bytes"));
	model_free(m);
}
END_TEST

/* Indices that lead far beyond the tables must not make the reader ask for that much memory. */
START_TEST(test_wild_indices)
{
	struct builder b;
	struct model *m;
	struct rlk_pair pair = {UINT32_MAX, 0, UINT32_MAX, UINT32_MAX - 1, 1, 1, 1};
	struct rlk_cell cell = {.record = UINT32_MAX, .contended = 3};
	struct rlk_thread thread = {.birth_ticks = 5, .shard = UINT32_MAX, .before_acquired = 9};
	struct rlk_stack stack = {.depth = 200};
	struct rlk_record record = {.lock = 1, .class_index = UINT32_MAX, .generations = 1};

	builder_begin(&b);
	tests_fill(&b);
	memset(stack.site, 0xff, sizeof stack.site);
	builder_add(&b, RLK_PAIRS, UINT32_MAX, &pair);
	builder_add(&b, RLK_CELLS, UINT32_MAX, &cell);
	builder_add(&b, RLK_THREADS, 0, &thread);
	builder_add(&b, RLK_STACKS, 0, &stack);
	builder_add(&b, RLK_RECORDS, 0, &record);
	builder_write(&b, FILE_NAME);
	builder_end(&b);
	ck_assert_int_eq(print_all(), REPORT_OK);
	m = tests_model_of(FILE_NAME);
	ck_assert(tests_warned(m, "not described"));
	ck_assert_uint_eq(m->total.counter[COUNT_contended], 30 + 4 + 3);
	model_free(m);
}
END_TEST

static size_t peak_kib(void)
{
	struct rusage usage;

	ck_assert_int_eq(getrusage(RUSAGE_SELF, &usage), 0);
	return (size_t)usage.ru_maxrss;
}

/* Blocks that were never written but for their last row, as far as a file of `used` bytes goes. */
static uint64_t write_far_rows(uint64_t from, uint64_t used)
{
	static const struct {
		enum rlk_block_type type;
		uint16_t size;
		uint64_t key[4];
	} rows[] = {{RLK_MODULES, sizeof(struct rlk_module), {0x10000, 0x20000}},
		{RLK_SITES, sizeof(struct rlk_site), {0x10010}},
		{RLK_STACKS, sizeof(struct rlk_stack), {1}},
		{RLK_CLASSES, sizeof(struct rlk_class), {0x10030, RLK_BORN_INIT}},
		{RLK_RECORDS, sizeof(struct rlk_record), {0x7000, 0, 1ull << 32}},
		{RLK_THREADS, sizeof(struct rlk_thread), {5, 0, 0x7fffull << 32}}};
	size_t count = sizeof rows / sizeof rows[0];
	uint64_t each = (used - from) / count / RLK_PAGE * RLK_PAGE;
	int fd = open(FILE_NAME, O_RDWR);

	for (size_t i = 0; i < count; i++, from += each) {
		struct rlk_block head = {.magic = RLK_BLOCK_MAGIC,
			.type = (uint16_t)rows[i].type,
			.row_size = rows[i].size,
			.self = from,
			.bytes = each,
			.capacity = (uint32_t)((each - sizeof head) / rows[i].size)};
		uint64_t last = from + sizeof head + (uint64_t)(head.capacity - 1) * head.row_size;

		ck_assert_int_eq(pwrite(fd, &head, sizeof head, (off_t)from), (ssize_t)sizeof head);
		ck_assert_int_eq(pwrite(fd, rows[i].key, sizeof rows[i].key, (off_t)last),
			(ssize_t)sizeof rows[i].key);
	}
	ck_assert_int_eq(ftruncate(fd, (off_t)used), 0);
	close(fd);
	return used;
}

/* A file of a few pages that says it is very long must not take memory for what is not in it. */
START_TEST(test_far_rows)
{
	size_t before = peak_kib();
	struct model *m;

	tests_write_sample(FILE_NAME);
	patch_header(offsetof(struct rlk_header, used),
		write_far_rows(sample_used(), (uint64_t)8 << 30));
	m = tests_model_of(FILE_NAME);
	ck_assert_uint_eq(m->total.acquired, 1607);
	ck_assert_uint_eq(m->modules.count, 2);
	ck_assert_uint_eq(m->threads.count, 3);
	model_free(m);
	ck_assert_uint_lt(peak_kib() - before, 100 * 1024);
}
END_TEST

/* Counts that are on their way: one move after the other, in every shard; of those that name one
 * entry the last holds. */
START_TEST(test_many_moves)
{
	struct builder b;
	struct model *m;
	uint64_t entries = RLK_PAGE + BUILDER_STRINGS;

	builder_begin(&b);
	b.rows_per_block = SIZE_MAX;
	builder_class(&b, RLK_BORN_INIT, RLK_KIND_MUTEX, 1, 0, 0);
	builder_lock(&b, 0x7000, 0, RLK_KIND_MUTEX);
	entries += 2 * RLK_PAGE + sizeof(struct rlk_block);
	for (uint32_t i = 0; i < 1000; i++)
		builder_entry(&b, 0, 0, 0x7000, RLK_KIND_MUTEX, 10);
	for (uint64_t i = 0; i < 3000; i++) {
		uint64_t at = entries + i % 500 * 2 * sizeof(struct rlk_entry);
		struct rlk_shard shard = {.state = 1,
			.move = {.from = at,
				.to = at + sizeof(struct rlk_entry),
				.acquired = i < 2500 ? 7 : 21}};

		builder_add(&b, RLK_SHARDS, 1, &shard);
	}
	builder_write(&b, FILE_NAME);
	builder_end(&b);
	m = tests_model_of(FILE_NAME);
	ck_assert_uint_eq(m->total.acquired, 500 * 21);
	model_free(m);
}
END_TEST

Suite *report_hostile_suite(void)
{
	Suite *suite = suite_create("hostile");
	TCase *tests = tcase_create("hostile");

	tcase_set_timeout(tests, 240);
	tcase_add_test(tests, test_truncated_everywhere);
	tcase_add_test(tests, test_truncated_inside_rows);
	tcase_add_test(tests, test_bit_flips);
	tcase_add_test(tests, test_all_ones);
	tcase_add_test(tests, test_used_beyond_everything);
	tcase_add_test(tests, test_wild_indices);
	tcase_add_test(tests, test_far_rows);
	tcase_add_test(tests, test_many_moves);
	suite_add_tcase(suite, tests);
	return suite;
}
