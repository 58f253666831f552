/* Rules per lock: their text, their sections, which of them decides, what becomes of symbols. */
#include "tests/unit/conf_fixture.h"

#include <stdio.h>
#include <string.h>

static struct conf c;
static struct conf_error error;

static const char *set_rules(const char *text)
{
	conf_defaults(&c);
	return conf_set(&c, "rules", text, FROM_COMMAND_LINE, "-r", &error) ? "" : error.message;
}

static const char *rule_of(const struct conf *conf, size_t i)
{
	static char text[CONF_RULES_TEXT_MAX];

	ck_assert_uint_lt(conf_format_lock_rule(conf, i, text, sizeof(text)), sizeof(text));
	return text;
}

/* Written, and as it is written back; NULL: the same. */
static const struct {
	const char *text, *back;
} texts[] = {
	{"kind=mutex=native", NULL},
	{"module=libfoo*=native", NULL},
	{"class=libfoo.so.1+0x4546a=native", NULL},
	{"class=a+0x1-0xff|0x200|b+0x3=native", NULL},
	{"class=libstdc++.so.6+0x10=native", NULL},
	{"class=a+0xb+0x10=native", NULL},
	{"class=a+0xFFFFFFFFFFFFFFFF=native", "class=a+0xffffffffffffffff=native"},
	{"class=a+0x5-0x5=native", "class=a+0x5=native"},
	{"symbol=DBImpl::*=native", NULL},
	{"symbol=operator\\=\\=(A\\, B)=native", NULL},
	{"name=hot,kind=rwlock,module=m,class=m+0x1,symbol=s=native", NULL},
	{"symbol=s,kind=rwlock,name=hot,class=m+0x1,module=m=native",
		"name=hot,kind=rwlock,module=m,class=m+0x1,symbol=s=native"},
	{"name=a\\, b\\= c\\; d\\\\,kind=spin=native", NULL},
	{"  kind = spin ,  module = x y = native ", "kind=spin,module=x y=native"},
	{"class= a+0x1 |  b+0x2-0x3 =native", "class=a+0x1|b+0x2-0x3=native"},
	{"class=a\\|b\\=c\\,d\\;e+0x1=native", NULL},
	{"kind=mutex=spin-park:spins=7", "kind=mutex=spin-park:spins=7,hint=default,hint_count=1"},
	{"kind=mutex=spin-park:hint_count=3,spins=7",
		"kind=mutex=spin-park:spins=7,hint=default,hint_count=3"},
	{"module=[a,b]*=native", "module=[a\\,b]*=native"},
};

START_TEST(reads_and_writes)
{
	const char *back = texts[_i].back ? texts[_i].back : texts[_i].text;

	/* In a pattern a comma needs its backslash even within brackets. */
	if (strchr(texts[_i].text, '[')) {
		ck_assert_str_ne(set_rules(texts[_i].text), "");
		ck_assert_str_eq(set_rules(back), "");
	} else {
		ck_assert_str_eq(set_rules(texts[_i].text), "");
	}
	ck_assert_uint_eq(conf_lock_rules(&c), 1);
	ck_assert_str_eq(rule_of(&c, 0), back);
	ck_assert_str_eq(conf_policy_of_rule(back),
		strstr(back, strstr(back, "spin-park") ? "spin-park" : "native"));
}
END_TEST

#define CLASS_HELP                                                                                 \
	" is no class; write MODULE+0xOFFSET or MODULE+0xLOW-0xHIGH, as in libfoo.so.1+0x4546a; "  \
	"several are separated by '|'"
#define RULE_HELP                                                                                  \
	" is no rule; write MATCH=POLICY, as in class=libfoo.so.1+0x4546a=spin-park or "           \
	"kind=mutex,module=libfoo*=native"
#define KEYS "valid: kind, module, class, symbol, name"

static const struct {
	const char *text, *message;
} mistakes[] = {
	{"spin", "-r: \"spin\"" RULE_HELP},
	{"=spin", "-r: unknown key \"\" of a rule per lock; " KEYS},
	{"libfoo+0x1=spin", "-r: unknown key \"libfoo+0x1\" of a rule per lock; " KEYS},
	{"knid=mutex=spin",
		"-r: unknown key \"knid\" of a rule per lock; did you mean \"kind\"? " KEYS},
	{"kind=mutex", "-r: a rule lacks its policy; write MATCH=POLICY, as in "
		       "class=libfoo.so.1+0x4546a=spin-park"},
	{"kind=mutex;kind=spin=native", "-r: a rule lacks its policy; write MATCH=POLICY, as in "
					"class=libfoo.so.1+0x4546a=spin-park"},
	{"kind=mutex,=native", "-r: unknown key \"\" of a rule per lock; " KEYS},
	{"kind=mutex,native", "-r: \"native\"" RULE_HELP},
	{"kind==native", "-r: kind needs a value"},
	{"kind=mutx=native", "-r: kind: unknown value \"mutx\"; did you mean \"mutex\"? valid: "
			     "mutex, spin, rwlock"},
	{"kind=mutex,kind=spin=native", "-r: \"kind\" is given twice in a rule"},
	{"kind=mutex=spni", "-r: unknown policy \"spni\"; did you mean \"spin\"? valid: "},
	{"kind=mutex=", "-r: unknown policy \"\"; valid: "},
	{"kind=mutex=spin-park:spinz=1",
		"-r: unknown tunable \"spinz\" of spin-park; did you mean \"spins\"? valid: "},
	{"kind=mutex=native=spin", "-r: unknown policy \"native=spin\"; "},
	{"class=libfoo=native", "-r: class: \"libfoo\"" CLASS_HELP},
	{"class=libfoo+12=native", "-r: class: \"libfoo+12\"" CLASS_HELP},
	{"class=0x12=native", "-r: class: \"0x12\"" CLASS_HELP},
	{"class=+0x12=native", "-r: class: \"\"" CLASS_HELP},
	{"class=a+0x=native", "-r: class: \"a+0x\"" CLASS_HELP},
	{"class=a+0x1g=native", "-r: class: \"a+0x1g\"" CLASS_HELP},
	{"class=a+0x2-0x1=native", "-r: class: \"a+0x2-0x1\"" CLASS_HELP},
	{"class=a+0x1-2=native", "-r: class: \"a+0x1-2\"" CLASS_HELP},
	{"class=a+0x10000000000000000=native", "-r: class: \"a+0x10000000000000000\"" CLASS_HELP},
	{"class=a+0x1|=native", "-r: class: \"a+0x1|\"" CLASS_HELP},
	{"class=a+0x1||b+0x1=native", "-r: class: \"a+0x1||b+0x1\"" CLASS_HELP},
	{"class=/usr/lib/a+0x1=native",
		"-r: class: a file is known by its name, without directories: leave out what is "
		"before the last '/'"},
	{"module=lib/a=native",
		"-r: module: a file is known by its name, without directories: leave out what is "
		"before the last '/'"},
	{"module=a\nb=native", "-r: module: a control character in its value"},
	{"none;kind=mutex=native", "-r: no rule can follow \"none\", which ends the list"},
};

START_TEST(says_what_is_wrong)
{
	const char *expected = mistakes[_i].message, *got = set_rules(mistakes[_i].text);

	ck_assert_msg(strncmp(got, expected, strlen(expected)) == 0, "'%s' for '%s'", got,
		mistakes[_i].text);
}
END_TEST

/* --- [lock "name"] */

START_TEST(sections)
{
	static const char ini[] = "[lock \"the queue\"]\n"
				  "spins = 7\n"
				  "class = libfoo.so.1+0x10-0x1f | 0x40\n"
				  "kind = mutex\n"
				  "policy = spin-park\n"
				  "[mutex]\npolicy = backoff\n"
				  "[lock \"a, b\"]\n"
				  "symbol = operator==(A const&, B)\n"
				  "module = lib?oo*\n"
				  "policy = spin-park:spins=3\n"
				  "hint_count = 2\n";
	char origin[CONF_PATH_MAX];

	ck_assert_str_eq(conf_try_ini(&c, ini), "");
	ck_assert_uint_eq(conf_lock_rules(&c), 2);
	ck_assert_str_eq(rule_of(&c, 0),
		"name=the queue,kind=mutex,class=libfoo.so.1+0x10-0x1f|0x40="
		"spin-park:spins=7,hint=default,hint_count=1");
	ck_assert_str_eq(rule_of(&c, 1),
		"name=a\\, b,module=lib?oo*,symbol=operator\\=\\=(A const&\\, B)="
		"spin-park:spins=3,hint=default,hint_count=2");
	conf_format_lock_rule_origin(&c, 1, origin, sizeof(origin));
	ck_assert_str_eq(origin, INI ":8");
	ck_assert_str_eq(c.settings.choice[CONF_MUTEX].policy->name, "backoff");
}
END_TEST

static const struct {
	const char *ini, *message;
} section_mistakes[] = {
	{"[lock]\npolicy=spin\n",
		":1: [lock] needs a name in double quotes, as in [lock \"the queue\"]"},
	{"[lock \"\"]\npolicy=spin\n",
		":1: [lock] needs a name in double quotes, as in [lock \"the queue\"]"},
	{"[lock \"a\"]\nkind=mutex\npolicy=spin\n[lock \"a\"]\nkind=spin\npolicy=spin\n",
		":4: section [lock \"a\"] appears twice; first on line 1"},
	{"[lock \"a\"]\n", ":1: this [lock] section does not say which locks; valid: kind, "
			   "module, class, symbol"},
	{"[lock \"a\"]\npolicy=spin\n[relock]\n",
		":1: this [lock] section does not say which locks; valid: kind, module, class, "
		"symbol"},
	{"[lock \"a\"]\nkind=mutex\n", ":1: this [lock] section has no policy"},
	{"[lock \"a\"]\nkind=mutex\n[lock \"b\"]\nkind=spin\npolicy=spin\n",
		":1: this [lock] section has no policy"},
	{"[lock \"a\"]\nknid=mutex\n", ":2: unknown key \"knid\" in [lock]; did you mean \"kind\"? "
				       "valid: kind, module, class, symbol, policy, spins, yields, "
				       "sleep, hint, hint_count, budget"},
	{"[lock \"a\"]\nname=mutex\n", ":2: unknown key \"name\" in [lock]; "},
	{"[lock \"a\"]\nkind=mutex\nkind=spin\n",
		":3: \"kind\" is given twice in [lock]; first on line 2"},
	{"[lock \"a\"]\npolicy=spin\npolicy=spin\n",
		":3: \"policy\" is given twice in [lock]; first on line 2"},
	{"[lock \"a\"]\nspins=1\nspins=1\n", ":3: \"spins\" is given twice in [lock]; first on "
					     "line 2"},
	{"[lock \"a\"]\nkind=\n", ":2: kind needs a value"},
	{"[lock \"a\"]\nkind=mutexes\n", ":2: kind: unknown value \"mutexes\"; "},
	{"[lock \"a\"]\nclass=x\n", ":2: class: \"x\"" CLASS_HELP},
	{"[lock \"a\"]\nspins=many\n", ":2: spins: "},
	{"[lock \"a\"]\npolicy=spni\n", ":2: unknown policy \"spni\"; "},
	{"[lock \"a\"]\nbudget=1ms\nkind=mutex\npolicy=spin-park\n",
		":2: policy spin-park (line 4) does not read \"budget\"; it reads spins, hint, "
		"hint_count"},
	{"[lock \"a\"]\nsleep=1ms\nkind=mutex\npolicy=native\n",
		":2: policy native (line 4) does not read \"sleep\"; it reads no tunables"},
	{"[relock]\nrules=kind=mutex=spin\n",
		":2: \"rules\" cannot be given in an INI file; each rule is a section there, as in "
		"[lock \"the queue\"]"},
};

START_TEST(says_what_is_wrong_in_a_section)
{
	const char *got = conf_try_ini(&c, section_mistakes[_i].ini);
	char expected[CONF_MESSAGE_MAX];

	snprintf(expected, sizeof(expected), INI "%s", section_mistakes[_i].message);
	ck_assert_msg(strncmp(got, expected, strlen(expected)) == 0, "'%s' for '%s'", got,
		section_mistakes[_i].ini);
}
END_TEST

/* --- which decides */

static const struct {
	const char *rule;
	enum conf_lock kind;
	const char *module;
	uint64_t offset;
	bool matches;
} matches[] = {
	{"kind=mutex=native", CONF_MUTEX, "/bin/a", 1, true},
	{"kind=mutex=native", CONF_SPIN, "/bin/a", 1, false},
	{"kind=rwlock=native", CONF_RWLOCK, NULL, 1, true},
	{"module=*=native", CONF_MUTEX, NULL, 1, false},
	{"module=*=native", CONF_MUTEX, "a", 1, true},
	{"module=libfoo.so*=native", CONF_MUTEX, "/x/libfoo.so.1", 1, true},
	{"module=libfoo=native", CONF_MUTEX, "/x/libfoo.so.1", 1, false},
	{"module=x=native", CONF_MUTEX, "/x/libfoo.so.1", 1, false},
	{"class=a+0x10=native", CONF_MUTEX, "/bin/a", 0x10, true},
	{"class=a+0x10=native", CONF_MUTEX, "/bin/a", 0x11, false},
	{"class=a+0x10=native", CONF_MUTEX, "/bin/b", 0x10, false},
	{"class=a+0x10=native", CONF_MUTEX, NULL, 0x10, false},
	{"class=a+0x10-0x20=native", CONF_MUTEX, "a", 0xf, false},
	{"class=a+0x10-0x20=native", CONF_MUTEX, "a", 0x10, true},
	{"class=a+0x10-0x20=native", CONF_MUTEX, "a", 0x20, true},
	{"class=a+0x10-0x20=native", CONF_MUTEX, "a", 0x21, false},
	{"class=a+0x1|b+0x2|0x3=native", CONF_MUTEX, "b", 3, true},
	{"class=a+0x1|b+0x2|0x3=native", CONF_MUTEX, "a", 3, false},
	{"class=a*+0x1=native", CONF_MUTEX, "ab", 1, false},
	{"class=a\\|b+0x1=native", CONF_MUTEX, "a|b", 1, true},
	{"kind=spin,class=a+0x1=native", CONF_MUTEX, "a", 1, false},
	{"kind=spin,class=a+0x1=native", CONF_SPIN, "a", 1, true},
	{"module=b,class=a+0x1=native", CONF_SPIN, "a", 1, false},
	/* the library knows no symbols */
	{"symbol=*=native", CONF_MUTEX, "a", 1, false},
	{"symbol=*,class=a+0x1=native", CONF_MUTEX, "a", 1, false},
};

START_TEST(matches_all_that_is_given)
{
	struct lock_birth birth = {matches[_i].kind, matches[_i].module, matches[_i].offset};

	ck_assert_str_eq(set_rules(matches[_i].rule), "");
	ck_assert_uint_eq(conf_match_lock(&c, &birth), matches[_i].matches);
}
END_TEST

static size_t match(enum conf_lock kind)
{
	struct lock_birth birth = {kind, "a", 1};

	return conf_match_lock(&c, &birth);
}

START_TEST(first_in_order_decides)
{
	char config[] = "RELOCK_CONFIG=" INI,
	     rules[] = "RELOCK_RULES=kind=spin=spin;kind=mutex=backoff";
	char *environment[] = {config, rules, NULL};
	static const char ini[] = "[lock \"all\"]\nmodule=*\npolicy=progress\n";

	conf_write(INI, ini, sizeof(ini) - 1);
	ck_assert_str_eq(conf_try_environment(&c, environment), "");
	ck_assert_uint_eq(conf_lock_rules(&c), 3);
	ck_assert_uint_eq(match(CONF_MUTEX), 2);
	ck_assert_uint_eq(match(CONF_RWLOCK), 3);
	/* The command line's come first, and add up. */
	ck_assert(conf_set(&c, "rules", "kind=mutex=native", FROM_COMMAND_LINE, "-r", &error));
	ck_assert(conf_set(&c, "rules", "kind=rwlock=native", FROM_COMMAND_LINE, "-r", &error));
	ck_assert_uint_eq(conf_lock_rules(&c), 5);
	ck_assert_uint_eq(match(CONF_MUTEX), 1);
	ck_assert_uint_eq(match(CONF_RWLOCK), 2);
	ck_assert_uint_eq(match(CONF_SPIN), 3);
	ck_assert_str_eq(conf_lock_rule(&c, 4)->choice.policy->name, "progress");
	ck_assert(conf_set(&c, "rules", "none", FROM_COMMAND_LINE, "-r", &error));
	ck_assert_uint_eq(conf_lock_rules(&c), 2);
	/* Another file's take the place of the first's; the environment is read anew, not twice. */
	ck_assert_str_eq(conf_try_environment(&c, environment), "");
	ck_assert(conf_load_environment(&c, environment, &error));
	ck_assert_uint_eq(conf_lock_rules(&c), 3);
}
END_TEST

/* What a section can hold and a text cannot have bare. */
static const char *const written_back[] = {
	"[lock \" \"]\nkind = mutex\npolicy = native\n",
	"[lock \" a, b \"]\nkind = spin\npolicy = native\n",
	"[lock \"x\\\"]\nkind = spin\npolicy = native\n",
	"[lock \"x\"]\nsymbol = a\\\npolicy = native\n",
	"[lock \"x\"]\nmodule = a\\\\\nsymbol = b=c;d\npolicy = native\n",
};

START_TEST(sections_as_text)
{
	static char text[CONF_RULES_TEXT_MAX], again[CONF_RULES_TEXT_MAX];

	ck_assert_str_eq(conf_try_ini(&c, written_back[_i]), "");
	conf_format_lock_rules(&c, text, sizeof(text));
	ck_assert_str_eq(set_rules(text), "");
	conf_format_lock_rules(&c, again, sizeof(again));
	ck_assert_str_eq(again, text);
}
END_TEST

START_TEST(none_ends_the_list)
{
	char config[] = "RELOCK_CONFIG=" INI, rules[] = "RELOCK_RULES=kind=spin=spin;none";
	char *environment[] = {config, rules, NULL};
	static const char ini[] = "[lock \"all\"]\nmodule=*\npolicy=progress\n";

	conf_write(INI, ini, sizeof(ini) - 1);
	ck_assert_str_eq(conf_try_environment(&c, environment), "");
	ck_assert_uint_eq(conf_lock_rules(&c), 1);
	ck_assert_uint_eq(match(CONF_MUTEX), 0);
	strcpy(rules, "RELOCK_RULES=none");
	ck_assert_str_eq(conf_try_environment(&c, environment), "");
	ck_assert_uint_eq(conf_lock_rules(&c), 0);
}
END_TEST

/* --- limits */

START_TEST(limits)
{
	static char text[64 * 1024];
	size_t length = 0;

	for (int i = 0; i <= CONF_LOCK_RULES_MAX; i++)
		length += (size_t)sprintf(text + length, "kind=mutex=native;");
	ck_assert_str_eq(set_rules(text), "-r: too many rules per lock; at most 64");
	text[strlen("kind=mutex=native;") * CONF_LOCK_RULES_MAX] = '\0';
	ck_assert_str_eq(set_rules(text), "");
	ck_assert_str_eq(conf_try_set(&c, "rules", "kind=mutex=native"),
		"--set: too many rules per lock; at most 64");
}
END_TEST

START_TEST(limits_of_classes)
{
	static char text[64 * 1024];
	size_t length = (size_t)sprintf(text, "class=a+0x0");

	for (int i = 1; i < CONF_RANGES_MAX; i++)
		length += (size_t)sprintf(text + length, "|0x%x", 2 * i);
	strcpy(text + length, "=native");
	ck_assert_str_eq(set_rules(text), "");
	strcpy(text + length, "|0x9999=native");
	ck_assert_str_eq(set_rules(text), "-r: the rules have too many classes; at most 512: name "
					  "fewer, or the module");
	length = (size_t)sprintf(text, "name=");
	memset(text + length, 'x', CONF_RULE_TEXTS_MAX);
	strcpy(text + length + CONF_RULE_TEXTS_MAX, ",kind=mutex=native");
	ck_assert_str_eq(set_rules(text), "-r: too much text in rules per lock; at most 4096 "
					  "characters of names and patterns");
}
END_TEST

/* As long as what fits in each place, and too long together. */
START_TEST(limits_together)
{
	static char text[64 * 1024];
	char message[] = "rules per lock: they have ";
	size_t length = (size_t)sprintf(text, "class=a+0x0");

	for (uint64_t i = 1; i < CONF_RANGES_MAX; i++)
		length += (size_t)sprintf(text + length, "|0x%llx-0x%llx",
			(unsigned long long)(i << 50), (unsigned long long)(i << 50 | 1));
	strcpy(text + length, "=native");
	ck_assert_int_eq(strncmp(set_rules(text), message, strlen(message)), 0);
}
END_TEST

/* --- the command hands over to the library */

START_TEST(hands_over)
{
	static char value[CONF_EXPORT_MAX + 16];
	char *environment[] = {value, NULL};
	size_t option = conf_find("rules");
	static struct conf again;

	ck_assert_str_eq(
		set_rules("name=a\\,b,kind=mutex=spin-park:spins=3;symbol=x\\;y=native"), "");
	strcpy(value, "RELOCK_RULES=");
	ck_assert_int_eq(
		conf_export(&c, option, "/", value + strlen(value), CONF_EXPORT_MAX), EXPORT_SET);
	ck_assert_str_eq(conf_try_environment(&again, environment), "");
	ck_assert_uint_eq(conf_lock_rules(&again), 2);
	for (size_t i = 0; i < 2; i++) {
		char before[256];

		strcpy(before, rule_of(&c, i));
		ck_assert_str_eq(rule_of(&again, i), before);
	}
	/* Nothing is said where there is nothing to say; "none" is something. */
	conf_defaults(&c);
	ck_assert_int_eq(conf_export(&c, option, "/", value, sizeof(value)), EXPORT_KEEP);
	ck_assert_str_eq(set_rules("none"), "");
	ck_assert_int_eq(conf_export(&c, option, "/", value, sizeof(value)), EXPORT_SET);
	ck_assert_str_eq(value, "none");
}
END_TEST

START_TEST(shows)
{
	static char text[64 * 1024];

	ck_assert_str_eq(set_rules("kind=mutex,module=a=native;none"), "");
	conf_format_all(&c, text, sizeof(text));
	ck_assert_ptr_nonnull(strstr(text, "\nlock.1 = kind=mutex,module=a=native ; -r\n"));
	ck_assert_ptr_null(strstr(text, "relock.rules"));
}
END_TEST

/* --- symbols */

START_TEST(symbols_become_classes)
{
	static const struct conf_found found[] = {{"a", 0x10, 0x1f}, {"a", 0x20, 0x2f},
		{"a", 0x28, 0x28}, {"b", 0x30, 0x3f}, {"b", 0x50, 0x5f}};

	ck_assert_str_eq(
		set_rules("symbol=f*=native;class=a+0x18-0x21|b+0x55,symbol=g,name=n=native"), "");
	ck_assert(conf_resolve(&c, 0, found, 5, &error));
	ck_assert_str_eq(rule_of(&c, 0), "name=f*,class=a+0x10-0x2f|b+0x30-0x3f|0x50-0x5f=native");
	ck_assert(conf_resolve(&c, 1, found, 5, &error));
	ck_assert_str_eq(rule_of(&c, 1), "name=n,class=a+0x18-0x21|b+0x55=native");
	ck_assert_str_eq(set_rules("module=b,symbol=f*=native"), "");
	ck_assert(conf_resolve(&c, 0, found, 5, &error));
	ck_assert_str_eq(rule_of(&c, 0), "name=f*,module=b,class=b+0x30-0x3f|0x50-0x5f=native");
}
END_TEST

START_TEST(symbols_that_are_nowhere)
{
	static char text[256];

	ck_assert_str_eq(set_rules("symbol=f*=spin;kind=mutex=native"), "");
	ck_assert(conf_resolve(&c, 0, NULL, 0, &error));
	ck_assert(conf_lock_rule(&c, 0)->never);
	ck_assert_uint_eq(match(CONF_MUTEX), 2);
	conf_format_lock_rules(&c, text, sizeof(text));
	ck_assert_str_eq(text, "kind=mutex=native;none");
}
END_TEST

#define COUNT(array) (int)(sizeof(array) / sizeof((array)[0]))

Suite *conf_rules_suite(void)
{
	Suite *suite = suite_create("conf_rules");
	TCase *cases = tcase_create("rules");

	tcase_add_loop_test(cases, reads_and_writes, 0, COUNT(texts));
	tcase_add_loop_test(cases, says_what_is_wrong, 0, COUNT(mistakes));
	tcase_add_test(cases, sections);
	tcase_add_loop_test(cases, says_what_is_wrong_in_a_section, 0, COUNT(section_mistakes));
	tcase_add_loop_test(cases, matches_all_that_is_given, 0, COUNT(matches));
	tcase_add_test(cases, first_in_order_decides);
	tcase_add_loop_test(cases, sections_as_text, 0, COUNT(written_back));
	tcase_add_test(cases, none_ends_the_list);
	tcase_add_test(cases, limits);
	tcase_add_test(cases, limits_of_classes);
	tcase_add_test(cases, limits_together);
	tcase_add_test(cases, hands_over);
	tcase_add_test(cases, shows);
	tcase_add_test(cases, symbols_become_classes);
	tcase_add_test(cases, symbols_that_are_nowhere);
	suite_add_tcase(suite, cases);
	return suite;
}
