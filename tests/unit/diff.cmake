relock_unit_test(diff SOURCES diff.c report_tests.c report_builder.c LIBS relock_report)
