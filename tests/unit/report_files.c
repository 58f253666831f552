/* The files behind the modules of a recording, whatever the recording names: names are missing, a
 * warning says why, and the report goes on. */
#include "stats/report/helper.h"
#include "stats/report/symbols.h"
#include "tests/unit/report_tests.h"

#include <elf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#define FILE_NAME "files.rlk"

/* The corpus' files (tests/fuzz/make-elf): work() is at the end of the code from 0x1000 on, the
 * variable table_lock at the beginning of the data. */
#define CODE 0x1034
#define DATA 0x2000

/* Each test makes files of its own. */
static void setup(void)
{
	char directory[] = "files-XXXXXX";

	ck_assert_ptr_nonnull(mkdtemp(directory));
	ck_assert_int_eq(chdir(directory), 0);
}

struct asked {
	struct model *model;
	struct symbols *symbols;
};

/* A recording with these modules, relative to the tests' directory, and a site in each. */
static struct asked ask_about(const char *const *names, uint32_t count)
{
	struct builder b;
	struct asked asked;

	builder_begin(&b);
	for (uint32_t i = 0; i < count; i++) {
		char path[4096];
		uint64_t start = 0x10000 * (i + 1);

		ck_assert_ptr_nonnull(getcwd(path, sizeof path / 2));
		strcat(strcat(path, "/"), names[i]);
		builder_module(&b, names[i][0] == '/' ? names[i] : path, start, start + 0x10000);
		builder_site(&b, start + CODE, i + 1);
	}
	builder_write(&b, FILE_NAME);
	builder_end(&b);
	asked.model = tests_model_of(FILE_NAME);
	asked.symbols = symbols_new(asked.model);
	return asked;
}

static void done(struct asked *asked)
{
	symbols_free(asked->symbols);
	model_free(asked->model);
}

/* The function that others may be inlined into there. */
static const char *function(const struct asked *asked, uint32_t site)
{
	const struct frames *frames = symbols_site(asked->symbols, site);

	return frames->frame[frames->count - 1].function;
}

static void copy(const char *name, const char *as)
{
	char path[4096], bytes[65536];
	ssize_t size;
	int from, to;

	snprintf(path, sizeof path, "%s/%s", REPORT_ELF_FILES, name);
	from = open(path, O_RDONLY);
	to = open(as, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	size = read(from, bytes, sizeof bytes);
	ck_assert_int_gt(size, 0);
	ck_assert_int_eq(write(to, bytes, (size_t)size), size);
	close(from);
	close(to);
}

static void write_file(const char *name, const void *bytes, size_t size, off_t length)
{
	int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	ck_assert_int_eq(write(fd, bytes, size), (ssize_t)size);
	ck_assert_int_eq(ftruncate(fd, length), 0);
	close(fd);
}

START_TEST(test_names_of_the_corpus)
{
	static const char *const names[] = {"dwarf5", "plain", "debugdata"};
	struct variable_name name;
	struct asked asked;

	for (size_t i = 0; i < 3; i++)
		copy(names[i], names[i]);
	asked = ask_about(names, 3);
	for (uint32_t i = 0; i < 3; i++)
		ck_assert_str_eq(function(&asked, i), "work");
	ck_assert_uint_eq(symbols_site(asked.symbols, 0)->count, 2);
	ck_assert_ptr_nonnull(strstr(symbols_site(asked.symbols, 0)->frame[0].file, "a.c"));
	ck_assert(symbols_variable(asked.symbols, 0, DATA, &name));
	ck_assert_str_eq(name.whole, "table_lock");
	free(name.whole);
	free(name.family);
	ck_assert_uint_eq(asked.model->notes.count, 0);
	done(&asked);
}
END_TEST

/* As in "relock report <&- >&-": the helper's socket takes their place. */
START_TEST(test_closed_streams)
{
	static const char *const names[] = {"plain"};
	struct asked asked;

	copy("plain", "plain");
	close(STDIN_FILENO);
	close(STDOUT_FILENO);
	asked = ask_about(names, 1);
	ck_assert_str_eq(function(&asked, 0), "work");
	done(&asked);
}
END_TEST

static void make_socket(const char *path)
{
	struct sockaddr_un name = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	strcpy(name.sun_path, path);
	ck_assert_int_eq(bind(fd, (struct sockaddr *)&name, sizeof name), 0);
	close(fd);
}

START_TEST(test_what_is_no_file)
{
	static const char *const names[] = {"fifo", "directory", "socket", "/dev/zero", "loop"};
	struct asked asked;

	ck_assert_int_eq(mkfifo("fifo", 0600), 0);
	ck_assert_int_eq(mkdir("directory", 0700), 0);
	make_socket("socket");
	ck_assert_int_eq(symlink("loop", "loop"), 0);
	asked = ask_about(names, 5);
	for (uint32_t i = 0; i < 5; i++)
		ck_assert(!symbols_site(asked.symbols, i)->frame[0].known);
	ck_assert(tests_warned(asked.model, "fifo: is not a regular file"));
	ck_assert(tests_warned(asked.model, "directory: is not a regular file"));
	ck_assert(tests_warned(asked.model, "socket: is not a regular file"));
	ck_assert(tests_warned(asked.model, "/dev/zero: is not a regular file"));
	ck_assert(tests_warned(asked.model, "loop: cannot be read"));
	ck_assert_uint_eq(asked.model->notes.count, 5);
	done(&asked);
}
END_TEST

START_TEST(test_other_content)
{
	static const char *const names[] = {"empty", "gzip", "archive", "huge", "sparse", "cut"};
	static const unsigned char header[64] = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB,
		1, [16] = ET_DYN, [18] = EM_X86_64, [20] = 1, [41] = 1, [52] = 64, [58] = 64,
		[60] = 0xff, [61] = 0xfe};
	struct asked asked;

	write_file("empty", "", 0, 0);
	write_file("gzip", "\x1f\x8b\x08", 3, 4096);
	write_file("archive", "!<arch>\n", 8, 4096);
	write_file("huge", header, sizeof header, (off_t)1 << 42);
	write_file("sparse", header, sizeof header, (off_t)4 << 30);
	copy("truncated-header", "cut");
	asked = ask_about(names, 6);
	for (uint32_t i = 0; i < 6; i++)
		ck_assert(!symbols_site(asked.symbols, i)->frame[0].known);
	ck_assert(tests_warned(asked.model, "empty: is not an ELF file"));
	ck_assert(tests_warned(asked.model, "gzip: is not an ELF file"));
	ck_assert(tests_warned(asked.model, "archive: is not an ELF file"));
	ck_assert(tests_warned(asked.model, "huge: is larger than 4 GiB"));
	ck_assert(tests_warned(asked.model, "cut: cannot be read"));
	done(&asked);
}
END_TEST

/* Mapped, and then no longer there: that ends a process, but not this one. */
START_TEST(test_cut_while_it_is_read)
{
	static const char *const names[] = {"dwarf5", "plain"};
	struct variable_name name;
	struct asked asked;

	copy("dwarf5", "dwarf5");
	copy("plain", "plain");
	asked = ask_about(names, 2);
	ck_assert(symbols_variable(asked.symbols, 0, DATA, &name));
	free(name.whole);
	free(name.family);
	ck_assert_int_eq(truncate("dwarf5", 0), 0);
	ck_assert_str_eq(function(&asked, 0), "dwarf5+0x1034");
	ck_assert(tests_warned(asked.model, "dwarf5: is damaged"));
	ck_assert_str_eq(function(&asked, 1), "work");
	done(&asked);
}
END_TEST

START_TEST(test_vanishes)
{
	static const char *const names[] = {"plain"};
	struct asked asked;

	copy("plain", "plain");
	asked = ask_about(names, 1);
	ck_assert_int_eq(unlink("plain"), 0);
	ck_assert_str_eq(function(&asked, 0), "plain+0x1034");
	ck_assert(tests_warned(asked.model, "plain: cannot be read"));
	done(&asked);
}
END_TEST

/* Debug information that is said to be in a pipe nobody writes into. */
START_TEST(test_debug_information_in_a_fifo)
{
	static const char *const names[] = {"debuglink"};
	struct asked asked;

	copy(names[0], names[0]);
	ck_assert_int_eq(mkfifo("debug-only", 0600), 0);
	asked = ask_about(names, 1);
	ck_assert_str_eq(function(&asked, 0), "work");
	ck_assert_ptr_null(symbols_site(asked.symbols, 0)->frame[0].file);
	ck_assert_uint_eq(asked.model->notes.count, 0);
	done(&asked);
}
END_TEST

/* A copy, names in whose debug information are said to be in another file, of this directory. */
static void copy_alt(const char *as, const char *file)
{
	static const char old[] = "debug-information-that-is-in-a-file-of-its-own";
	char bytes[65536], path[4096];
	int fd;
	ssize_t size;
	char *name;

	copy("alt", as);
	fd = open(as, O_RDWR);
	size = read(fd, bytes, sizeof bytes);
	name = memmem(bytes, (size_t)size, old, sizeof old);
	ck_assert_ptr_nonnull(name);
	ck_assert_ptr_nonnull(getcwd(path, sizeof path / 2));
	strcat(strcat(path, "/"), file);
	ck_assert_uint_lt(strlen(path), sizeof old);
	ck_assert_int_eq(
		pwrite(fd, path, strlen(path) + 1, name - bytes), (ssize_t)strlen(path) + 1);
	close(fd);
}

/* The same where only elfutils comes upon it: the helper process waits, and is ended. */
START_TEST(test_names_in_a_fifo)
{
	static const char *const names[] = {"alt", "plain", "alt-again", "later"};
	struct asked asked;

	for (size_t i = 0; i < 4; i += 2) {
		copy_alt(names[i], "fifo");
		copy("plain", names[i + 1]);
	}
	ck_assert_int_eq(mkfifo("fifo", 0600), 0);
	helper_limits.question_s = 1;
	helper_limits.deaths = 2;
	asked = ask_about(names, 4);
	ck_assert_str_eq(function(&asked, 0), "alt+0x1034");
	ck_assert(tests_warned(asked.model, "alt: takes too long to read"));
	ck_assert_str_eq(function(&asked, 1), "work");
	ck_assert_str_eq(function(&asked, 2), "alt-again+0x1034");
	ck_assert(tests_warned(asked.model, "went wrong too often"));
	ck_assert_str_eq(function(&asked, 3), "later+0x1034");
	done(&asked);
}
END_TEST

static void expect_no_name(const char *warning)
{
	static const char *const names[] = {"dwarf5"};
	struct asked asked;

	copy("dwarf5", "dwarf5");
	asked = ask_about(names, 1);
	ck_assert_str_eq(function(&asked, 0), "dwarf5+0x1034");
	ck_assert(tests_warned(asked.model, warning));
	done(&asked);
}

START_TEST(test_no_memory_for_names)
{
	helper_limits.memory = 0;
	expect_no_name("dwarf5: ");
}
END_TEST

START_TEST(test_no_time_for_names)
{
	helper_limits.cpu_s = 0;
	expect_no_name("takes too long");
}
END_TEST

START_TEST(test_too_many_names)
{
	static const char *const names[] = {"dwarf5", "plain"};
	struct asked asked;

	copy("dwarf5", "dwarf5");
	copy("plain", "plain");
	helper_limits.names = 1;
	asked = ask_about(names, 2);
	ck_assert_str_eq(function(&asked, 0), "work");
	ck_assert_str_eq(function(&asked, 1), "plain+0x1034");
	ck_assert(tests_warned(asked.model, "too many names"));
	done(&asked);
}
END_TEST

Suite *report_files_suite(void)
{
	Suite *suite = suite_create("files");
	TCase *tests = tcase_create("files");

	tcase_add_checked_fixture(tests, setup, NULL);
	tcase_set_timeout(tests, 60);
	tcase_add_test(tests, test_names_of_the_corpus);
	tcase_add_test(tests, test_closed_streams);
	tcase_add_test(tests, test_what_is_no_file);
	tcase_add_test(tests, test_other_content);
	tcase_add_test(tests, test_cut_while_it_is_read);
	tcase_add_test(tests, test_vanishes);
	tcase_add_test(tests, test_debug_information_in_a_fifo);
	tcase_add_test(tests, test_names_in_a_fifo);
	tcase_add_test(tests, test_no_memory_for_names);
	tcase_add_test(tests, test_no_time_for_names);
	tcase_add_test(tests, test_too_many_names);
	suite_add_tcase(suite, tests);
	return suite;
}
