relock_unit_test(experiment
	SOURCES experiment_main.c experiment_synthetic.c experiment_sample.c experiment_rounds.c experiment_verdicts.c
		experiment_exports.c
	LIBS relock_experiment)
# Thousands of made-up experiments: what the method promises, counted.
relock_unit_test(experiment_method TIMEOUT 240 SOURCES experiment_method.c experiment_synthetic.c LIBS relock_experiment)
