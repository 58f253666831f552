/*
 * Rules per lock (conf/rules.h), as far as a recording tells: what would select a lock, and which
 * policy a rule chose for it.
 */
#ifndef RELOCK_STATS_REPORT_RULES_H
#define RELOCK_STATS_REPORT_RULES_H

#include "stats/report/screen.h"

/*
 * What selects exactly the class of a row of locks, or the classes of a row of those, for free():
 * "class=libfoo.so.1+0x4546a". NULL: they were born in no file, or nobody knows where.
 */
char *rules_match(const struct view *view, size_t row);

/* The policy that a rule chose for the lock, in the first recording it was seen in, for free().
 * NULL: none did. */
char *rules_policy(const struct model *model, const struct lock *lock);

/* The lines of --rules below a row of the text. */
void rules_print(const struct report *report, size_t row);

#endif
