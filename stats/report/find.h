/*
 * Recordings in a directory.
 */
#ifndef RELOCK_STATS_REPORT_FIND_H
#define RELOCK_STATS_REPORT_FIND_H

#include <stdbool.h>
#include <stddef.h>

struct paths {
	char **path; /* sorted by name */
	size_t count, capacity;
};

bool find_is_directory(const char *path);
/* Every *.rlk that is a file. */
struct paths find_recordings(const char *directory);
void find_free(struct paths *paths);

#endif
