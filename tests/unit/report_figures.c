/* Clocks, histograms and units: what figures are made with. */
#include "stats/report/units.h"
#include "tests/unit/report_tests.h"

#include <stdlib.h>
#include <string.h>

/* --- clock */

START_TEST(test_clock_by_calibration)
{
	struct rlk_header h = {
		.start = {1000, 5000}, .finish = {3001000, 1005000}, .end = RLK_EXITED};
	struct clock c;

	clock_set(&c, &h);
	ck_assert(c.known);
	ck_assert_uint_eq(clock_ns(&c, 3), 1);
	ck_assert_uint_eq(clock_ns(&c, 4), 1);
	ck_assert_uint_eq(clock_ns(&c, 5), 2);
	ck_assert_uint_eq(clock_ns(&c, 3000000000), 1000000000);
	ck_assert_uint_eq(clock_ticks(&c, 1000), 3000);
	ck_assert_uint_eq(c.span_ns, 1000000);
	ck_assert_uint_eq(clock_since_start(&c, 4000), 1000);
	ck_assert_uint_eq(clock_since_start(&c, 1), 0);
	ck_assert_uint_eq(clock_ns(&c, UINT64_MAX), UINT64_MAX / 3);
}
END_TEST

START_TEST(test_clock_of_a_killed_process)
{
	struct rlk_header h = {.start = {100, 100},
		.latest = {{300, 200}, {500, 300}},
		.latest_index = 1,
		.finish = {9999999, 101}};
	struct clock c;

	clock_set(&c, &h);
	ck_assert(c.known);
	ck_assert_uint_eq(clock_ns(&c, 2000), 1000);
	ck_assert_uint_eq(c.span_ns, 200);
	/* The one that is not whole is not looked at, but for want of a better one. */
	h.latest[1] = (struct rlk_calibration){0, 0};
	clock_set(&c, &h);
	ck_assert_uint_eq(c.span_ns, 100);
	h.latest[0] = h.latest[1];
	clock_set(&c, &h);
	ck_assert(!c.known);
	ck_assert_uint_eq(clock_ns(&c, 77), 77);
}
END_TEST

START_TEST(test_clock_that_cannot_be)
{
	struct rlk_header h = {.start = {1, 1}, .finish = {2, UINT64_MAX}, .end = RLK_EXITED};
	struct clock c;

	clock_set(&c, &h);
	ck_assert(!c.known);
	h.clock = 2;
	clock_set(&c, &h);
	ck_assert(c.known);
}
END_TEST

/* --- histograms */

START_TEST(test_histogram_keeps_counts)
{
	struct histogram h = {0};
	uint64_t in[RLK_HIST_BUCKETS] = {0}, out[RLK_HIST_BUCKETS] = {0};
	uint64_t want[RLK_HIST_BUCKETS] = {0};
	static const unsigned order[] = {50, 52, 49, 159, 0, 100};

	histogram_add(&h, in);
	ck_assert_uint_eq(h.size, 0);
	for (size_t i = 0; i < sizeof order / sizeof order[0]; i++) {
		memset(in, 0, sizeof in);
		in[order[i]] = i + 1;
		want[order[i]] += i + 1;
		histogram_add(&h, in);
	}
	histogram_pour(&h, out);
	ck_assert_mem_eq(out, want, sizeof want);
	histogram_free(&h);
}
END_TEST

static int value_compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* Against the exact percentile of the values themselves. */
START_TEST(test_percentiles_within_an_eighth)
{
	static const double shares[] = {0.01, 0.5, 0.9, 0.99, 1};
	uint64_t value[1000], state = 88172645463325252u;

	for (int round = 0; round < 200; round++) {
		uint64_t buckets[RLK_HIST_BUCKETS] = {0}, max = 0;

		for (size_t i = 0; i < 1000; i++) {
			state ^= state << 13;
			state ^= state >> 7;
			state ^= state << 17;
			value[i] = state >> (24 + (round + i) % 38);
			buckets[rlk_hist_bucket(value[i])]++;
			max = value[i] > max ? value[i] : max;
		}
		qsort(value, 1000, sizeof value[0], value_compare);
		for (size_t s = 0; s < sizeof shares / sizeof shares[0]; s++) {
			double exact = (double)value[(size_t)(shares[s] * 1000) - 1];
			double said = (double)histogram_percentile(buckets, shares[s], max);

			ck_assert_double_le(said, (double)max);
			ck_assert_double_le(said, exact * 1.125 + 1);
			ck_assert_double_ge(said, exact * 0.875 - 1);
		}
	}
}
END_TEST

START_TEST(test_percentile_edges)
{
	uint64_t buckets[RLK_HIST_BUCKETS] = {0};

	ck_assert_uint_eq(histogram_percentile(buckets, 0.5, 0), 0);
	buckets[rlk_hist_bucket(1000)] = 1;
	ck_assert_uint_eq(histogram_percentile(buckets, 0.99, 901), 901);
	buckets[RLK_HIST_BUCKETS - 1] = 1000;
	ck_assert_uint_eq(histogram_percentile(buckets, 0.5, 1ull << 50), 1ull << 50);
}
END_TEST

START_TEST(test_counters_are_merged_by_name)
{
	struct rlk_cell cell = {.wait_total = 5, .wait_max = 7, .hold_max = 9, .pauses = 1};
	struct clock ns = {.ticks = 1, .ns = 1};
	struct detail detail = {0};
	struct figures f = {0};

	detail_add_cell(&detail, &cell, &ns, &ns);
	cell.wait_max = 3;
	cell.hold_max = 11;
	detail_add_cell(&detail, &cell, &ns, &ns);
	figures_add(&f, 10, 1, &detail);
	ck_assert_uint_eq(f.counter[COUNT_wait_total], 10);
	ck_assert_uint_eq(f.counter[COUNT_wait_max], 7);
	ck_assert_uint_eq(f.counter[COUNT_hold_max], 11);
	ck_assert_uint_eq(f.counter[COUNT_pauses], 2);
	ck_assert(counter_info[COUNT_wait_max].is_max && !counter_info[COUNT_wait_total].is_max);
	ck_assert(counter_info[COUNT_wait_max].is_time && !counter_info[COUNT_pauses].is_time);
	detail_free(&detail);
}
END_TEST

START_TEST(test_holds_are_scaled_up)
{
	struct detail detail = {.counter = {[COUNT_holds] = 10, [COUNT_hold_total] = 5000}};
	struct figures f = {0};

	figures_add(&f, 1000, 0, &detail);
	ck_assert_uint_eq(f.hold_total_estimated, 500000);
	detail.counter[COUNT_holds] = 1000;
	f = (struct figures){0};
	figures_add(&f, 1000, 0, &detail);
	ck_assert_uint_eq(f.hold_total_estimated, 5000);
	detail.counter[COUNT_hold_total] = UINT64_MAX;
	detail.counter[COUNT_holds] = 1;
	f = (struct figures){0};
	figures_add(&f, 1000, 0, &detail);
	ck_assert_uint_eq(f.hold_total_estimated, UINT64_MAX);
}
END_TEST

START_TEST(test_spinning_is_what_is_left)
{
	struct figures f = {.counter = {[COUNT_wait_total] = 100,
				    [COUNT_yielded_total] = 30,
				    [COUNT_parked_total] = 50}};

	ck_assert_uint_eq(figures_spun_ns(&f), 20);
	f.counter[COUNT_parked_total] = 80;
	ck_assert_uint_eq(figures_spun_ns(&f), 0);
	f = (struct figures){
		.acquired = 100, .counter = {[COUNT_contended] = 40, [COUNT_ended_first] = 5}};
	ck_assert_uint_eq(figures_first(&f), 65);
}
END_TEST

/* --- units */

static const struct style ascii = {0}, utf8 = {.utf8 = true};

static const char *duration(uint64_t ns, bool exact, const struct style *style)
{
	static char text[UNITS_MAX];

	units_duration(ns, exact, style, text, sizeof text);
	return text;
}

START_TEST(test_durations)
{
	ck_assert_str_eq(duration(0, false, &utf8), "0 ns");
	ck_assert_str_eq(duration(999, false, &utf8), "999 ns");
	ck_assert_str_eq(duration(1000, false, &utf8), "1.0 µs");
	ck_assert_str_eq(duration(1000, false, &ascii), "1.0 us");
	ck_assert_str_eq(duration(9949, false, &ascii), "9.9 us");
	ck_assert_str_eq(duration(9950, false, &ascii), "10 us");
	ck_assert_str_eq(duration(98400, false, &ascii), "98 us");
	ck_assert_str_eq(duration(999600, false, &ascii), "1.0 ms");
	ck_assert_str_eq(duration(601000000000, false, &ascii), "601 s");
	ck_assert_str_eq(duration(9000000000000, false, &ascii), "9000 s");
	ck_assert_str_eq(duration(36000000000000, false, &ascii), "10 h");
	ck_assert_str_eq(duration(12400000000, true, &ascii), "12.4 s");
	ck_assert_str_eq(duration(9996000000, true, &ascii), "10.0 s");
	ck_assert_str_eq(duration(9994000000, true, &ascii), "9.99 s");
	ck_assert_str_eq(duration(123456789, true, &ascii), "123 ms");
	ck_assert_str_eq(duration(UINT64_MAX, true, &ascii), "5124096 h");
}
END_TEST

static const char *count(uint64_t number)
{
	static char text[UNITS_MAX];

	units_count(number, text, sizeof text);
	return text;
}

START_TEST(test_counts)
{
	ck_assert_str_eq(count(0), "0");
	ck_assert_str_eq(count(9999), "9999");
	ck_assert_str_eq(count(10000), "10.0k");
	ck_assert_str_eq(count(999499), "999k");
	ck_assert_str_eq(count(999500), "1.00M");
	ck_assert_str_eq(count(9210000), "9.21M");
	ck_assert_str_eq(count(UINT64_MAX), "18.4E");
}
END_TEST

static const char *share(double value)
{
	static char text[UNITS_MAX];

	units_share(value, text, sizeof text);
	return text;
}

START_TEST(test_shares)
{
	ck_assert_str_eq(share(0), "0.0%");
	ck_assert_str_eq(share(0.000001), "<0.1%");
	ck_assert_str_eq(share(0.0005), "0.1%");
	ck_assert_str_eq(share(0.412), "41.2%");
	ck_assert_str_eq(share(0.9996), "100%");
	ck_assert_str_eq(share(1.25), "125%");
}
END_TEST

static void expect_escape(const char *in, const struct style *style, const char *out)
{
	char *text = units_escape(in, style);

	ck_assert_str_eq(text, out);
	free(text);
}

START_TEST(test_escapes)
{
	expect_escape("plain", &utf8, "plain");
	expect_escape("a\033[31mb\n", &utf8, "a\\x1b[31mb\\x0a");
	expect_escape("µ", &utf8, "µ");
	expect_escape("µ", &ascii, "\\xc2\\xb5");
	expect_escape("\xff\xc2", &utf8, "\\xff\\xc2");
	expect_escape("\xc2\x9b", &utf8, "\\xc2\\x9b");
	/* Overlong, surrogate, right-to-left override. */
	expect_escape("\xc0\xaf\xed\xa0\x80\xe2\x80\xae", &utf8,
		"\\xc0\\xaf\\xed\\xa0\\x80\\xe2\\x80\\xae");
}
END_TEST

START_TEST(test_sanitized_is_valid)
{
	char *text = units_sanitize("a\xff\xe2\x80z µ");

	ck_assert_str_eq(text, "a\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbdz µ");
	free(text);
}
END_TEST

static void expect_cut(const char *in, size_t width, const struct style *style, const char *out)
{
	char *text = units_escape(in, style);

	units_cut(text, width, style);
	ck_assert_str_eq(text, out);
	ck_assert_uint_le(units_width(text), width);
	free(text);
}

START_TEST(test_cut)
{
	expect_cut("µµµµµµµµµµµµµµµµµµµµ", 20, &utf8, "µµµµµµµµµµµµµµµµµµµµ");
	expect_cut("µµµµµµµµµµµµµµµµµµµµµ", 20, &utf8, "µµµµµµµµµµµ…µµµµµµµµ");
	expect_cut("abcdefghijklmnopqrstuvwxyz #2", 20, &utf8, "abcdefghijk…vwxyz #2");
	expect_cut("abcdefghijklmnopqrstuvwxyz #2", 20, &ascii, "abcdefghi...vwxyz #2");
	expect_cut("rocksdb::WriteThread::Await #2", 23, &utf8, "…WriteThread::Await #2");
	expect_cut("rocksdb::WriteThread::Await #2", 20, &ascii, "...Await #2");
	expect_cut("f (a_very_long_name::of_a_file.cc:123)", 22, &utf8, "f (a_very_lon….cc:123)");
}
END_TEST

Suite *report_figures_suite(void)
{
	Suite *suite = suite_create("figures");
	TCase *tests = tcase_create("figures");

	tcase_add_test(tests, test_clock_by_calibration);
	tcase_add_test(tests, test_clock_of_a_killed_process);
	tcase_add_test(tests, test_clock_that_cannot_be);
	tcase_add_test(tests, test_histogram_keeps_counts);
	tcase_add_test(tests, test_percentiles_within_an_eighth);
	tcase_add_test(tests, test_percentile_edges);
	tcase_add_test(tests, test_counters_are_merged_by_name);
	tcase_add_test(tests, test_holds_are_scaled_up);
	tcase_add_test(tests, test_spinning_is_what_is_left);
	tcase_add_test(tests, test_durations);
	tcase_add_test(tests, test_counts);
	tcase_add_test(tests, test_shares);
	tcase_add_test(tests, test_escapes);
	tcase_add_test(tests, test_sanitized_is_valid);
	tcase_add_test(tests, test_cut);
	suite_add_tcase(suite, tests);
	return suite;
}
