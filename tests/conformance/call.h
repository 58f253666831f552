/*
 * One call of the interface under test: what is called, on which lock, with which deadline; what
 * it returned, and whether it left errno alone.
 *
 * Use: fill `function`, `lock` and, for timed forms, `clock` and `when`; pass it to an actor with
 * call_step as the step.
 */
#ifndef RELOCK_TESTS_CONFORMANCE_CALL_H
#define RELOCK_TESTS_CONFORMANCE_CALL_H

#include "memory.h"

#include <stdbool.h>

struct call {
	int (*function)(struct call *call);
	void *lock;
	void *second; /* condition waits: the mutex */
	clockid_t clock;
	enum when when;
	struct timespec deadline; /* computed as the step begins */
	int rc;
	bool errno_kept;
	bool early; /* it said ETIMEDOUT before the deadline */
};

/* A step for an actor. */
void call_step(void *call);
/* A step for a child process: exits with the return code. */
void call_exit(void *call);
/* Adds rc, and errno and early when they are not as they should be. */
void case_call(const struct call *call);

#endif
