#include "tests/unit/experiment_synthetic.h"

#include <stdlib.h>

int main(void)
{
	SRunner *runner = srunner_create(experiment_sample_suite());
	int failed;

	srunner_add_suite(runner, experiment_rounds_suite());
	srunner_add_suite(runner, experiment_verdicts_suite());
	srunner_add_suite(runner, experiment_exports_suite());
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
