/*
 * What went wrong while reading, as sentences to show beside the result. The same sentence is kept
 * once; after NOTES_MAX further ones are only counted, so that a hostile file cannot fill memory.
 */
#ifndef RELOCK_STATS_REPORT_NOTES_H
#define RELOCK_STATS_REPORT_NOTES_H

#include <stddef.h>

#define NOTES_MAX 64

struct notes {
	char *text[NOTES_MAX + 1]; /* the last one may say how many more there were */
	size_t count;
	size_t dropped;
};

void notes_add(struct notes *notes, const char *format, ...) __attribute__((format(printf, 2, 3)));
void notes_free(struct notes *notes);

#endif
