/*
 * What the tests of conf/ share. The programs work in a directory of their own, so that messages
 * can be compared with their file names.
 */
#ifndef RELOCK_TESTS_UNIT_CONF_FIXTURE_H
#define RELOCK_TESTS_UNIT_CONF_FIXTURE_H

#include "conf/conf.h"

#include <check.h>
#include <stddef.h>

#define INI "relock.ini"

/* Makes the directory and enters it; leaves and removes it. */
void conf_fixture_enter(void);
void conf_fixture_leave(void);

void conf_write(const char *name, const char *text, size_t length);
/* Fresh defaults, then the text as INI file; the message, or "" when it is right. */
const char *conf_try_ini(struct conf *c, const char *text);
/* Fresh defaults, then the variables (ended by NULL) as environment; likewise. */
const char *conf_try_environment(struct conf *c, char *const *environment);
const char *conf_try_set(struct conf *c, const char *name, const char *value);

/* Text of an option's value or origin. The last few stay valid. */
const char *conf_value_of(const struct conf *c, const char *name);
const char *conf_origin_of(const struct conf *c, const char *name);

Suite *conf_units_suite(void);
Suite *conf_choice_suite(void);
Suite *conf_ini_suite(void);
Suite *conf_ini_errors_suite(void);
Suite *conf_layers_suite(void);
Suite *conf_environment_suite(void);
Suite *conf_process_suite(void);
Suite *conf_describe_suite(void);
Suite *conf_export_suite(void);
Suite *conf_rules_suite(void);

#endif
