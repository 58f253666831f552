/*
 * The recorder's own lock, for the few things that are rare and cannot be done without one: a
 * thread's birth and end, a new module, the growth of a thread's table, the creation of the
 * recording. Signals are blocked while it is held, so that no handler finds its own thread in the
 * middle. It is a bare futex: it must not come back through the hooks.
 *
 * Contract: short, never around anything that may call the program or take one of its locks. Not
 * recursive.
 */
#ifndef RELOCK_STATS_RECORD_QUIET_H
#define RELOCK_STATS_RECORD_QUIET_H

#include <stdint.h>

struct quiet {
	uint64_t signals;
};

/* Blocks all signals of this thread; without the lock. */
void signals_block(struct quiet *quiet);
void signals_restore(const struct quiet *quiet);

/* While all are blocked: takes away the signal that a call of ours raised in this thread, so that
 * the program does not get it. 0: none. */
void signal_take(int number);

void quiet_begin(struct quiet *quiet);
void quiet_end(struct quiet *quiet);

/* In a forked child, where the lock's holder may not exist. */
void quiet_reset(void);

#endif
