relock_unit_test(reproduce SOURCES reproduce_judge.c reproduce_tables.c LIBS relock_findings)
