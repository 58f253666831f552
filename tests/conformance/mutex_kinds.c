#include "mutex.h"

#include <stdio.h>

static const struct {
	const char *name;
	int value;
} types[] = {
	{"normal", PTHREAD_MUTEX_NORMAL},
	{"recursive", PTHREAD_MUTEX_RECURSIVE},
	{"errorcheck", PTHREAD_MUTEX_ERRORCHECK},
	{"adaptive", PTHREAD_MUTEX_ADAPTIVE_NP},
};

/* A ceiling can be taken by a real-time thread only; what others get is checked as well. */
static const struct {
	const char *name;
	int value;
	bool fifo;
} protocols[] = {
	{"none", PTHREAD_PRIO_NONE, false},
	{"inherit", PTHREAD_PRIO_INHERIT, false},
	{"protect", PTHREAD_PRIO_PROTECT, false},
	{"protect-fifo", PTHREAD_PRIO_PROTECT, true},
};

bool mutex_variant_at(int index, struct mutex_variant *v)
{
	int type = index % 4, protocol = index / 4 % 4, robust = index / 16 % 2,
	    shared = index / 32;

	if (shared > 1)
		return false;
	v->type = types[type].value;
	v->protocol = protocols[protocol].value;
	v->fifo = protocols[protocol].fifo;
	v->robust = robust;
	v->shared = shared;
	snprintf(v->name, sizeof(v->name), "%s/%s/%s/%s", types[type].name,
		protocols[protocol].name, robust ? "robust" : "stalled",
		shared ? "shared" : "private");
	return true;
}

int mutex_make(pthread_mutex_t *mutex, const struct mutex_variant *v)
{
	pthread_mutexattr_t attributes;
	int rc;

	pthread_mutexattr_init(&attributes);
	rc = pthread_mutexattr_settype(&attributes, v->type);
	if (rc == 0)
		rc = pthread_mutexattr_setprotocol(&attributes, v->protocol);
	if (rc == 0 && v->protocol == PTHREAD_PRIO_PROTECT)
		rc = pthread_mutexattr_setprioceiling(&attributes, MUTEX_CEILING);
	if (rc == 0 && v->robust)
		rc = pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
	if (rc == 0 && v->shared)
		rc = pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
	if (rc == 0)
		rc = pthread_mutex_init(mutex, &attributes);
	pthread_mutexattr_destroy(&attributes);
	return rc;
}

int mutex_lock(struct call *call)
{
	return pthread_mutex_lock(call->lock);
}

int mutex_trylock(struct call *call)
{
	return pthread_mutex_trylock(call->lock);
}

int mutex_timedlock(struct call *call)
{
	return pthread_mutex_timedlock(call->lock, &call->deadline);
}

int mutex_clocklock(struct call *call)
{
	return pthread_mutex_clocklock(call->lock, call->clock, &call->deadline);
}

int mutex_unlock(struct call *call)
{
	return pthread_mutex_unlock(call->lock);
}
