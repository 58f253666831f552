#include "tests/unit/conf_fixture.h"

#include <stdio.h>
#include <string.h>

static struct conf c;

#define READS(text) ck_assert_str_eq(conf_try_ini(&c, text), "")

START_TEST(reads_every_section)
{
	READS("[relock]\n"
	      "policy = spin-park\n"
	      "report = stderr\n"
	      "verbose = yes\n"
	      "[mutex]\n"
	      "spins = 9\n"
	      "[spin]\n"
	      "policy = spin-yield:spins=3\n"
	      "[rwlock]\n"
	      "hint = none\n"
	      "[cond]\n"
	      "mode = native\n"
	      "[record]\n"
	      "enabled = off\n"
	      "output = %h/%e.rlk\n"
	      "holds = all\n"
	      "hold_sample = 5\n"
	      "stacks = 0\n"
	      "stack_depth = 24\n"
	      "max_memory = 64MiB\n"
	      "max_locks = 7\n"
	      "[process \"x*\"]\n"
	      "enabled = on\n"
	      "policy = native\n");
	ck_assert_str_eq(c.settings.choice[CONF_MUTEX].policy->name, "spin-park");
	ck_assert_uint_eq(c.settings.choice[CONF_MUTEX].tunables.spins, 9);
	ck_assert_str_eq(c.settings.choice[CONF_SPIN].policy->name, "spin-yield");
	ck_assert_uint_eq(c.settings.choice[CONF_SPIN].tunables.spins, 3);
	ck_assert_str_eq(c.settings.choice[CONF_RWLOCK].policy->name, "spin-park");
	ck_assert_uint_eq(c.settings.choice[CONF_RWLOCK].tunables.hint, HINT_NONE);
	ck_assert_uint_eq(c.settings.choice[CONF_RWLOCK].tunables.spins,
		policy_find("spin-park")->defaults.spins);
	ck_assert(c.settings.report_stderr && c.settings.verbose && c.settings.cond_native);
	ck_assert(!c.settings.record && !c.settings.stacks);
	ck_assert_str_eq(c.settings.output, "%h/%e.rlk");
	ck_assert_uint_eq(c.settings.holds, HOLDS_ALL);
	ck_assert_uint_eq(c.settings.hold_sample, 5);
	ck_assert_uint_eq(c.settings.stack_depth, 24);
	ck_assert_uint_eq(c.settings.max_memory, 64 << 20);
	ck_assert_uint_eq(c.settings.max_locks, 7);
	ck_assert(c.settings.enabled);
}
END_TEST

START_TEST(has_the_documented_defaults)
{
	conf_defaults(&c);
	for (unsigned lock = 0; lock < CONF_LOCKS; lock++)
		ck_assert_ptr_eq(c.settings.choice[lock].policy, policy_registry[0]);
	ck_assert(c.settings.record && c.settings.stacks && c.settings.enabled);
	ck_assert(!c.settings.cond_native && !c.settings.report_stderr && !c.settings.verbose);
	ck_assert_str_eq(c.settings.output, "relock.%e.%p.rlk");
	ck_assert_uint_eq(c.settings.holds, HOLDS_SAMPLED);
	ck_assert_uint_eq(c.settings.hold_sample, 64);
	ck_assert_uint_eq(c.settings.stack_depth, 16);
	ck_assert_uint_eq(c.settings.max_memory, 1 << 30);
	ck_assert_uint_eq(c.settings.max_locks, 1000000);
	ck_assert_str_eq(c.settings.run_id, "");
}
END_TEST

START_TEST(reads_every_boolean)
{
	static const struct {
		const char *text;
		bool value;
	} words[] = {{"on", true}, {"off", false}, {"yes", true}, {"no", false}, {"true", true},
		{"false", false}, {"1", true}, {"0", false}};
	char text[64];

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		snprintf(text, sizeof(text), "[record]\nenabled = %s\n", words[i].text);
		READS(text);
		ck_assert_int_eq(c.settings.record, words[i].value);
	}
}
END_TEST

/* Order inside a section, and of sections, says nothing. */
START_TEST(order_does_not_matter)
{
	static const char *const texts[] = {
		"[relock]\npolicy = native\n[mutex]\npolicy = spin-yield-sleep\nspins = 9\nsleep = "
		"2us\n",
		"[mutex]\nsleep = 2us\nspins = 9\npolicy = spin-yield-sleep\n[relock]\npolicy = "
		"native\n",
		"[mutex]\nspins = 9\nsleep = 2us\n[relock]\npolicy = native\n[cond]\n"
		"[mutex-is-elsewhere]\n",
	};

	for (unsigned i = 0; i < 2; i++) {
		READS(texts[i]);
		ck_assert_str_eq(c.settings.choice[CONF_MUTEX].policy->name, "spin-yield-sleep");
		ck_assert_uint_eq(c.settings.choice[CONF_MUTEX].tunables.spins, 9);
		ck_assert_uint_eq(c.settings.choice[CONF_MUTEX].tunables.sleep_ns, 2000);
		ck_assert_str_eq(c.settings.choice[CONF_SPIN].policy->name, "native");
	}
	ck_assert_str_ne(conf_try_ini(&c, texts[2]), "");
}
END_TEST

/* A key of its own says more than the same tunable behind the policy's name. */
START_TEST(key_beats_inline_tunable)
{
	READS("[mutex]\nspins = 5\npolicy = spin-park:spins=3,hint_count=4\n");
	ck_assert_uint_eq(c.settings.choice[CONF_MUTEX].tunables.spins, 5);
	ck_assert_uint_eq(c.settings.choice[CONF_MUTEX].tunables.hint_count, 4);
	ck_assert_str_eq(conf_origin_of(&c, "mutex.spins"), INI ":2");
	ck_assert_str_eq(conf_origin_of(&c, "mutex.hint_count"), INI ":3");
	ck_assert_str_eq(conf_origin_of(&c, "mutex.hint"), "default");
}
END_TEST

/* Comments, blanks, ':' for '=', CR LF, a byte order mark, no newline at the end. */
START_TEST(syntax)
{
	READS("");
	READS("\n\n; nothing\n# at all\n");
	READS("\xef\xbb\xbf[record]\r\n ; comment\r\n\t# comment\r\n\r\n  stack_depth=7\r\n");
	ck_assert_uint_eq(c.settings.stack_depth, 7);
	READS("[record]   ; the recording\nstack_depth : 8 ; not so deep");
	ck_assert_uint_eq(c.settings.stack_depth, 8);
	READS("  [ record ]# comment\n\tstack_depth\t=\t9\t\n");
	ck_assert_uint_eq(c.settings.stack_depth, 9);
	READS("[record]\noutput = a=b:c;d#e %% .rlk\n");
	ck_assert_str_eq(c.settings.output, "a=b:c;d#e %% .rlk");
}
END_TEST

/* inih by itself would take the second line for more of the first. */
START_TEST(indentation_is_no_continuation)
{
	READS("[mutex]\npolicy = spin-park\n    spins = 3\n\thint = none\n");
	ck_assert_uint_eq(c.settings.choice[CONF_MUTEX].tunables.spins, 3);
	ck_assert_uint_eq(c.settings.choice[CONF_MUTEX].tunables.hint, HINT_NONE);
	ck_assert_str_eq(conf_try_ini(&c, "[record]\noutput = a\n   b\n"),
		INI ":3: neither a section nor a key; valid: [section], key = value, or a comment "
		    "after ; or #");
}
END_TEST

/* A comment may be as long as it likes; a value that just fits arrives whole. */
START_TEST(long_lines)
{
	char text[4096], *end;

	memset(text, 'x', sizeof(text));
	text[0] = '#';
	end = text + 3000;
	strcpy(end, "\n[record]\nstack_depth = 3\n");
	READS(text);
	ck_assert_uint_eq(c.settings.stack_depth, 3);
	strcpy(text, "[record]\noutput = ");
	end = text + strlen(text);
	memset(end, 'y', 150);
	strcpy(end + 150, "\nstack_depth = 4\n");
	READS(text);
	ck_assert_uint_eq(strlen(c.settings.output), 150);
	ck_assert_uint_eq(c.settings.stack_depth, 4);
}
END_TEST

/* What came from an earlier file goes when another is read. */
START_TEST(second_file_replaces_the_first)
{
	struct conf_error error;

	READS("[record]\nstack_depth = 3\nholds = all\n[process \"x\"]\nenabled = on\n");
	conf_write("other.ini", "[record]\nholds = off\n", 21);
	ck_assert(conf_load_ini(&c, "other.ini", &error));
	ck_assert_uint_eq(c.settings.stack_depth, 16);
	ck_assert_uint_eq(c.settings.holds, HOLDS_OFF);
	ck_assert_uint_eq(c.rules_count, 0);
	ck_assert_str_eq(conf_origin_of(&c, "record.holds"), "other.ini:2");
}
END_TEST

Suite *conf_ini_suite(void)
{
	Suite *suite = suite_create("conf_ini");
	TCase *cases = tcase_create("ini");

	tcase_add_test(cases, reads_every_section);
	tcase_add_test(cases, has_the_documented_defaults);
	tcase_add_test(cases, reads_every_boolean);
	tcase_add_test(cases, order_does_not_matter);
	tcase_add_test(cases, key_beats_inline_tunable);
	tcase_add_test(cases, syntax);
	tcase_add_test(cases, indentation_is_no_continuation);
	tcase_add_test(cases, long_lines);
	tcase_add_test(cases, second_file_replaces_the_first);
	suite_add_tcase(suite, cases);
	return suite;
}
