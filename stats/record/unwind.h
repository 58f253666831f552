/*
 * Stacks of threads that have to wait, through libunwind.
 *
 * libunwind is opened privately (its _Unwind_* must not reach the program) and used through
 * accessors of ours: which module an address is in comes from stats/record/modules.h, not from the
 * loader under its lock; memory is read only where this thread's stack or a loaded file is. A stack
 * unwound once is remembered with the words that make it up; while the same words stand at the same
 * places it is the same stack, and costs a few loads. Unwinding anew is kept to a small share of a
 * thread's time.
 *
 * Contract: unwind_open() while there is one thread. stack_context() is for the thread itself,
 * before it waits.
 */
#ifndef RELOCK_STATS_RECORD_UNWIND_H
#define RELOCK_STATS_RECORD_UNWIND_H

#include "stats/record/thread.h"

/* False: no libunwind here; contexts are single sites then. */
bool unwind_open(void);

/* In a forked child: there may be no unwinding in it any more. */
void unwind_reset(void);

/* The context of a hook's caller: `site` is the hook's return address, `frame` the address of its
 * frame. */
uint32_t stack_context(struct thread *t, uint64_t site, uint64_t frame);

#endif
