/*
 * The libraries a program would be started with, as the loader finds them: search paths, caches and
 * versions are the loader's business, so it is asked (by tracing, which runs nothing of the
 * program).
 *
 * Use: libraries_list(), then libraries_free().
 *
 * Contract: only the loader that relock itself runs under is asked; any other could be anything.
 */
#ifndef RELOCK_CLI_LIBRARIES_H
#define RELOCK_CLI_LIBRARIES_H

#include <stdbool.h>
#include <stddef.h>

struct library {
	char *name; /* as the program asks for it */
	char *path; /* NULL: not found */
};

struct libraries {
	struct library *list;
	size_t count;
};

/* False: the loader could not be asked; the list is empty. */
bool libraries_list(const char *loader, const char *program, struct libraries *out);
void libraries_free(struct libraries *libraries);

/* The release of a C library file, e.g. "2.36". False: it does not say. */
bool libraries_glibc_version(const char *libc_path, char *out, size_t size);

#endif
