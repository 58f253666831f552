#include "tests/unit/conf_fixture.h"

#include <locale.h>
#include <stdint.h>
#include <string.h>

struct reading {
	const char *text;
	uint64_t value;
};

static const struct reading durations[] = {
	{"0", 0},
	{"0ns", 0},
	{"7ns", 7},
	{"250us", 250000},
	{"250 us", 250000},
	{"30µs", 30000},
	{"1.5ms", 1500000},
	{"1.000000001s", 1000000001},
	{"0.25us", 250},
	{"10s", 10000000000},
	{"18446744073709551615ns", UINT64_MAX},
};

static const struct reading sizes[] = {
	{"0", 0},
	{"4096", 4096},
	{"1B", 1},
	{"64KiB", 65536},
	{"64K", 65536},
	{"1.5KiB", 1536},
	{"3M", 3145728},
	{"2MiB", 2097152},
	{"1G", 1073741824},
	{"1GiB", 1073741824},
	{"17179869183GiB", 17179869183ull << 30},
};

static const char *const not_durations[] = {"", "10", "0.0", "ms", "-1ms", "+1ms", "1.5", ".5ms",
	"1.ms", "1,5ms", "1.5ns", "1.0000000001s", "1e3us", "0x10us", "1msx", "1 ms ", " 1ms",
	"1Ms", "1m", "1h", "18446744073709551616ns", "18446744073.709551616s", "99999999999999s"};

static const char *const not_sizes[] = {"", "B", "-1", "1.5", "1.2KiB", "1kB", "1KB", "1MB", "1k",
	"1T", "17179869184GiB", "18446744073709551616", "1 000"};

#define COUNT(array) (int)(sizeof(array) / sizeof((array)[0]))

START_TEST(reads_duration)
{
	uint64_t ns = 1;

	ck_assert_msg(conf_parse_duration(durations[_i].text, &ns), "%s", durations[_i].text);
	ck_assert_uint_eq(ns, durations[_i].value);
}
END_TEST

START_TEST(reads_size)
{
	uint64_t bytes = 1;

	ck_assert_msg(conf_parse_size(sizes[_i].text, &bytes), "%s", sizes[_i].text);
	ck_assert_uint_eq(bytes, sizes[_i].value);
}
END_TEST

START_TEST(refuses_duration)
{
	uint64_t ns;

	ck_assert_msg(!conf_parse_duration(not_durations[_i], &ns), "\"%s\"", not_durations[_i]);
}
END_TEST

START_TEST(refuses_size)
{
	uint64_t bytes;

	ck_assert_msg(!conf_parse_size(not_sizes[_i], &bytes), "\"%s\"", not_sizes[_i]);
}
END_TEST

static const struct reading written_durations[] = {{"0", 0}, {"1ns", 1}, {"999ns", 999},
	{"1us", 1000}, {"1.5us", 1500}, {"1.005us", 1005}, {"1234.567us", 1234567},
	{"1ms", 1000000}, {"100ms", 100000000}, {"1.25s", 1250000000},
	{"1000000.001us", 1000000001}, {"61s", 61000000000}};

static const struct reading written_sizes[] = {{"0B", 0}, {"1023B", 1023}, {"1KiB", 1024},
	{"1.5KiB", 1536}, {"1MiB", 1 << 20}, {"1GiB", 1 << 30}, {"1025B", 1025},
	{"1024GiB", 1ull << 40}};

START_TEST(writes_duration)
{
	char out[64];

	ck_assert_uint_eq(conf_format_duration(written_durations[_i].value, out, sizeof(out)),
		strlen(written_durations[_i].text));
	ck_assert_str_eq(out, written_durations[_i].text);
}
END_TEST

START_TEST(writes_size)
{
	char out[64];

	ck_assert_uint_eq(conf_format_size(written_sizes[_i].value, out, sizeof(out)),
		strlen(written_sizes[_i].text));
	ck_assert_str_eq(out, written_sizes[_i].text);
}
END_TEST

/* Numbers of every magnitude, with few and with many digits. */
START_TEST(round_trips)
{
	uint64_t factor = 1, seed = 1;
	char out[64];

	for (unsigned i = 0; i < 20000; i++) {
		uint64_t value, back;

		seed = seed * 6364136223846793005u + 1442695040888963407u;
		value = i % 2 ? seed >> (i % 64) : (seed >> 56) * factor;
		factor = factor > UINT64_MAX / 2560 ? 1 : factor * 10;
		conf_format_duration(value, out, sizeof(out));
		ck_assert_msg(conf_parse_duration(out, &back), "%s", out);
		ck_assert_uint_eq(back, value);
		conf_format_size(value, out, sizeof(out));
		ck_assert_msg(conf_parse_size(out, &back), "%s", out);
		ck_assert_uint_eq(back, value);
	}
}
END_TEST

START_TEST(truncates_as_snprintf_does)
{
	char out[4] = "xyz";

	ck_assert_uint_eq(conf_format_duration(1500000, out, 3), 5);
	ck_assert_str_eq(out, "1.");
	ck_assert_uint_eq(conf_format_duration(1500000, NULL, 0), 5);
}
END_TEST

/* Where a comma is the decimal point, ours stays a point. */
START_TEST(ignores_locale)
{
	static const char *const names[] = {
		"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "fr_FR.utf8", "C.UTF-8"};
	uint64_t ns;
	char out[32];

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (!setlocale(LC_ALL, names[i]))
			continue;
		ck_assert(conf_parse_duration("1.5ms", &ns));
		ck_assert_uint_eq(ns, 1500000);
		ck_assert(!conf_parse_duration("1,5ms", &ns));
		conf_format_duration(1500000, out, sizeof(out));
		ck_assert_str_eq(out, "1.5ms");
	}
}
END_TEST

static const char *const names[] = {"native", "spin-park", "spin-yield", "spin-yield-sleep",
	"spin-sleep", "spin", "backoff", "progress", "on", "off"};

static const struct {
	const char *word, *nearest;
} near[] = {
	{"spin-yeld", "spin-yield"},
	{"spin_yield", "spin-yield"},
	{"Spin-Park", "spin-park"},
	{"psin", "spin"},
	{"natvie", "native"},
	{"spin-yield-sleeep", "spin-yield-sleep"},
	{"spin-yieldsleep", "spin-yield-sleep"},
	{"of", "off"},
	{"ON", "on"},
	{"x", NULL},
	{"", NULL},
	{"mutex", NULL},
	{"spin-park-and-then-something-that-is-much-longer-than-any-name-there-is", NULL},
};

START_TEST(finds_nearest)
{
	const char *nearest = conf_nearest(near[_i].word, names, 10);

	if (near[_i].nearest)
		ck_assert_str_eq(nearest ? nearest : "(none)", near[_i].nearest);
	else
		ck_assert_ptr_null(nearest);
}
END_TEST

Suite *conf_units_suite(void)
{
	Suite *suite = suite_create("conf_units");
	TCase *cases = tcase_create("units");

	tcase_add_loop_test(cases, reads_duration, 0, COUNT(durations));
	tcase_add_loop_test(cases, reads_size, 0, COUNT(sizes));
	tcase_add_loop_test(cases, refuses_duration, 0, COUNT(not_durations));
	tcase_add_loop_test(cases, refuses_size, 0, COUNT(not_sizes));
	tcase_add_loop_test(cases, writes_duration, 0, COUNT(written_durations));
	tcase_add_loop_test(cases, writes_size, 0, COUNT(written_sizes));
	tcase_add_test(cases, round_trips);
	tcase_add_test(cases, truncates_as_snprintf_does);
	tcase_add_test(cases, ignores_locale);
	tcase_add_loop_test(cases, finds_nearest, 0, COUNT(near));
	suite_add_tcase(suite, cases);
	return suite;
}
