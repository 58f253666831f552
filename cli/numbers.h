/*
 * Numbers in a program's output, found by regular expressions.
 */
#ifndef RELOCK_CLI_NUMBERS_H
#define RELOCK_CLI_NUMBERS_H

#include "cli/process.h"

#include <regex.h>

/* Compiles a POSIX extended regular expression with \d for a digit, whose first group is the
 * number. False: a message was printed that names the metric. */
bool numbers_compile(regex_t *pattern, const char *name, const char *text);

/* The number of the last match: programs that report as they go end with the sum. NaN: there is
 * none, or it is no number. */
double numbers_find(const regex_t *pattern, const struct capture *output);

#endif
