/* Where a thread's entries are found: at home, however the program's locks lie in memory. */
#include "stats/record/entry.h"
#include "tests/recorder_alone.h"

#include <check.h>
#include <stdlib.h>

#define FIRST_LOCK UINT64_C(0x7f3a00001040)
#define SITE 0x1000
#define ROUNDS 300 /* over all locks, of which the last one counts */

/* Locks that follow each other at this distance in bytes, and of how many how many percent must be
 * found at once. */
static const struct {
	unsigned distance, locks, percent;
} arrays[] = {
	{4, 16, 90}, /* in the directory that a thread is born with */
	{4, 200, 90},
	{4, 5000, 90},
	{8, 5000, 90},
	{16, 5000, 90},
	{40, 16, 90},
	{40, 200, 90},
	{40, 5000, 90},
	{40, 60000, 90},
	{48, 5000, 90},
	{56, 5000, 90},
	{64, 5000, 90},
	{208, 5000, 80},
	{4096, 1000, 70},
	{4160, 1000, 70},
};

static struct thread *recorded_thread(void)
{
	struct recorder_config config = alone_config(64u << 20, 100000);
	struct thread *t;

	ck_assert(recorder_open(&config));
	t = thread_ready();
	ck_assert_ptr_nonnull(t->directory);
	return t;
}

/* Counts one acquisition; whether the entry was found at once. */
static bool acquire(struct thread *t, uint64_t key, enum rlk_kind kind)
{
	struct lock_id id = {RLK_ENTRY_ADDRESS(key), kind, 0};
	bool at_home = entry_fast(t, key) != NULL;

	entry_find(t, key, &id, SITE)->acquired++;
	return at_home;
}

START_TEST(arrays_are_found_at_once)
{
	struct thread *t = recorded_thread();
	unsigned locks = arrays[_i].locks, found = 0;

	for (unsigned round = 0; round < ROUNDS; round++) {
		found = 0;
		for (unsigned i = 0; i < locks; i++)
			found += acquire(
				t, FIRST_LOCK + (uint64_t)i * arrays[_i].distance, RLK_KIND_MUTEX);
	}
	ck_assert_msg(found * 100 >= locks * arrays[_i].percent,
		"of %u locks %u bytes apart %u are found at once", locks, arrays[_i].distance,
		found);
	for (unsigned i = 0; i < locks; i++) {
		const struct rlk_entry *e =
			entry_peek(t, FIRST_LOCK + (uint64_t)i * arrays[_i].distance);

		ck_assert_ptr_nonnull(e);
		ck_assert_uint_eq(e->acquired, ROUNDS);
	}
}
END_TEST

/* A thread that uses other locks later on finds those at once, too. */
START_TEST(the_granule_changes)
{
	struct thread *t = recorded_thread();
	unsigned found = 0;

	for (unsigned i = 0; i < 16; i++)
		acquire(t, FIRST_LOCK + (uint64_t)i * 40, RLK_KIND_MUTEX);
	for (unsigned round = 0; round < ROUNDS; round++) {
		found = 0;
		for (unsigned i = 0; i < 12; i++)
			found += acquire(t, FIRST_LOCK + 4096 + (uint64_t)i * 4, RLK_KIND_SPIN);
	}
	ck_assert_uint_ge(found, 6);
}
END_TEST

/* Both sides of a rwlock, used by one thread. */
START_TEST(both_sides_are_found_at_once)
{
	struct thread *t = recorded_thread();
	unsigned found = 0;

	for (unsigned round = 0; round < ROUNDS; round++) {
		found = 0;
		for (unsigned i = 0; i < 100; i++) {
			uint64_t key = FIRST_LOCK + (uint64_t)i * 56;

			found += acquire(t, key, RLK_KIND_RDLOCK);
			found += acquire(t, key | KEY_WRITE_SIDE, RLK_KIND_RDLOCK);
		}
	}
	ck_assert_uint_ge(found, 170);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("directory");
	TCase *homes = tcase_create("homes");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_loop_test(
		homes, arrays_are_found_at_once, 0, (int)(sizeof(arrays) / sizeof(*arrays)));
	tcase_add_test(homes, the_granule_changes);
	tcase_add_test(homes, both_sides_are_found_at_once);
	tcase_set_timeout(homes, 60);
	suite_add_tcase(suite, homes);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
