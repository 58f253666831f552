/*
 * Opening a file that a recording, or a file named by one, has the name of. For symbolizer.c only.
 */
#ifndef RELOCK_STATS_REPORT_ELFFILE_H
#define RELOCK_STATS_REPORT_ELFFILE_H

#include "stats/report/symbolizer.h"

/* MODULE_USABLE: *fd is open for reading. Never opens what is no regular file: that could wait for
 * ever, or set a device going. */
enum module_state elffile_open(const char *path, int *fd);

/* Whether elfutils, in its search for the debug information of `file`, may come upon something that
 * is there but is neither a regular file nor a directory. `link`: the name the file gives it, or
 * NULL. */
bool elffile_link_is_odd(const char *file, const char *link);

#endif
