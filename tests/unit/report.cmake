# A module with debug information, to name addresses in. It is built the same way whatever the tests are built with.
add_library(report_fixture MODULE ${CMAKE_CURRENT_LIST_DIR}/report_fixture.c)
target_compile_options(report_fixture PRIVATE -O2 -g)
# The same with nothing but its symbol table.
add_library(report_fixture_plain MODULE ${CMAKE_CURRENT_LIST_DIR}/report_fixture.c)
target_compile_options(report_fixture_plain PRIVATE -O2 -g0)
foreach(fixture report_fixture report_fixture_plain)
	target_link_options(${fixture} PRIVATE -Wl,--build-id=sha1)
endforeach()

relock_unit_test(report TIMEOUT 400
	SOURCES report_main.c report_tests.c report_builder.c report_reader.c report_hostile.c report_large.c report_figures.c
		report_model.c report_names.c report_symbols.c report_files.c report_screen.c report_advice.c report_advice_program.c report_advice_scene.c
		report_advice_words.c report_machine.c report_find.c
	LIBS relock_report)
target_compile_definitions(report PRIVATE REPORT_FIXTURE="$<TARGET_FILE:report_fixture>"
	REPORT_ELF_FILES="${PROJECT_SOURCE_DIR}/tests/fuzz/corpus/elf"
	REPORT_FIXTURE_PLAIN="$<TARGET_FILE:report_fixture_plain>")
if(RELOCK_HAVE_DEMANGLE)
	target_compile_definitions(report PRIVATE RELOCK_HAVE_DEMANGLE)
endif()
add_dependencies(report report_fixture report_fixture_plain)
