/* What advice reads like: commands, JSON. */
#include "tests/unit/report_advice_scene.h"

#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

/* --- commands */

START_TEST(test_command_for_some_locks)
{
	struct scene s = scene_short_holds();

	s.other_wait_ns = 250 * MS; /* most waiting is for another lock */
	expect_command(&s, "relock compare -p native -r "
			   "class=libmade-up.so+0x30=spin-park:spins=50 -r "
			   "class=libmade-up.so+0x30=spin-park:spins=250 -r "
			   "class=libmade-up.so+0x30=spin-park:spins=1000 -- prog --fast");
	s.other_wait_ns = 0;
	s.two_kinds_of_policy = true;
	expect_command(&s, "relock compare -p mutex=native --sweep "
			   "mutex=spin-park:spins=50,250,1000 -- prog --fast");
}
END_TEST

START_TEST(test_command_names_what_is_not_default)
{
	struct scene s = scene_vain_spins();

	s.policy = "spin-park:spins=100,hint=default,hint_count=3";
	expect_command(&s, "relock compare -p spin-park:hint_count=3 -p native -p "
			   "spin-park:spins=10 -- prog --fast");
	s.policy = "nonsense:x=1";
	expect_command(&s, "relock compare -p nonsense:x=1 -p native -p spin-park -- prog --fast");
}
END_TEST

/* --- the documents */

START_TEST(test_json)
{
	const char *path = SCENE_FILE;
	struct report_options options = {.format = REPORT_JSON};
	struct scene s = scene_bursts();
	cJSON *document, *list, *first;
	char *text;

	s.yield = (struct rlk_yield_site){
		.address = 0x10040, .kind = RLK_YIELD_SCHED, .count = 20000};
	scene_write(&s);
	text = tests_report(&path, 1, &options, NULL, NULL);
	document = cJSON_Parse(text);
	ck_assert_msg(document != NULL, "no JSON: %s", text);
	list = cJSON_GetObjectItem(document, "advice");
	ck_assert_int_eq(cJSON_GetArraySize(list), 2);
	first = cJSON_GetArrayItem(list, 0);
	ck_assert_str_eq(cJSON_GetObjectItem(first, "kind")->valuestring, "bursts");
	ck_assert_str_eq(cJSON_GetObjectItem(first, "thread")->valuestring, "worker");
	ck_assert_int_eq(cJSON_GetObjectItem(first, "tid")->valueint, 100);
	ck_assert_int_eq(cJSON_GetObjectItem(first, "lock")->valueint, 0);
	ck_assert_int_eq(cJSON_GetObjectItem(first, "stake_ns")->valueint, 140000000);
	ck_assert(cJSON_IsTrue(cJSON_GetObjectItem(first, "needs_change")));
	ck_assert_ptr_nonnull(
		strstr(cJSON_GetObjectItem(first, "text")->valuestring, "libmade-up.so+0x30"));
	first = cJSON_GetObjectItem(first, "numbers");
	ck_assert_int_eq(cJSON_GetObjectItem(first, "between_ns")->valueint, 140);
	ck_assert_ptr_null(cJSON_GetObjectItem(first, "spun_total_ns"));
	first = cJSON_GetArrayItem(list, 1);
	ck_assert(cJSON_IsNull(cJSON_GetObjectItem(first, "lock")));
	ck_assert(cJSON_IsNull(cJSON_GetObjectItem(first, "thread")));
	cJSON_Delete(document);
	free(text);
}
END_TEST

START_TEST(test_no_advice_on_little)
{
	const char *path = SCENE_FILE;
	struct report_options options = {.format = REPORT_JSON};
	char *text;

	tests_write_sample(SCENE_FILE);
	text = tests_report(&path, 1, &options, NULL, NULL);
	ck_assert_ptr_nonnull(strstr(text, ",\n\"advice\":[],\n"));
	free(text);
}
END_TEST

void advice_words_tests(TCase *tests)
{
	tcase_add_test(tests, test_command_for_some_locks);
	tcase_add_test(tests, test_command_names_what_is_not_default);
	tcase_add_test(tests, test_json);
	tcase_add_test(tests, test_no_advice_on_little);
}
