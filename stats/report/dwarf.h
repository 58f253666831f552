/*
 * Frames at a code address, from debug information where there is some and from the symbol table
 * where not. For symbolizer.c only.
 */
#ifndef RELOCK_STATS_REPORT_DWARF_H
#define RELOCK_STATS_REPORT_DWARF_H

#include "stats/report/compunits.h"
#include "stats/report/symbols.h"

#include <elfutils/libdwfl.h>

/* Appends the frames at `pc` (an address libdwfl knows). Appends none when nothing is known. */
void dwarf_frames(Dwfl_Module *module, struct compunits *units, Dwarf_Addr pc, struct frames *out);

/* A new, zeroed last frame. */
struct frame *frames_append(struct frames *frames);

#endif
