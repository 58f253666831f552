#include "tests/unit/conf_fixture.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static struct conf c;

#define MUTEX_KEYS "policy, spins, yields, sleep, hint, hint_count, budget"
#define SECTIONS "relock, mutex, spin, rwlock, cond, record, process, lock"
#define RECORD_KEYS                                                                                \
	"enabled, output, holds, hold_sample, stacks, stack_depth, max_memory, max_locks, "        \
	"deflate_threshold, deflate_interval"
#define BOOLEANS "on, off, yes, no, true, false, 1, 0"

/* %s in a message: the policies. The file's name in front is left out. */
static const struct {
	const char *text, *message;
} wrong[] = {
	/* names */
	{"[relock]\n\n[mutx]\nspins = 1\n", ":3: unknown section \"mutx\"; did you mean "
					    "\"mutex\"? valid: " SECTIONS},
	{"[spots]\n", ":1: unknown section \"spots\"; valid: " SECTIONS},
	{"[]\n", ":1: unknown section \"\"; valid: " SECTIONS},
	{"[mutex]\npolicy = spin-park\nspinz = 3\n",
		":3: unknown key \"spinz\" in [mutex]; did you mean \"spins\"? valid: " MUTEX_KEYS},
	{"[mutex]\nfrobnicate = 3\n",
		":2: unknown key \"frobnicate\" in [mutex]; valid: " MUTEX_KEYS},
	{"[mutex]\nholds = all\n", ":2: unknown key \"holds\" in [mutex]; it belongs in [record]"},
	{"[record]\nspins = 1\n", ":2: unknown key \"spins\" in [record]; it belongs in [mutex]"},
	{"[record]\nmax_memmory = 1\n", ":2: unknown key \"max_memmory\" in [record]; did you mean "
					"\"max_memory\"? valid: " RECORD_KEYS},
	{"[cond]\nmoed = native\n",
		":2: unknown key \"moed\" in [cond]; did you mean \"mode\"? valid: mode"},
	{"[relock]\nrun_id = 3\n", ":2: unknown key \"run_id\" in [relock]; valid: policy, report, "
				   "verbose"},
	{"[relock]\nconfig = x.ini\n",
		":2: \"config\" cannot be given in an INI file; valid: RELOCK_CONFIG or -c"},
	{"policy = native\n", ":1: \"policy\" stands before any section; begin with [relock]"},
	/* values */
	{"[relock]\npolicy = spin-yeld\n",
		":2: unknown policy \"spin-yeld\"; did you mean \"spin-yield\"? valid: %s"},
	{"[mutex]\npolicy = spin-park:spinz=2\n",
		":2: unknown tunable \"spinz\" of spin-park; did you mean \"spins\"? valid: spins, "
		"hint, hint_count"},
	{"[mutex]\npolicy = spin-park:spins=x\n",
		":2: spins: \"x\" is not a whole number; valid: 0 to 1000000000"},
	{"[record]\nholds = al\n",
		":2: holds: unknown value \"al\"; did you mean \"all\"? valid: off, sampled, all"},
	{"[relock]\nreport = stdout\n",
		":2: report: unknown value \"stdout\"; valid: none, stderr"},
	{"[cond]\nmode = off\n", ":2: mode: unknown value \"off\"; valid: relock, native"},
	{"[record]\nenabled = onn\n",
		":2: enabled: unknown value \"onn\"; did you mean \"on\"? valid: " BOOLEANS},
	{"[record]\nenabled = ON\n",
		":2: enabled: unknown value \"ON\"; did you mean \"on\"? valid: " BOOLEANS},
	{"[record]\nstack_depth = 25\n", ":2: stack_depth: \"25\" is out of range; valid: 1 to 24"},
	{"[record]\nstack_depth = 0\n", ":2: stack_depth: \"0\" is out of range; valid: 1 to 24"},
	{"[record]\nstack_depth = deep\n",
		":2: stack_depth: \"deep\" is not a whole number; valid: 1 to 24"},
	{"[record]\nstack_depth = -3\n",
		":2: stack_depth: \"-3\" is not a whole number; valid: 1 to 24"},
	{"[record]\nmax_locks = 99999999999999999999999\n",
		":2: max_locks: \"99999999999999999999999\" is out of range; valid: 1 to "
		"100000000"},
	{"[record]\nstack_depth =\n", ":2: stack_depth needs a value"},
	{"[record]\noutput = ; nothing\n", ":2: output needs a value"},
	{"[record]\noutput = a.%x.rlk\n", ":2: output: unknown \"%x\"; valid: %e, %p, %h, %t, %%"},
	{"[record]\noutput = a.%\n", ":2: output: unknown \"%\"; valid: %e, %p, %h, %t, %%"},
	{"[record]\nstack_depth = 3 # deep\n",
		":2: a comment behind a value begins with ';', not with '#'"},
	/* units */
	{"[record]\nmax_memory = 1023KiB\n",
		":2: max_memory: \"1023KiB\" is out of range; valid: 1MiB to 128GiB"},
	{"[record]\nmax_memory = 99999999999GiB\n",
		":2: max_memory: \"99999999999GiB\" is out of range; valid: 1MiB to 128GiB"},
	{"[record]\nmax_memory = 64MB\n", ":2: max_memory: unknown unit \"MB\" in \"64MB\"; valid "
					  "units: B, KiB, MiB, GiB (or K, M, G)"},
	{"[record]\nmax_memory = lots\n", ":2: max_memory: \"lots\" is not a number with a unit; "
					  "valid units: B, KiB, MiB, GiB (or K, M, G)"},
	{"[record]\nmax_memory = 2000000.5\n",
		":2: max_memory: \"2000000.5\" is not a whole number of bytes"},
	{"[mutex]\nsleep = 10\n", ":2: sleep: \"10\" needs a unit; valid units: ns, us, ms, s"},
	{"[mutex]\nsleep = 10m\n",
		":2: sleep: unknown unit \"m\" in \"10m\"; valid units: ns, us, ms, s"},
	{"[mutex]\nsleep = 2s\n", ":2: sleep: \"2s\" is out of range; valid: 1us to 1s"},
	{"[mutex]\nsleep = 5000.5ns\n",
		":2: sleep: \"5000.5ns\" is not a whole number of nanoseconds"},
	/* tunables the policy does not read */
	{"[mutex]\nsleep = 1ms\npolicy = spin-park\n",
		":2: policy spin-park (line 3) does not read \"sleep\"; it reads spins, hint, "
		"hint_count"},
	{"[relock]\npolicy = progress\n[spin]\nyields = 2\n",
		":4: policy progress (line 2) does not read \"yields\"; it reads sleep, hint, "
		"hint_count, budget"},
	{"[rwlock]\nspins = 2\n",
		":2: policy native (default) does not read \"spins\"; it reads no tunables"},
	/* twice */
	{"[mutex]\npolicy = native\n\npolicy = spin\n",
		":4: \"policy\" is given twice in [mutex]; first on line 2"},
	{"[mutex]\n[spin]\n[mutex]\n", ":3: section [mutex] appears twice; first on line 1"},
	{"[process \"x\"]\nenabled=on\n[process \"x\"]\nenabled=off\n",
		":3: section [process \"x\"] appears twice; first on line 1"},
	{"[process \"x\"]\nenabled=on\nenabled=off\n",
		":3: \"enabled\" is given twice in [process \"x\"]; first on line 2"},
	/* syntax */
	{"[mutex\nspins = 3\n", ":1: section \"[mutex\" lacks its closing ']'"},
	{"[process \"java]\n", ":1: section \"[process \"java]\" lacks its closing '\"'"},
	{"[process \"java\"\n", ":1: section \"[process \"java\"\" lacks its closing ']'"},
	{"[mutex] policy = spin\n", ":1: \"policy = spin\" is out of place in a section's line; "
				    "valid: [name], [process \"pattern\"] or [lock \"name\"]"},
	{"[process java]\n", ":1: \"java]\" is out of place in a section's line; valid: [name], "
			     "[process \"pattern\"] or [lock \"name\"]"},
	{"[process]\nenabled = off\n",
		":1: [process] needs a pattern in double quotes, as in [process \"java*\"]"},
	{"[process \"\"]\nenabled = off\n",
		":1: [process] needs a pattern in double quotes, as in [process \"java*\"]"},
	{"[mutex \"x\"]\n", ":1: section [mutex] takes no pattern"},
	{"[relock]\npolicy = native\nverbose\n",
		":3: neither a section nor a key; valid: [section], key = value, or a comment "
		"after ; or #"},
	{"[relock]\nverbose\npolicy = nativ\n",
		":2: neither a section nor a key; valid: [section], key = value, or a comment "
		"after ; or #"},
	{"[relock]\n= 3\n", ":2: no key before the '='"},
	/* [process] */
	{"[process \"x\"]\n\n[process \"y\"]\nenabled = on\n",
		":1: section [process \"x\"] is empty; valid: enabled, policy"},
	{"[process \"x\"]\nspins = 3\n",
		":2: unknown key \"spins\" in [process]; it belongs in [mutex]"},
	{"[process \"x\"]\nenable = on\n", ":2: unknown key \"enable\" in [process]; did you mean "
					   "\"enabled\"? valid: enabled, policy"},
	{"[process \"x\"]\nenabled = maybe\n",
		":2: enabled: unknown value \"maybe\"; valid: " BOOLEANS},
	{"[process \"x\"]\nenabled =\n", ":2: enabled needs a value"},
	{"[process \"x\"]\npolicy = nativ\n",
		":2: unknown policy \"nativ\"; did you mean \"native\"? valid: %s"},
};

/* Only messages about policies have "%s"; the others may speak of percent signs themselves. */
static void expect(const char *message, const char *file, const char *expected)
{
	char whole[2 * CONF_MESSAGE_MAX], *list;

	snprintf(whole, sizeof(whole), "%s%s", file, expected);
	list = strstr(whole, "%s");
	if (list)
		conf_format_values(
			conf_find("relock.policy"), list, sizeof(whole) - (size_t)(list - whole));
	ck_assert_str_eq(message, whole);
}

START_TEST(says_what_is_wrong)
{
	expect(conf_try_ini(&c, wrong[_i].text), INI, wrong[_i].message);
}
END_TEST

START_TEST(refuses_a_second_error_only_after_the_first)
{
	ck_assert_str_eq(conf_try_ini(&c, "[cond]\nx\nmode = q\n[foo]\n"),
		INI ":2: neither a section nor a key; valid: [section], key = value, or a comment "
		    "after ; or #");
	ck_assert_str_eq(conf_try_ini(&c, "[cond]\nmode = q\nx\n[foo]\n"),
		INI ":2: mode: unknown value \"q\"; valid: relock, native");
}
END_TEST

/* How long a line may be was decided when inih was built; that the limit is told was not. */
START_TEST(long_line)
{
	static char text[3100] = "[record]\n\noutput = ";
	size_t length = strlen(text);
	const char *message;
	unsigned most = 0;

	memset(text + length, 'x', 3000);
	text[length + 3000] = '\n';
	message = conf_try_ini(&c, text);
	ck_assert_int_eq(
		sscanf(message, INI ":3: a line of 3009 characters is too long; at most %u", &most),
		1);
	ck_assert_uint_ge(most, 150);
}
END_TEST

START_TEST(nul_byte)
{
	struct conf_error error;

	conf_write(INI, "[cond]\nmode = na\0ive\n", 21);
	conf_defaults(&c);
	ck_assert(!conf_load_ini(&c, INI, &error));
	ck_assert_str_eq(error.message, INI ":2: a NUL byte; this is not a text file");
}
END_TEST

START_TEST(long_file)
{
	static char text[CONF_FILE_MAX + 2];

	memset(text, '\n', CONF_FILE_MAX);
	ck_assert_str_eq(conf_try_ini(&c, text), "");
	text[CONF_FILE_MAX] = '\n';
	ck_assert_str_eq(conf_try_ini(&c, text), INI ": longer than 65536 bytes");
}
END_TEST

START_TEST(long_pattern)
{
	char text[256];

	snprintf(text, sizeof(text), "[process \"%0*d\"]\nenabled=on\n", CONF_PATTERN_MAX - 1, 0);
	ck_assert_str_eq(conf_try_ini(&c, text), "");
	snprintf(text, sizeof(text), "[process \"%0*d\"]\nenabled=on\n", CONF_PATTERN_MAX, 0);
	ck_assert_str_eq(conf_try_ini(&c, text),
		INI ":1: the pattern of [process] is too long; at most 127 characters");
}
END_TEST

START_TEST(many_patterns)
{
	char text[1024];
	size_t length = 0;

	for (int i = 0; i < CONF_PATTERNS_MAX; i++)
		length += (size_t)sprintf(text + length, "[process \"p%d\"]\nenabled=on\n", i);
	ck_assert_str_eq(conf_try_ini(&c, text), "");
	strcpy(text + length, "[process \"q\"]\nenabled=on\n");
	ck_assert_str_eq(
		conf_try_ini(&c, text), INI ":33: too many [process] sections; at most 16");
}
END_TEST

static const char *try_path(const char *path)
{
	static struct conf_error error;

	conf_defaults(&c);
	return conf_load_ini(&c, path, &error) ? "" : error.message;
}

START_TEST(files_that_are_none)
{
	ck_assert_str_eq(try_path("missing.ini"), "missing.ini: No such file or directory");
	ck_assert_str_eq(try_path("/"), "/: a directory, not an INI file");
	ck_assert_str_eq(try_path("/dev/null"), "/dev/null: not a regular file");
	ck_assert_int_eq(mkfifo("pipe", 0600), 0);
	ck_assert_str_eq(try_path("pipe"), "pipe: not a regular file");
	conf_write(INI, "", 0);
	ck_assert_str_eq(try_path(INI "/x"), INI "/x: Not a directory");
	if (geteuid() != 0) {
		ck_assert_int_eq(chmod(INI, 0), 0);
		ck_assert_str_eq(try_path(INI), INI ": Permission denied");
		ck_assert_int_eq(unlink(INI), 0);
	}
}
END_TEST

/* A message stays one line and whole, whatever it quotes. */
START_TEST(quotes_safely)
{
	char path[3 * CONF_PATH_MAX];

	ck_assert_str_eq(conf_try_ini(&c, "[cond]\nmode = a\033[31m\b\n"),
		INI ":2: mode: unknown value \"a?[31m?\"; valid: relock, native");
	ck_assert_str_eq(
		conf_try_ini(&c, "[cond]\nmode = ääääääääääääääääääääääääääääääääääääääää\n"),
		INI ":2: mode: unknown value \"äääääääääääääääääääääääääääää...\"; "
		    "valid: relock, native");
	ck_assert_str_eq(try_path("a\nb\t\x7f"), "a?b??: No such file or directory");
	memset(path, 'x', sizeof(path));
	path[sizeof(path) - 1] = '\0';
	ck_assert_str_eq(try_path(path) + 203, ": File name too long");
}
END_TEST

Suite *conf_ini_errors_suite(void)
{
	Suite *suite = suite_create("conf_ini_errors");
	TCase *cases = tcase_create("ini errors");

	tcase_add_loop_test(cases, says_what_is_wrong, 0, (int)(sizeof(wrong) / sizeof(wrong[0])));
	tcase_add_test(cases, refuses_a_second_error_only_after_the_first);
	tcase_add_test(cases, long_line);
	tcase_add_test(cases, nul_byte);
	tcase_add_test(cases, long_file);
	tcase_add_test(cases, long_pattern);
	tcase_add_test(cases, many_patterns);
	tcase_add_test(cases, files_that_are_none);
	tcase_add_test(cases, quotes_safely);
	suite_add_tcase(suite, cases);
	return suite;
}
