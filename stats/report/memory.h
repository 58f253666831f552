/*
 * Memory for reports. A report that cannot get memory cannot go on: these end the command with a
 * message instead of returning NULL. What a recording can make a reader allocate is bounded by the
 * bytes really in it, see reader.h.
 */
#ifndef RELOCK_STATS_REPORT_MEMORY_H
#define RELOCK_STATS_REPORT_MEMORY_H

#include <stddef.h>
#include <stdio.h>

void *memory_get(size_t count, size_t size); /* zeroed */
char *memory_copy(const char *text);         /* NULL stays NULL */
char *memory_format(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Writes to memory: *text is for free() once the stream is closed. */
FILE *memory_stream(char **text, size_t *size);

/*
 * Makes room for one more element: doubles *capacity when `count` has reached it. New memory is not
 * zeroed. Returns the array, to be stored back.
 */
void *memory_grow(void *array, size_t count, size_t *capacity, size_t size);

/* From now on these end the process at once, without a message: it is not the command itself. */
void memory_end_quietly(void);

/* Makes `count` elements usable, the new ones zeroed. For tables addressed by index. */
void *memory_reach(void *array, size_t *count, size_t wanted, size_t size);

#endif
