/*
 * Proves, on locks of our own, that the glibc fields we read and write mean here what we think.
 *
 * Two questions. May the fields be read at all: is a locked mutex one whose owner field is the
 * thread, whose kind is what was asked for? If not, everything is left to glibc. And, kind by kind:
 * does our own first try leave a mutex byte for byte as the native lock does, and do the native
 * unlock, trylock, destroy and condition wait accept it and restore it? If not, that kind's first
 * try stays the native trylock. RELOCK_SELFCHECK=fields or =kinds makes the one or the other fail,
 * for tests.
 */
#include "preload/hooks.h"

#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define KINDS 4

int32_t selfcheck_tid(void)
{
	pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
	int32_t owner;

	real.mutex_lock(&m);
	owner = m.__data.__owner;
	real.mutex_unlock(&m);
	return owner;
}

static const pthread_mutex_t fresh[KINDS] = {
	PTHREAD_MUTEX_INITIALIZER,
	PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP,
	PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP,
	PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP,
};

static bool fields_hold(unsigned kind)
{
	pthread_mutex_t m = fresh[kind];
	bool hold =
		(unsigned)m.__data.__kind == kind && m.__data.__lock == 0 && m.__data.__owner == 0;

	if (real.mutex_lock(&m))
		return false;
	hold = hold && m.__data.__lock == 1 && m.__data.__owner == (int)syscall(SYS_gettid) &&
	       m.__data.__nusers == 1;
	if (real.mutex_unlock(&m))
		return false;
	return hold && memcmp(&m, &fresh[kind], sizeof(m)) == 0;
}

/* An initialised mutex, with attributes: are kind and sharing where we read them? */
static bool attributes_hold(void)
{
	pthread_mutexattr_t attributes;
	pthread_mutex_t m;
	bool hold;

	pthread_mutexattr_init(&attributes);
	pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
	pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ERRORCHECK);
	hold = real.mutex_init(&m, &attributes) == 0 &&
	       m.__data.__kind == (PTHREAD_MUTEX_ERRORCHECK | 128);
	pthread_mutexattr_destroy(&attributes);
	return hold;
}

static bool conditions_hold(void)
{
	pthread_condattr_t attributes;
	pthread_cond_t shared, private;
	bool hold;

	pthread_condattr_init(&attributes);
	hold = real.cond_init(&private, &attributes) == 0 && !(private.__data.__wrefs & 1);
	pthread_condattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
	hold = hold && real.cond_init(&shared, &attributes) == 0 && (shared.__data.__wrefs & 1);
	pthread_condattr_destroy(&attributes);
	return hold;
}

static bool rwlocks_hold(void)
{
	pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
	bool hold = l.__data.__readers == 0 && l.__data.__cur_writer == 0;

	real.rwlock_rdlock(&l);
	hold = hold && l.__data.__readers == 1u << 3 && l.__data.__cur_writer == 0;
	real.rwlock_unlock(&l);
	real.rwlock_wrlock(&l);
	hold = hold && (l.__data.__readers & 3) == 3 &&
	       l.__data.__cur_writer == (int)syscall(SYS_gettid);
	real.rwlock_unlock(&l);
	return hold && (l.__data.__readers >> 3) == 0 && (l.__data.__readers & 2) == 0;
}

/* --- our own first try */

static void lock_by_hand(pthread_mutex_t *m, unsigned kind)
{
	m->__data.__lock = 1;
	if (kind == PTHREAD_MUTEX_RECURSIVE_NP)
		m->__data.__count = 1;
	m->__data.__owner = selfcheck_tid();
	m->__data.__nusers++;
}

/* A condition wait takes the mutex back as one that others may wait for, so the native one goes
 * through it as well. A time before the epoch has passed without asking the kernel, whose timers
 * would make half of what the library adds to a start. */
static bool condition_wait_accepts(pthread_mutex_t *by_hand, pthread_mutex_t *native)
{
	static const struct timespec past = {.tv_sec = -1};
	pthread_cond_t c = PTHREAD_COND_INITIALIZER;

	/* 2 is "locked, and others may wait": see gate_leave(). */
	return real.cond_timedwait(&c, by_hand, &past) == ETIMEDOUT &&
	       by_hand->__data.__lock == 2 && real.cond_timedwait(&c, native, &past) == ETIMEDOUT &&
	       memcmp(by_hand, native, sizeof(*native)) == 0;
}

static bool kind_holds(unsigned kind)
{
	pthread_mutex_t native = fresh[kind], by_hand = fresh[kind];
	int again = kind == PTHREAD_MUTEX_RECURSIVE_NP ? 0 : EBUSY;

	real.mutex_lock(&native);
	lock_by_hand(&by_hand, kind);
	if (memcmp(&native, &by_hand, sizeof(native)) || !condition_wait_accepts(&by_hand, &native))
		return false;
	if (real.mutex_trylock(&by_hand) != again || (again == 0 && real.mutex_unlock(&by_hand)))
		return false;
	if (real.mutex_destroy(&by_hand) != EBUSY || real.mutex_unlock(&by_hand))
		return false;
	return memcmp(&by_hand, &fresh[kind], sizeof(by_hand)) == 0 &&
	       real.mutex_destroy(&by_hand) == 0;
}

/* Our first try of a spinlock writes the architecture's value for "taken"; the native try must
 * leave the same. */
static bool spin_holds(void)
{
#if defined(__x86_64__)
	const int free_value = 1, taken = 0;
#else
	const int free_value = 0, taken = 1;
#endif
	pthread_spinlock_t s;
	int *value = (int *)&s;
	bool hold;

	if (real.spin_init(&s, PTHREAD_PROCESS_PRIVATE) || *value != free_value)
		return false;
	hold = real.spin_trylock(&s) == 0 && *value == taken && real.spin_trylock(&s) == EBUSY;
	hold = hold && real.spin_unlock(&s) == 0 && *value == free_value;
	hold = hold && real.spin_lock(&s) == 0 && *value == taken && real.spin_unlock(&s) == 0;
	return hold;
}

static bool forced_to_fail(const char *what)
{
	const char *forced = getenv("RELOCK_SELFCHECK");

	return forced && strcmp(forced, what) == 0;
}

bool selfcheck(uint32_t *fast_mutexes, uint32_t *fast_spin)
{
	*fast_mutexes = *fast_spin = 0;
	for (unsigned kind = 0; kind < KINDS; kind++) {
		if (!fields_hold(kind))
			return false;
	}
	if (!attributes_hold() || !conditions_hold() || !rwlocks_hold() || forced_to_fail("fields"))
		return false;
	if (forced_to_fail("kinds"))
		return true;
	/* One comparison on the hot path: the kinds up to the first one that fails. */
	while (*fast_mutexes < KINDS && kind_holds(*fast_mutexes))
		++*fast_mutexes;
	*fast_spin = spin_holds();
	return true;
}
