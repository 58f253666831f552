#include "tests/unit/conf_fixture.h"

#include <stdlib.h>

int main(void)
{
	SRunner *runner = srunner_create(conf_units_suite());
	int failed;

	srunner_add_suite(runner, conf_choice_suite());
	srunner_add_suite(runner, conf_ini_suite());
	srunner_add_suite(runner, conf_ini_errors_suite());
	srunner_add_suite(runner, conf_layers_suite());
	srunner_add_suite(runner, conf_environment_suite());
	srunner_add_suite(runner, conf_process_suite());
	srunner_add_suite(runner, conf_describe_suite());
	srunner_add_suite(runner, conf_export_suite());
	srunner_add_suite(runner, conf_rules_suite());
	conf_fixture_enter();
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	conf_fixture_leave();
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
