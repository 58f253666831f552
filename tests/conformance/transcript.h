/*
 * The transcript: one line a case, made of a name and facts about what happened.
 *
 * Use: case_begin("mutex/%s", kind); case_rc("rc", pthread_mutex_lock(m)); case_end();
 *
 * Contract: only the controlling thread writes. Everything written must be the same in every run
 * on one machine: no address, no thread id, no time. The line's name is flushed before the
 * operation starts, so that a hang shows where it happened.
 */
#ifndef RELOCK_TESTS_CONFORMANCE_TRANSCRIPT_H
#define RELOCK_TESTS_CONFORMANCE_TRANSCRIPT_H

#include <stdbool.h>

__attribute__((format(printf, 1, 2))) void case_begin(const char *format, ...);
/* Adds " key=text". */
__attribute__((format(printf, 2, 3))) void case_fact(const char *key, const char *format, ...);
/* Adds " key=NAME", an errno value by its name. */
void case_rc(const char *key, int rc);
void case_end(void);

/* The name of an errno value, "0", or its number. */
const char *errno_name(int value);

#endif
