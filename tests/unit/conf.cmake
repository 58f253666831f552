relock_unit_test(conf
	SOURCES conf_main.c conf_fixture.c conf_units.c conf_choice.c conf_ini.c conf_ini_errors.c conf_layers.c conf_environment.c
		conf_process.c conf_describe.c conf_export.c conf_rules.c
	LIBS relock_conf)
target_compile_definitions(conf PRIVATE CONF_DIRECTORY="${PROJECT_SOURCE_DIR}/conf")

relock_unit_test(conf_quiet SOURCES conf_quiet.c conf_fixture.c LIBS relock_conf)
