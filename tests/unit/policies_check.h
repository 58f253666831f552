/*
 * What every test program of the policies shares: running one suite, and a test for each policy.
 */
#ifndef RELOCK_TESTS_POLICIES_CHECK_H
#define RELOCK_TESTS_POLICIES_CHECK_H

#include "policies/policy.h"

#include <check.h>
#include <stdlib.h>

/* Adds a loop test that runs once for each entry of policy_registry, with its index in _i. */
static inline void add_for_each_policy(TCase *tests, const TTest *test)
{
	int count = 0;

	while (policy_registry[count] != NULL)
		count++;
	tcase_add_loop_test(tests, test, 0, count);
}

/* Runs the one case as a suite of its own; what main() returns. */
static inline int run_tests(TCase *tests)
{
	Suite *suite = suite_create("policies");
	SRunner *runner;
	int failed;

	suite_add_tcase(suite, tests);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

#endif
