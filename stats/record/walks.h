/*
 * Who is inside libunwind, which has locks of its own: a child that is forked meanwhile would have
 * them taken for good.
 *
 * Use: walk_begin() and walk_end() around it; the rest around fork(). Nobody begins while a thread
 * forks, and that thread waits for those who have begun, not for long: a child that cannot be sure
 * of the locks goes without, as one does that was made by a bare clone() at such a time.
 */
#ifndef RELOCK_STATS_RECORD_WALKS_H
#define RELOCK_STATS_RECORD_WALKS_H

#include <stdbool.h>

/* False: not now. Signals are blocked between the two. */
bool walk_begin(void);
void walk_end(void);

void walks_before_fork(void);
/* In the parent. */
void walks_after_fork(void);
/* In the child, however it was made. False: a thread that does not exist here was inside. */
bool walks_reset(void);

#endif
