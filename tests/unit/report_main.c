#include "tests/unit/report_tests.h"

#include <stdlib.h>

int main(void)
{
	SRunner *runner = srunner_create(report_reader_suite());
	int failed;

	srunner_add_suite(runner, report_hostile_suite());
	srunner_add_suite(runner, report_large_suite());
	srunner_add_suite(runner, report_figures_suite());
	srunner_add_suite(runner, report_model_suite());
	srunner_add_suite(runner, report_names_suite());
	srunner_add_suite(runner, report_symbols_suite());
	srunner_add_suite(runner, report_files_suite());
	srunner_add_suite(runner, report_screen_suite());
	srunner_add_suite(runner, report_advice_suite());
	srunner_add_suite(runner, report_machine_suite());
	srunner_add_suite(runner, report_find_suite());
	tests_enter();
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	tests_leave();
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
