/*
 * What the library has to say to people: whole lines on the program's stderr.
 *
 * A daemon closes its streams, and what has the number afterwards may be a data file or a
 * connection: a line is written only where stderr went at the start. A reader that is gone, or a
 * limit on the size of files, costs the line and nothing else.
 *
 * Contract: tell_open() once, at the start. The others any time, by any thread.
 */
#ifndef RELOCK_STATS_RECORD_TELL_H
#define RELOCK_STATS_RECORD_TELL_H

#include <stdbool.h>
#include <stddef.h>

void tell_open(void);

void tell(const char *line, size_t length);

/* True once, for this process and all that it forks: a server's hundred children have one thing to
 * say. */
bool tell_first(void);

#endif
