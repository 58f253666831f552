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
	uint64_t eh_frame_header; /* address; 0: none */
};

/*
 * Whether an object is still mapped while it is looked into. The calling thread's own callers are,
 * and what is in a lock it uses. Where another thread has been may be closed at any moment; of such
 * an object only the identity is told, unless it came with the program, which stays.
 */
enum presence { OBJECT_STAYS, OBJECT_MAY_GO };

/* What has to be read from the object or from what the loader has of it. */
struct object_details {
	uint64_t bias;
	const char *path; /* "" for the executable */
};

/* True and *out filled when `address` lies in a loaded object. Reads nothing of the object. */
bool object_find(uint64_t address, struct found_object *out);

/* Whether `object` came with the program: it is never closed. */
bool object_is_permanent(const struct found_object *object);

/* Of an object that stays. */
void object_describe(const struct found_object *object, struct object_details *out);

/* 1 + the number of the module that `object` is, added to the recording where it is new; 0 when
 * there is no room. One that may go is added without a name, until module_settle(). */
uint32_t module_of(const struct found_object *object, enum presence presence);

/* Modules that have no name yet. */
extern atomic_uint modules_nameless __attribute__((visibility("hidden")));

/* Names the module of `site`, a return address of the calling thread's. */
void module_settle(uint64_t site);

/* Whether module `module` (1 + number) is still `object`. */
bool module_is(uint32_t module, const struct found_object *object);

/* The newest module with a name that had `address`; NULL when there is none. */
const struct rlk_module *module_at(uint64_t address);

/* Takes the list for C libraries without _dl_find_object, and the path of the executable. Uses the
 * loader's lock: call it while there is one thread. */
void modules_open(const char *executable);
void modules_reset(void);

#endif
