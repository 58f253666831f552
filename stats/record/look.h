/*
 * One look at all records (deflate.h): which are idle, folding those, and giving their rows back.
 *
 * Contract: the recorder's lock (quiet.h) is held, but for look_under_way() and look_free_rows().
 */
#ifndef RELOCK_STATS_RECORD_LOOK_H
#define RELOCK_STATS_RECORD_LOOK_H

#include <stdbool.h>
#include <stdint.h>

/* Begins with the first `records` of them, unless there is no memory for it. */
void look_begin(uint32_t records);
/* A slice of the look that is under way, some hundred microseconds at most. */
void look_on(void);
bool look_under_way(void);
void look_reset(void);

/* Of the look under way, or the last one. */
uint64_t look_folded(void);
uint64_t look_population(void);

/* Rows that were given back and not taken yet. */
uint64_t look_free_rows(void);

#endif
