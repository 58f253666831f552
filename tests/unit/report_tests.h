/*
 * What the tests of stats/report/ share: a directory of their own, a recording to damage, and
 * reports as texts.
 */
#ifndef RELOCK_TESTS_UNIT_REPORT_TESTS_H
#define RELOCK_TESTS_UNIT_REPORT_TESTS_H

#include "stats/report/model.h"
#include "stats/report/report.h"
#include "tests/unit/report_builder.h"

#include <check.h>

/* Makes a directory and enters it; leaves and removes it with all that is in it. */
void tests_enter(void);
void tests_leave(void);

/* A recording with something of everything, as tests_fill() has it: two threads, a mutex, a rwlock,
 * a spinlock, stacks, pairs, yields. */
void tests_fill(struct builder *b);
void tests_write_sample(const char *path);

/* The model of recordings, finished. Files that are no recordings are left out. */
struct model *tests_model(const char *const *paths, size_t count);
struct model *tests_model_of(const char *path);
/* Whether a warning contains a text. */
bool tests_warned(const struct model *m, const char *text);

/* What report_run() prints, for free(). `status` and `errors` (for free()) may be NULL. */
char *tests_report(const char *const *paths, size_t count, const struct report_options *options,
	int *status, char **errors);

Suite *report_reader_suite(void);
Suite *report_hostile_suite(void);
Suite *report_large_suite(void);
Suite *report_figures_suite(void);
Suite *report_model_suite(void);
Suite *report_names_suite(void);
Suite *report_symbols_suite(void);
Suite *report_files_suite(void);
Suite *report_screen_suite(void);
Suite *report_advice_suite(void);
Suite *report_machine_suite(void);
Suite *report_find_suite(void);

#endif
