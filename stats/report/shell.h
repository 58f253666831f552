/*
 * Words as a shell takes them.
 */
#ifndef RELOCK_STATS_REPORT_SHELL_H
#define RELOCK_STATS_REPORT_SHELL_H

#include <stdbool.h>

/* The word itself, or in single quotes where it has to be; for free(). */
char *shell_quote(const char *word);

/* Whether a shell takes a line as words and nothing else: what could mean more is in single quotes,
 * as shell_quote() and the recorder put it. */
bool shell_is_words(const char *line);

#endif
