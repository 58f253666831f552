/*
 * Kinds of mutexes, and their calls in the shape of call.h. Shared by the families that need a
 * mutex beside what they test.
 */
#ifndef RELOCK_TESTS_CONFORMANCE_MUTEX_H
#define RELOCK_TESTS_CONFORMANCE_MUTEX_H

#include "call.h"

#include <pthread.h>
#include <stdbool.h>

/* Priority of the actors while priority-ceiling mutexes are tried, and the ceiling. */
#define MUTEX_FIFO 3
#define MUTEX_CEILING 7

struct mutex_variant {
	char name[64];
	int type, protocol;
	bool robust, shared;
	bool fifo; /* actors run under SCHED_FIFO */
};

/* The variants by number. False: there are no more. */
bool mutex_variant_at(int index, struct mutex_variant *v);
/* Initialises a mutex so. The error of the attribute or of pthread_mutex_init. */
int mutex_make(pthread_mutex_t *mutex, const struct mutex_variant *v);

int mutex_lock(struct call *call);
int mutex_trylock(struct call *call);
int mutex_timedlock(struct call *call);
int mutex_clocklock(struct call *call);
int mutex_unlock(struct call *call);

#endif
