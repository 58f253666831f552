/*
 * Words as a shell takes them.
 */
#ifndef RELOCK_STATS_REPORT_SHELL_H
#define RELOCK_STATS_REPORT_SHELL_H

/* The word itself, or in single quotes where it has to be; for free(). */
char *shell_quote(const char *word);

#endif
