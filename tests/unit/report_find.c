/* Finding recordings, and noting how a run ended. */
#include "tests/unit/report_tests.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static void set_age(const char *path, time_t seconds)
{
	struct timespec times[2] = {{.tv_sec = seconds}, {.tv_sec = seconds}};

	ck_assert_int_eq(utimensat(AT_FDCWD, path, times, 0), 0);
}

START_TEST(test_newest)
{
	char path[PATH_MAX];

	ck_assert_int_eq(mkdir("newest", 0700), 0);
	ck_assert(!report_newest("newest", path, sizeof path));
	ck_assert(!report_newest("missing", path, sizeof path));
	tests_write_sample("newest/a.rlk");
	tests_write_sample("newest/b.rlk");
	tests_write_sample("newest/c.txt");
	ck_assert_int_eq(mkdir("newest/d.rlk", 0700), 0);
	set_age("newest/a.rlk", 2000);
	set_age("newest/b.rlk", 1000);
	ck_assert(report_newest("newest", path, sizeof path));
	ck_assert_str_eq(path, "newest/a.rlk");
	set_age("newest/b.rlk", 3000);
	ck_assert(report_newest("newest", path, sizeof path));
	ck_assert_str_eq(path, "newest/b.rlk");
	ck_assert(!report_newest("newest", path, 5));
}
END_TEST

static void write_run(const char *path, const char *run_id, int pid, uint64_t waited)
{
	struct builder b;
	struct rlk_cell cell = {.record = 1, .wait_total = waited};

	builder_begin(&b);
	b.header.run_id = builder_text(&b, run_id);
	b.header.pid = pid;
	builder_add(&b, RLK_CELLS, 1, &cell);
	builder_write(&b, path);
	builder_end(&b);
}

START_TEST(test_find_run)
{
	struct report_found *found;

	ck_assert_int_eq(mkdir("runs", 0700), 0);
	write_run("runs/a.rlk", "mine", 1, 100);
	write_run("runs/b.rlk", "mine", 2, 5000);
	write_run("runs/c.rlk", "other", 3, 9000);
	write_run("runs/d.rlk", "mine-too", 4, 9000);
	ck_assert_uint_eq(report_find_run("runs", "mine", &found), 2);
	ck_assert_str_eq(found[0].path, "runs/b.rlk");
	ck_assert_int_eq(found[0].pid, 2);
	ck_assert_uint_eq(found[0].waited_ns, 5000);
	ck_assert_str_eq(found[1].path, "runs/a.rlk");
	free(found);
	ck_assert_uint_eq(report_find_run("runs", "nobody's", &found), 0);
	ck_assert_ptr_null(found);
}
END_TEST

START_TEST(test_note_run)
{
	struct rusage usage = {.ru_utime = {3, 500000}, .ru_stime = {1, 0}, .ru_maxrss = 4242};
	struct rlk_header before, after;
	int fd;

	tests_write_sample("noted.rlk");
	fd = open("noted.rlk", O_RDONLY);
	ck_assert_int_eq(pread(fd, &before, sizeof before, 0), (ssize_t)sizeof before);
	ck_assert(report_note_run("noted.rlk", W_EXITCODE(3, 0), &usage, 7000));
	ck_assert_int_eq(pread(fd, &after, sizeof after, 0), (ssize_t)sizeof after);
	close(fd);
	ck_assert_uint_eq(after.run_valid, 1);
	ck_assert_int_eq(WEXITSTATUS(after.run_status), 3);
	ck_assert_uint_eq(after.run_wall_ns, 7000);
	ck_assert_uint_eq(after.run_user_ns, 3500000000);
	ck_assert_uint_eq(after.run_system_ns, 1000000000);
	ck_assert_uint_eq(after.run_max_rss_kib, 4242);
	/* Nothing else was touched. */
	after.run_valid = before.run_valid;
	after.run_status = before.run_status;
	after.run_wall_ns = before.run_wall_ns;
	after.run_user_ns = before.run_user_ns;
	after.run_system_ns = before.run_system_ns;
	after.run_max_rss_kib = before.run_max_rss_kib;
	ck_assert_mem_eq(&before, &after, sizeof before);
}
END_TEST

START_TEST(test_note_run_refuses)
{
	struct rusage usage = {0};
	int fd = open("text.rlk", O_RDWR | O_CREAT, 0600);

	ck_assert_int_eq(write(fd, "hello", 5), 5);
	close(fd);
	ck_assert(!report_note_run("text.rlk", 0, &usage, 0));
	ck_assert_int_eq(errno, EINVAL);
	ck_assert(!report_note_run("missing.rlk", 0, &usage, 0));
	ck_assert_int_eq(errno, ENOENT);
}
END_TEST

START_TEST(test_a_directory_is_all_its_recordings)
{
	const char *path = "directory", *nothing = "nothing";
	struct report_options options = {.format = REPORT_CSV, .by = REPORT_BY_THREAD};
	char *text, *errors;
	int status;

	ck_assert_int_eq(mkdir("directory", 0700), 0);
	ck_assert_int_eq(mkdir("nothing", 0700), 0);
	tests_write_sample("directory/a.rlk");
	tests_write_sample("directory/b.rlk");
	text = tests_report(&path, 1, &options, &status, NULL);
	ck_assert_int_eq(status, REPORT_OK);
	ck_assert_ptr_nonnull(strstr(text, "\nfirst,11,1,"));
	free(text);
	text = tests_report(&nothing, 1, &options, &status, &errors);
	ck_assert_int_eq(status, REPORT_UNREADABLE);
	ck_assert_str_eq(errors, "relock: nothing: no recording (*.rlk) in this directory\n");
	free(errors);
	free(text);
}
END_TEST

Suite *report_find_suite(void)
{
	Suite *suite = suite_create("find");
	TCase *tests = tcase_create("find");

	tcase_add_test(tests, test_newest);
	tcase_add_test(tests, test_find_run);
	tcase_add_test(tests, test_note_run);
	tcase_add_test(tests, test_note_run_refuses);
	tcase_add_test(tests, test_a_directory_is_all_its_recordings);
	suite_add_tcase(suite, tests);
	return suite;
}
