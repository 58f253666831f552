/* Opening recordings, and going through their rows. */
#include "tests/unit/report_tests.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILE_NAME "reader.rlk"

static void patch(const char *path, size_t offset, const void *bytes, size_t length)
{
	int fd = open(path, O_RDWR);

	ck_assert_int_eq(pwrite(fd, bytes, length, (off_t)offset), (ssize_t)length);
	close(fd);
}

/* The sentence with which a sample is refused after its header was changed. */
static const char *refused(size_t offset, uint32_t value)
{
	static char message[512];
	struct notes notes = {0};

	tests_write_sample(FILE_NAME);
	patch(FILE_NAME, offset, &value, sizeof value);
	ck_assert_ptr_null(recording_open(FILE_NAME, &notes, message, sizeof message));
	notes_free(&notes);
	return message;
}

START_TEST(test_header_is_checked)
{
	ck_assert_str_eq(refused(offsetof(struct rlk_header, magic), 0x41414141),
		FILE_NAME ": not a recording of relock");
	ck_assert_str_eq(refused(offsetof(struct rlk_header, version), 7),
		FILE_NAME ": written by a newer relock (format 7, this reads 3)");
	ck_assert_str_eq(refused(offsetof(struct rlk_header, version), 0),
		FILE_NAME ": written by an older relock (format 0, this reads 3)");
	ck_assert_str_eq(refused(offsetof(struct rlk_header, byte_order), 0x04030201),
		FILE_NAME ": recorded on a machine of the other byte order; read it on such a one");
	ck_assert_str_eq(refused(offsetof(struct rlk_header, byte_order), 0x01020305),
		FILE_NAME ": damaged: its byte order mark is 0x01020305");
	ck_assert_str_eq(refused(offsetof(struct rlk_header, word_bits), 32),
		FILE_NAME ": recorded by a 32-bit process; this reads 64-bit recordings");
}
END_TEST

static void expect_refusal(const char *path, const char *sentence)
{
	struct notes notes = {0};
	char message[512];

	ck_assert_ptr_null(recording_open(path, &notes, message, sizeof message));
	ck_assert_ptr_nonnull(strstr(message, sentence));
	notes_free(&notes);
}

START_TEST(test_other_files_are_refused)
{
	int fd = open("empty.rlk", O_RDWR | O_CREAT | O_TRUNC, 0600);

	expect_refusal("empty.rlk", "empty.rlk: empty");
	ck_assert_int_eq(write(fd, "relock\r\n", 8), 8);
	close(fd);
	expect_refusal("empty.rlk", "not a recording: 8 bytes");
	expect_refusal(".", "not a file");
	expect_refusal("missing.rlk", "cannot be opened: No such file");
	/* A pipe without a writer would wait for one. */
	ck_assert_int_eq(mkfifo("pipe.rlk", 0600), 0);
	expect_refusal("pipe.rlk", "not a file");
}
END_TEST

static struct recording *open_good(struct notes *notes)
{
	char message[512] = "";
	struct recording *r = recording_open(FILE_NAME, notes, message, sizeof message);

	ck_assert_msg(r != NULL, "%s", message);
	return r;
}

/* Writes `count` sites with the addresses 1, 2, …, in blocks of `per_block`, with holes between. */
static void write_sites(size_t count, size_t per_block, size_t hole_pages)
{
	struct builder b;

	builder_begin(&b);
	b.rows_per_block = per_block;
	b.hole_pages = hole_pages;
	for (size_t i = 0; i < count; i++)
		builder_site(&b, i + 1, 0);
	builder_write(&b, FILE_NAME);
	builder_end(&b);
}

static void expect_sites(size_t count)
{
	struct notes notes = {0};
	struct recording *r = open_good(&notes);
	struct rows rows;
	const struct rlk_site *site;
	size_t seen = 0;

	rows_begin(&rows, r, RLK_SITES);
	while ((site = rows_next(&rows))) {
		ck_assert_uint_eq(site->address, ++seen);
		ck_assert_uint_eq(rows.index, seen - 1);
	}
	ck_assert_uint_eq(seen, count);
	ck_assert_uint_eq(notes.count, 0);
	recording_close(r);
	notes_free(&notes);
}

START_TEST(test_rows_go_over_blocks_and_holes)
{
	static const size_t cases[][3] = {
		{0, 10, 0}, {1, 10, 0}, {25, 10, 0}, {25, 10, 3}, {1000, 1, 1}, {50000, 20000, 2}};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		write_sites(cases[i][0], cases[i][1], cases[i][2]);
		expect_sites(cases[i][0]);
	}
}
END_TEST

/* A block whose capacity is far beyond what was written, as tables of the recorder have it. */
START_TEST(test_unwritten_rows_are_skipped)
{
	struct notes notes = {0};
	struct builder b;
	struct recording *r;
	struct rows rows;
	struct rlk_block head = {.magic = RLK_BLOCK_MAGIC,
		.type = RLK_SITES,
		.row_size = sizeof(struct rlk_site),
		.self = RLK_PAGE + BUILDER_STRINGS,
		.bytes = 1ull << 40};
	struct rlk_site row = {.address = 42};
	uint64_t used = head.self + head.bytes, at = 1000000000;
	const struct rlk_site *site;
	size_t found = 0, asked = 0;

	head.capacity = UINT32_MAX;
	builder_begin(&b);
	b.header.capacity = used;
	builder_write(&b, FILE_NAME);
	builder_end(&b);
	patch(FILE_NAME, head.self, &head, sizeof head);
	patch(FILE_NAME, head.self + sizeof head + at * sizeof row, &row, sizeof row);
	patch(FILE_NAME, offsetof(struct rlk_header, used), &used, sizeof used);
	r = open_good(&notes);
	rows_begin(&rows, r, RLK_SITES);
	while ((site = rows_next(&rows))) {
		asked++;
		if (site->address == 42 && rows.index == at)
			found++;
	}
	ck_assert_uint_eq(found, 1);
	/* Where the file system tells holes, hardly any row was looked at. */
	if (lseek(r->fd, (off_t)head.self + RLK_PAGE, SEEK_DATA) > (off_t)head.self + RLK_PAGE)
		ck_assert_uint_lt(asked, 1000000);
	recording_close(r);
	notes_free(&notes);
}
END_TEST

START_TEST(test_longer_rows_are_read_by_their_beginning)
{
	struct notes notes = {0};
	struct recording *r;
	struct rows rows;
	struct {
		struct rlk_block head;
		struct {
			struct rlk_site site;
			uint64_t later;
		} row[3];
	} block = {.head = {RLK_BLOCK_MAGIC, RLK_SITES, sizeof block.row[0],
			   RLK_PAGE + BUILDER_STRINGS, RLK_PAGE, 3},
		.row = {{{1, 0, 0}, 9}, {{2, 0, 0}, 9}, {{3, 0, 0}, 9}}};
	uint64_t used = block.head.self + block.head.bytes;
	struct builder b;
	const struct rlk_site *site;
	uint64_t sum = 0;

	builder_begin(&b);
	builder_write(&b, FILE_NAME);
	builder_end(&b);
	patch(FILE_NAME, block.head.self, &block, sizeof block);
	patch(FILE_NAME, offsetof(struct rlk_header, used), &used, sizeof used);
	r = open_good(&notes);
	rows_begin(&rows, r, RLK_SITES);
	while ((site = rows_next(&rows)))
		sum += site->address;
	ck_assert_uint_eq(sum, 6);
	recording_close(r);
	notes_free(&notes);
}
END_TEST

START_TEST(test_texts_are_checked)
{
	struct notes notes = {0};
	struct recording *r;
	uint64_t end = RLK_PAGE + BUILDER_STRINGS;
	char *text;

	tests_write_sample(FILE_NAME);
	r = open_good(&notes);
	text = recording_text(r, r->header.program);
	ck_assert_str_eq(text, "/usr/bin/prog");
	free(text);
	ck_assert_ptr_null(recording_text(r, (struct rlk_text){0, 0}));
	ck_assert_uint_eq(notes.count, 0);
	ck_assert_ptr_null(recording_text(r, (struct rlk_text){0, 8}));
	ck_assert_ptr_null(recording_text(r, (struct rlk_text){end - 1, 2}));
	ck_assert_ptr_null(recording_text(r, (struct rlk_text){end, 1}));
	ck_assert_ptr_null(recording_text(r, (struct rlk_text){RLK_PAGE + 64, UINT64_MAX}));
	ck_assert_ptr_null(recording_text(r, (struct rlk_text){UINT64_MAX, UINT64_MAX}));
	ck_assert_uint_eq(notes.count, 1);
	recording_close(r);
	notes_free(&notes);
}
END_TEST

START_TEST(test_notes_are_bounded)
{
	struct notes notes = {0};

	for (int i = 0; i < 10000; i++)
		notes_add(&notes, "sentence %d", i);
	notes_add(&notes, "sentence 3");
	ck_assert_uint_eq(notes.count, NOTES_MAX + 1);
	ck_assert_str_eq(notes.text[NOTES_MAX], "9936 more warnings");
	notes_free(&notes);
}
END_TEST

Suite *report_reader_suite(void)
{
	Suite *suite = suite_create("reader");
	TCase *tests = tcase_create("reader");

	tcase_set_timeout(tests, 20);
	tcase_add_test(tests, test_header_is_checked);
	tcase_add_test(tests, test_other_files_are_refused);
	tcase_add_test(tests, test_rows_go_over_blocks_and_holes);
	tcase_add_test(tests, test_unwritten_rows_are_skipped);
	tcase_add_test(tests, test_longer_rows_are_read_by_their_beginning);
	tcase_add_test(tests, test_texts_are_checked);
	tcase_add_test(tests, test_notes_are_bounded);
	suite_add_tcase(suite, tests);
	return suite;
}
