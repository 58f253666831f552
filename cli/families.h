/*
 * The functions a program synchronises with: those relock hooks, and those it cannot see.
 *
 * Use: families_count() for every object of a program, then read the sightings.
 */
#ifndef RELOCK_CLI_FAMILIES_H
#define RELOCK_CLI_FAMILIES_H

#include "cli/elf_view.h"

#include <stdbool.h>
#include <stdint.h>

#define FAMILY_FUNCTIONS_MAX 16

struct family {
	const char *name;
	const char *prefix;                          /* of all its functions; printed once */
	const char *functions[FAMILY_FUNCTIONS_MAX]; /* without the prefix, ended by NULL */
	bool lock;           /* hooked: its calls show up as locks in a report */
	const char *meaning; /* of those that are not locks: what relock makes of them */
};

extern const struct family families[]; /* ended by a row without a name */
#define FAMILIES_MAX 24

/* What was found of one family, over the objects counted so far. */
struct sighting {
	uint32_t functions; /* bit per function */
	unsigned objects;
	char who[192]; /* names of the first few objects */
};

struct sightings {
	struct sighting of[FAMILIES_MAX];
	bool own_locks; /* an object brings a pthread_mutex_lock of its own */
	char own_locks_who[64];
};

/* Adds what `view` imports, under the name `object`. */
void families_count(struct sightings *sightings, const struct elf_view *view, const char *object);

/* "pthread_mutex_ lock, unlock" for the functions seen. */
void families_text(const struct family *family, uint32_t functions, char *out, size_t size);

#endif
