/*
 * What stands between the instrumented library and ThreadSanitizer's runtime, which comes behind it
 * in the search order: the library's real functions are the ones that the runtime intercepts.
 *
 * With the program's locks told of, the runtime checks that what our first try reads of a lock is
 * ordered by it. But a lock that orders its threads also hides what the recorder would have to
 * order itself. So there is another way to run, RACES=untold, in which only the library's
 * own locks are told of, those that lie in its memory, and nothing the program does but starting
 * and joining threads orders anything.
 */
#include "tell.h"

#include "preload/told.h"

#include <pthread.h>
#include <sanitizer/tsan_interface.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#undef dlsym
#undef dlvsym

/* Where the library ends and begins; the linker's. */
extern const char __ehdr_start[] __attribute__((visibility("hidden")));
extern const char _end[] __attribute__((visibility("hidden")));

/* X(symbol, flags, parameters): the lock is taken when it returns 0. Not known to all runtimes. */
#define CLOCKED(X)                                                                                 \
	X(pthread_mutex_clocklock, 0,                                                              \
		(pthread_mutex_t * lock, clockid_t clock, const struct timespec *deadline))        \
	X(pthread_rwlock_clockrdlock, __tsan_mutex_read_lock,                                      \
		(pthread_rwlock_t * lock, clockid_t clock, const struct timespec *deadline))       \
	X(pthread_rwlock_clockwrlock, 0,                                                           \
		(pthread_rwlock_t * lock, clockid_t clock, const struct timespec *deadline))

/* X(symbol, parameters, arguments): calls of the library for its own locks, too. */
#define SHARED(X)                                                                                  \
	X(pthread_mutex_lock, (pthread_mutex_t * lock), (lock))                                    \
	X(pthread_mutex_trylock, (pthread_mutex_t * lock), (lock))                                 \
	X(pthread_mutex_unlock, (pthread_mutex_t * lock), (lock))                                  \
	X(pthread_cond_wait, (pthread_cond_t * c, pthread_mutex_t * lock), (c, lock))              \
	X(pthread_cond_timedwait,                                                                  \
		(pthread_cond_t * c, pthread_mutex_t * lock, const struct timespec *deadline),     \
		(c, lock, deadline))                                                               \
	X(pthread_cond_clockwait,                                                                  \
		(pthread_cond_t * c, pthread_mutex_t * lock, clockid_t clock,                      \
			const struct timespec *deadline),                                          \
		(c, lock, clock, deadline))

static bool untold;

static bool is_ours(const void *lock)
{
	return (uintptr_t)lock >= (uintptr_t)__ehdr_start && (uintptr_t)lock < (uintptr_t)_end;
}

static int tell_taken(void *lock, unsigned flags)
{
	/* Nothing is said before of a lock that may not be had. */
	__tsan_mutex_pre_lock(lock, flags | __tsan_mutex_try_lock);
	__tsan_mutex_post_lock(lock, flags | __tsan_mutex_try_lock, 1);
	return 0;
}

void told_taken(void *lock)
{
	if (!untold || is_ours(lock))
		tell_taken(lock, 0);
}

#define TELL_CLOCKED(symbol, flags, parameters)                                                    \
	static int(*native_##symbol) parameters;                                                   \
	static int clocked_##symbol parameters                                                     \
	{                                                                                          \
		int result = native_##symbol(lock, clock, deadline);                               \
                                                                                                   \
		return result ? result : tell_taken(lock, flags);                                  \
	}
CLOCKED(TELL_CLOCKED)

#define TELL_SHARED(symbol, parameters, arguments)                                                 \
	static int(*seen_##symbol) parameters;                                                     \
	static int(*unseen_##symbol) parameters;                                                   \
	static int shared_##symbol parameters                                                      \
	{                                                                                          \
		return is_ours(lock) ? seen_##symbol arguments : unseen_##symbol arguments;        \
	}
SHARED(TELL_SHARED)

/* --- looking functions up */

static bool is_of_runtime(void *function)
{
	Dl_info runtime, found;

	return dladdr((void *)&__tsan_mutex_post_lock, &runtime) && dladdr(function, &found) &&
	       runtime.dli_fbase == found.dli_fbase;
}

static void *find_told(const char *name, void *function)
{
#define FIND_CLOCKED(symbol, flags, parameters)                                                    \
	if (strcmp(name, #symbol) == 0 && !is_of_runtime(function)) {                              \
		*(void **)&native_##symbol = function;                                             \
		return (void *)clocked_##symbol;                                                   \
	}
	CLOCKED(FIND_CLOCKED)
	return function;
}

static void *find_untold(const char *name, void *function)
{
	void *libc = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);
	void *unseen = libc ? dlsym(libc, name) : NULL;

#define FIND_SHARED(symbol, parameters, arguments)                                                 \
	if (strcmp(name, #symbol) == 0) {                                                          \
		*(void **)&seen_##symbol = function;                                               \
		*(void **)&unseen_##symbol = unseen;                                               \
		return (void *)shared_##symbol;                                                    \
	}
	SHARED(FIND_SHARED)
	/* Threads are started through the runtime in any case. */
	return unseen && strcmp(name, "pthread_create") != 0 ? unseen : function;
}

void *tell_dlsym(void *handle, const char *name)
{
	const char *way = getenv("RACES");
	void *function = dlsym(handle, name);

	untold = way && strcmp(way, "untold") == 0;
	return untold ? find_untold(name, function) : find_told(name, function);
}

/* The runtime's functions have no version. */
void *tell_dlvsym(void *handle, const char *name, const char *version)
{
	(void)handle;
	(void)name;
	(void)version;
	return NULL;
}
