/* The parts of deflation that need no program around them. */
#include "stats/record/births.h"
#include "stats/record/deflate.h"

#include <check.h>
#include <stdlib.h>

static const struct {
	uint64_t population, free;
	uint32_t threshold;
	bool wanted;
} looks[] = {
	{0, 0, 90, false},
	{0, 0, 1, false},
	{1, 0, 0, false},
	{1, 0, 90, true},
	{100, 10, 90, false},
	{100, 9, 90, true},
	{1000, 95, 90, false}, /* 90.5 % are 90 in whole percent */
	{1000, 90, 90, true},
	{100, 80, 20, false},
	{100, 79, 20, true},
	{100, 100, 20, false},
	{100, 101, 20, false}, /* given back while it was looked at */
	/* Beyond 32 bits on the way. */
	{42949673, 0, 90, true},
	{4000000000, 3999999999, 90, false},
	{4000000000, 0, 90, true},
	{UINT64_MAX / 100, 0, 90, true},
};

START_TEST(is_wanted_above_the_threshold)
{
	ck_assert_int_eq(deflate_wanted(looks[_i].population, looks[_i].free, looks[_i].threshold),
		looks[_i].wanted);
}
END_TEST

#define LOCK(number) (0x7f0000000000u + (uint64_t)(number)*40)

START_TEST(births_are_kept)
{
	ck_assert(births_open());
	ck_assert_uint_eq(births_find(LOCK(1)), BIRTH_UNKNOWN);
	ck_assert(births_keep(LOCK(1), 0));
	ck_assert(births_keep(LOCK(2), 16383));
	ck_assert(!births_keep(LOCK(1), 3)); /* it is there */
	ck_assert_uint_eq(births_find(LOCK(1)), 0);
	ck_assert_uint_eq(births_find(LOCK(2)), 16383);
	ck_assert_uint_eq(births_count(), 2);
	births_forget(LOCK(1));
	births_forget(LOCK(1));
	births_forget(LOCK(3));
	ck_assert_uint_eq(births_find(LOCK(1)), BIRTH_UNKNOWN);
	ck_assert_uint_eq(births_find(LOCK(2)), 16383);
	ck_assert_uint_eq(births_count(), 1);
	ck_assert(!births_keep((uint64_t)1 << 48, 1)); /* no room for such an address */
}
END_TEST

/* Places are used again, and a full neighbourhood is said to be full. */
START_TEST(births_come_and_go)
{
	uint32_t kept = 0, found = 0, class_index;
	uint64_t lock;

	ck_assert(births_open());
	for (uint32_t round = 0; round < 8; round++) {
		for (uint32_t i = 0; i < 50000; i++)
			ck_assert(births_keep(LOCK(round * 50000 + i), i % 1000));
		for (uint32_t i = 0; i < 50000; i++) {
			ck_assert_uint_eq(births_find(LOCK(round * 50000 + i)), i % 1000);
			births_forget(LOCK(round * 50000 + i));
		}
		births_tidy();
	}
	ck_assert_uint_eq(births_count(), 0);
	for (uint32_t i = 0; i < BIRTHS_SLOTS; i++)
		kept += births_keep(LOCK(i), 7);
	ck_assert_uint_gt(kept, BIRTHS_SLOTS / 4 * 3);
	ck_assert_uint_eq(births_count(), kept);
	for (uint32_t i = 0; i < BIRTHS_SLOTS; i++)
		found += births_find(LOCK(i)) == 7;
	ck_assert_uint_eq(found, kept);
	found = 0;
	for (uint32_t slot = 0; slot < BIRTHS_SLOTS; slot++)
		found += births_at(slot, &lock, &class_index) && class_index == 7;
	ck_assert_uint_eq(found, kept);
	births_reset();
	ck_assert_uint_eq(births_count(), 0);
	ck_assert_uint_eq(births_find(LOCK(1)), BIRTH_UNKNOWN);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("record");
	TCase *deflation = tcase_create("deflation");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_loop_test(
		deflation, is_wanted_above_the_threshold, 0, (int)(sizeof(looks) / sizeof(*looks)));
	tcase_add_test(deflation, births_are_kept);
	tcase_add_test(deflation, births_come_and_go);
	tcase_set_timeout(deflation, 30);
	suite_add_tcase(suite, deflation);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
