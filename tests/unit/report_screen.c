/* The text report. */
#include "tests/unit/report_tests.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#define FILE_NAME "screen.rlk"

static char *screen(struct report_options options)
{
	const char *path = FILE_NAME;

	setenv("LC_ALL", "C.UTF-8", 1);
	return tests_report(&path, 1, &options, NULL, NULL);
}

static void expect(const char *text, const char *part)
{
	ck_assert_msg(strstr(text, part) != NULL, "no \"%s\" in:\n%s", part, text);
}

static void expect_not(const char *text, const char *part)
{
	ck_assert_msg(strstr(text, part) == NULL, "\"%s\" in:\n%s", part, text);
}

START_TEST(test_whole_screen)
{
	char *text;

	tests_write_sample(FILE_NAME);
	text = screen((struct report_options){0});
	expect(text, "relock · prog · pid 4121 · ended · policy spin-park (spins=100)\n");
	expect(text, "wall 1.00 s · cpu 1.00 s · 2 threads on 4 CPUs (0.5 per CPU)\n");
	expect(text, "waited 3.02 ms, 0.2% of thread time · 720 µs of CPU burnt waiting, 300 µs in "
		     "yields\n");
	expect(text, "\n1  libmade-up.so+0x30");
	expect(text, "98/0/0/0/2");
	expect(text, "rwlock");
	expect(text, "write");
	expect(text, "libmade-up.so+0x10  ←  libmade-up.so+0x20");
	expect(text, "sched_yield");
	expect(text, "covered  3 of 3 locks; nothing dropped\n");
	expect(text, "\nnext     relock report --stacks screen.rlk\n");
	expect_not(text, "\033");
	free(text);
}
END_TEST

START_TEST(test_rest_row_and_stacks)
{
	char *text;

	tests_write_sample(FILE_NAME);
	text = screen((struct report_options){.rows = 1, .stacks = true});
	expect(text, "…  2 more locks");
	expect(text, "      3.0 ms in 30 waits at\n"
		     "             libmade-up.so+0x10\n"
		     "             libmade-up.so+0x20\n");
	free(text);
	text = screen((struct report_options){.rows = 1, .by = REPORT_BY_CLASS});
	expect(text, "…  2 more classes");
	free(text);
}
END_TEST

START_TEST(test_by_site_and_thread)
{
	char *text;

	tests_write_sample(FILE_NAME);
	text = screen((struct report_options){.by = REPORT_BY_SITE});
	expect(text, "made others wait");
	expect(text, "1  libmade-up.so+0x10     30  3.0 ms  99.3%");
	free(text);
	text = screen((struct report_options){.by = REPORT_BY_THREAD});
	expect(text, "\n1  first    11   1.0 s      1097");
	free(text);
}
END_TEST

START_TEST(test_ascii_only_where_the_locale_is)
{
	const char *path = FILE_NAME;
	struct report_options options = {0};
	char *text;

	tests_write_sample(FILE_NAME);
	setenv("LC_ALL", "C", 1);
	text = tests_report(&path, 1, &options, NULL, NULL);
	for (const char *p = text; *p; p++)
		ck_assert_msg((unsigned char)*p < 0x80, "beyond ASCII: %s", p);
	expect(text, "##########");
	expect(text, "<-");
	free(text);
}
END_TEST

START_TEST(test_color_only_on_verdicts)
{
	struct builder b;
	char *text;

	builder_begin(&b);
	b.header.delegate_all = 1;
	builder_write(&b, FILE_NAME);
	builder_end(&b);
	text = screen((struct report_options){.color = REPORT_COLOR_ALWAYS});
	expect(text, "\n\033[33mwarning\033[0m  this glibc's");
	free(text);
	text = screen((struct report_options){.color = REPORT_COLOR_AUTO});
	expect(text, "\nwarning  this glibc's");
	free(text);
}
END_TEST

START_TEST(test_nothing_waited_for)
{
	struct builder b;
	char *text;

	builder_begin(&b);
	builder_class(&b, RLK_BORN_INIT, RLK_KIND_MUTEX, 0x10, 0, 0);
	builder_lock(&b, 0x7000, 0, RLK_KIND_MUTEX);
	builder_entry(&b, 0, 0, 0x7000, RLK_KIND_MUTEX, 9210000);
	builder_write(&b, FILE_NAME);
	builder_end(&b);
	text = screen((struct report_options){0});
	expect(text, "no lock was waited for; 9.21M acquisitions of 1 lock\n");
	expect(text, "invisible to relock");
	expect_not(text, "no contention");
	expect(text, "next     relock doctor /usr/bin/prog\n");
	free(text);
}
END_TEST

START_TEST(test_names_cannot_steer_the_terminal)
{
	struct builder b;
	char *text;

	builder_begin(&b);
	b.header.program = builder_text(&b, "/tmp/\033]0;title\007\r\nevil");
	builder_write(&b, FILE_NAME);
	builder_end(&b);
	for (int format = REPORT_TEXT; format < REPORT_FORMATS; format++) {
		text = screen((struct report_options){.format = format});
		expect_not(text, "\033");
		expect_not(text, "\007");
		free(text);
	}
	text = screen((struct report_options){0});
	expect(text, "\\x1b]0;title\\x07\\x0d\\x0aevil");
	free(text);
}
END_TEST

START_TEST(test_ends)
{
	struct builder b;
	char *text;

	builder_begin(&b);
	b.header.end = RLK_RUNNING;
	b.header.latest[0] = (struct rlk_calibration){2001000, 2001000};
	builder_write(&b, FILE_NAME);
	text = screen((struct report_options){0});
	expect(text, " · running, or ended by a signal or _exit · ");
	expect(text, "wall at least 2.00 ms · cpu not known");
	free(text);
	b.header.run_valid = 1;
	b.header.run_status = W_EXITCODE(0, SIGKILL);
	b.header.run_wall_ns = 5000000000;
	builder_write(&b, FILE_NAME);
	text = screen((struct report_options){0});
	expect(text, " · killed by signal 9 (Killed) · ");
	expect(text, "wall 5.00 s · ");
	free(text);
	b.header.run_status = W_EXITCODE(3, 0);
	builder_write(&b, FILE_NAME);
	text = screen((struct report_options){0});
	expect(text, " · exit 3 · ");
	free(text);
	builder_end(&b);
}
END_TEST

START_TEST(test_policies_that_differ)
{
	struct builder b;
	char *text;

	builder_begin(&b);
	b.header.policy[RLK_KIND_SPIN] = builder_text(&b, "native");
	builder_write(&b, FILE_NAME);
	text = screen((struct report_options){0});
	expect(text,
		"· mutex spin-park (spins=100) · spin native · rwlock spin-park (spins=100)\n");
	free(text);
	builder_end(&b);
}
END_TEST

START_TEST(test_several_recordings)
{
	const char *paths[] = {FILE_NAME, "other.rlk"};
	struct report_options options = {0};
	struct builder b;
	char *text;

	tests_write_sample(FILE_NAME);
	builder_begin(&b);
	tests_fill(&b);
	builder_write(&b, "other.rlk");
	setenv("LC_ALL", "C.UTF-8", 1);
	text = tests_report(paths, 2, &options, NULL, NULL);
	expect(text, "relock · 2 recordings of prog · policy spin-park (spins=100)\n");
	expect(text, "4 threads on 4 CPUs");
	expect(text, "relock report --stacks screen.rlk other.rlk\n");
	free(text);
	b.header.policy[RLK_KIND_SPIN] = builder_text(&b, "spin");
	builder_write(&b, "other.rlk");
	builder_end(&b);
	text = tests_report(paths, 2, &options, NULL, NULL);
	expect(text, "relock · 2 recordings of prog · different policies\n");
	free(text);
}
END_TEST

START_TEST(test_losses_and_delegation)
{
	struct builder b;
	struct rlk_record record = {
		.lock = 0x9000, .generations = 1, .flags = RLK_LOCK_DELEGATED | RLK_LOCK_ROBUST};
	char *text;

	builder_begin(&b);
	tests_fill(&b);
	builder_add(&b, RLK_RECORDS, 0, &record);
	b.header.lost.pairs_dropped = 17;
	builder_write(&b, FILE_NAME);
	builder_end(&b);
	text = screen((struct report_options){0});
	expect(text, "covered  3 of 4 locks; 1 left to glibc (1 robust)\n");
	expect(text, "in part  17 waits whose pair of sites was not kept\n");
	expect_not(text, "nothing dropped");
	free(text);
}
END_TEST

START_TEST(test_unknown_key)
{
	const char *path = FILE_NAME;
	struct report_options options = {.key = "waits"};
	char *errors;
	int status;

	tests_write_sample(FILE_NAME);
	free(tests_report(&path, 1, &options, &status, &errors));
	ck_assert_int_eq(status, REPORT_BAD_OPTION);
	expect(errors,
		"cannot be sorted by \"waits\"; did you mean \"wait\"; it can by wait, acquired");
	free(errors);
	options = (struct report_options){.key = "hold", .by = REPORT_BY_THREAD};
	free(tests_report(&path, 1, &options, &status, &errors));
	ck_assert_int_eq(status, REPORT_BAD_OPTION);
	expect(errors, "a table by thread cannot be sorted by \"hold\"");
	free(errors);
}
END_TEST

START_TEST(test_sorting)
{
	static const struct {
		const char *key, *first;
	} cases[] = {{"wait", "0x7000"}, {"acquired", "0x7000"}, {"contended", "0x7000"},
		{"max", "0x7000"}, {"hold", "0x7000"}};
	const char *path = FILE_NAME;

	tests_write_sample(FILE_NAME);
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct report_options options = {
			.format = REPORT_CSV, .key = cases[i].key, .rows = 1};
		char *text = tests_report(&path, 1, &options, NULL, NULL);

		expect(text, cases[i].first);
		free(text);
	}
	for (size_t i = 0; report_key_names[i]; i++)
		ck_assert_ptr_nonnull(report_key_help(i));
}
END_TEST

START_TEST(test_unreadable)
{
	const char *paths[] = {"missing.rlk", FILE_NAME};
	struct report_options options = {0};
	char *errors, *text;
	int status;

	text = tests_report(paths, 1, &options, &status, &errors);
	ck_assert_int_eq(status, REPORT_UNREADABLE);
	expect(errors, "relock: missing.rlk: cannot be opened");
	ck_assert_str_eq(text, "");
	free(errors);
	free(text);
	/* One that can be read is enough. */
	tests_write_sample(FILE_NAME);
	text = tests_report(paths, 2, &options, &status, &errors);
	ck_assert_int_eq(status, REPORT_OK);
	expect(errors, "missing.rlk");
	free(errors);
	free(text);
}
END_TEST

START_TEST(test_own_last_line)
{
	char *text;

	tests_write_sample(FILE_NAME);
	text = screen((struct report_options){.next = "relock top 1"});
	expect(text, "\nnext     relock top 1\n");
	free(text);
	text = screen((struct report_options){.next = ""});
	expect_not(text, "next ");
	free(text);
}
END_TEST

Suite *report_screen_suite(void)
{
	Suite *suite = suite_create("screen");
	TCase *tests = tcase_create("screen");

	tcase_set_timeout(tests, 20);
	tcase_add_test(tests, test_whole_screen);
	tcase_add_test(tests, test_rest_row_and_stacks);
	tcase_add_test(tests, test_by_site_and_thread);
	tcase_add_test(tests, test_ascii_only_where_the_locale_is);
	tcase_add_test(tests, test_color_only_on_verdicts);
	tcase_add_test(tests, test_nothing_waited_for);
	tcase_add_test(tests, test_names_cannot_steer_the_terminal);
	tcase_add_test(tests, test_ends);
	tcase_add_test(tests, test_policies_that_differ);
	tcase_add_test(tests, test_several_recordings);
	tcase_add_test(tests, test_losses_and_delegation);
	tcase_add_test(tests, test_unknown_key);
	tcase_add_test(tests, test_sorting);
	tcase_add_test(tests, test_unreadable);
	tcase_add_test(tests, test_own_last_line);
	suite_add_tcase(suite, tests);
	return suite;
}
