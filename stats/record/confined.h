/*
 * Whether the program filters its own system calls by now (seccomp). What it allows is not known
 * then, and a call that it does not expect may be its end; servers expect those that memory,
 * threads, files and clocks need, and the recorder keeps to them.
 *
 * A filter that was there at the start, as containers have one, says nothing: what is called later
 * was called then.
 *
 * Contract: confined_open() once, at the start; confined() by any thread, any time, for itself. One
 * system call.
 */
#ifndef RELOCK_STATS_RECORD_CONFINED_H
#define RELOCK_STATS_RECORD_CONFINED_H

#include <stdbool.h>

void confined_open(void);
bool confined(void);

#endif
