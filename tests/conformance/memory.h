/*
 * Where a lock lies: in private memory, or in shared memory mapped at two addresses, one for the
 * subject and one for everybody else.
 *
 * Contract: one place at a time; memory_place() wipes it. The shared pages survive fork, and their
 * descriptor is inheritable, for a second program.
 */
#ifndef RELOCK_TESTS_CONFORMANCE_MEMORY_H
#define RELOCK_TESTS_CONFORMANCE_MEMORY_H

#include <stdbool.h>
#include <time.h>

struct place {
	void *subject, *other;
};

#define PLACE_BYTES 4096

struct place memory_place(bool shared);
int memory_descriptor(void);

/* Moments for the timed forms. */
enum when { PAST, NEAR, FAR, NSEC_LOW, NSEC_HIGH, SEC_NEGATIVE };

struct timespec deadline_at(clockid_t clock, enum when when);
const char *when_name(enum when when);
/* True once `deadline` is not in the future any more. */
bool deadline_passed(clockid_t clock, const struct timespec *deadline);

#endif
