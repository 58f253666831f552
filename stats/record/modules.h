/*
 * Which file an address belongs to, told without the loader's lock.
 *
 * A thread that holds one of the program's locks may ask while another one, inside dlopen, waits
 * for that lock; so dl_iterate_phdr() and dladdr() are out. _dl_find_object (glibc 2.35) answers
 * from a lock-free structure; before it, from a list taken when the recording was created.
 */
#ifndef RELOCK_STATS_RECORD_MODULES_H
#define RELOCK_STATS_RECORD_MODULES_H

#include "stats/record/table.h"

struct found_object {
	uint64_t start, end; /* mapped range */
	uint64_t identity;   /* of the loader's object: differs when another was loaded at the same
				place */
	uint64_t bias;
	uint64_t eh_frame_header; /* address; 0: none */
	const char *path;         /* "" for the executable */
};

/* True and *out filled when `address` lies in a loaded object. */
bool object_find(uint64_t address, struct found_object *out);

/* 1 + the number of the module that `object` is, added to the recording where it is new; 0 when
 * there is no room. */
uint32_t module_of(const struct found_object *object);

/* Whether module `module` (1 + number) is still `object`. */
bool module_is(uint32_t module, const struct found_object *object);

/* Takes the list for C libraries without _dl_find_object, and the path of the executable. Uses the
 * loader's lock: call it while there is one thread. */
void modules_open(const char *executable);
void modules_reset(void);

#endif
