/*
 * The functions in whose place the hooks stand, as the next object in the search order has them:
 * glibc's, or those of another interposer below us.
 *
 * Contract: real_resolve() first; before it everything is NULL. Functions that this C library lacks
 * stay NULL.
 */
#ifndef RELOCK_PRELOAD_REAL_H
#define RELOCK_PRELOAD_REAL_H

#include <pthread.h>
#include <stdbool.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

/*
 * X(field, symbol, result, parameters). The first three come first: whatever the look-up of the
 * others calls can lock.
 */
#define REAL_FUNCTIONS(X)                                                                          \
	X(mutex_lock, pthread_mutex_lock, int, (pthread_mutex_t *))                                \
	X(mutex_unlock, pthread_mutex_unlock, int, (pthread_mutex_t *))                            \
	X(mutex_trylock, pthread_mutex_trylock, int, (pthread_mutex_t *))                          \
	X(mutex_init, pthread_mutex_init, int, (pthread_mutex_t *, const pthread_mutexattr_t *))   \
	X(mutex_destroy, pthread_mutex_destroy, int, (pthread_mutex_t *))                          \
	X(mutex_timedlock, pthread_mutex_timedlock, int,                                           \
		(pthread_mutex_t *, const struct timespec *))                                      \
	X(mutex_clocklock, pthread_mutex_clocklock, int,                                           \
		(pthread_mutex_t *, clockid_t, const struct timespec *))                           \
	X(spin_init, pthread_spin_init, int, (pthread_spinlock_t *, int))                          \
	X(spin_destroy, pthread_spin_destroy, int, (pthread_spinlock_t *))                         \
	X(spin_lock, pthread_spin_lock, int, (pthread_spinlock_t *))                               \
	X(spin_trylock, pthread_spin_trylock, int, (pthread_spinlock_t *))                         \
	X(spin_unlock, pthread_spin_unlock, int, (pthread_spinlock_t *))                           \
	X(rwlock_init, pthread_rwlock_init, int,                                                   \
		(pthread_rwlock_t *, const pthread_rwlockattr_t *))                                \
	X(rwlock_destroy, pthread_rwlock_destroy, int, (pthread_rwlock_t *))                       \
	X(rwlock_rdlock, pthread_rwlock_rdlock, int, (pthread_rwlock_t *))                         \
	X(rwlock_wrlock, pthread_rwlock_wrlock, int, (pthread_rwlock_t *))                         \
	X(rwlock_tryrdlock, pthread_rwlock_tryrdlock, int, (pthread_rwlock_t *))                   \
	X(rwlock_trywrlock, pthread_rwlock_trywrlock, int, (pthread_rwlock_t *))                   \
	X(rwlock_timedrdlock, pthread_rwlock_timedrdlock, int,                                     \
		(pthread_rwlock_t *, const struct timespec *))                                     \
	X(rwlock_timedwrlock, pthread_rwlock_timedwrlock, int,                                     \
		(pthread_rwlock_t *, const struct timespec *))                                     \
	X(rwlock_clockrdlock, pthread_rwlock_clockrdlock, int,                                     \
		(pthread_rwlock_t *, clockid_t, const struct timespec *))                          \
	X(rwlock_clockwrlock, pthread_rwlock_clockwrlock, int,                                     \
		(pthread_rwlock_t *, clockid_t, const struct timespec *))                          \
	X(rwlock_unlock, pthread_rwlock_unlock, int, (pthread_rwlock_t *))                         \
	X(cond_clockwait, pthread_cond_clockwait, int,                                             \
		(pthread_cond_t *, pthread_mutex_t *, clockid_t, const struct timespec *))         \
	X(mtx_init, mtx_init, int, (mtx_t *, int))                                                 \
	X(mtx_destroy, mtx_destroy, void, (mtx_t *))                                               \
	X(mtx_lock, mtx_lock, int, (mtx_t *))                                                      \
	X(mtx_trylock, mtx_trylock, int, (mtx_t *))                                                \
	X(mtx_timedlock, mtx_timedlock, int, (mtx_t *, const struct timespec *))                   \
	X(mtx_unlock, mtx_unlock, int, (mtx_t *))                                                  \
	X(cnd_init, cnd_init, int, (cnd_t *))                                                      \
	X(cnd_destroy, cnd_destroy, void, (cnd_t *))                                               \
	X(thread_create, pthread_create, int,                                                      \
		(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *))                  \
	X(thrd_create, thrd_create, int, (thrd_t *, thrd_start_t, void *))                         \
	X(sched_yield, sched_yield, int, (void))                                                   \
	X(nanosleep, nanosleep, int, (const struct timespec *, struct timespec *))                 \
	X(clock_nanosleep, clock_nanosleep, int,                                                   \
		(clockid_t, int, const struct timespec *, struct timespec *))                      \
	X(usleep, usleep, int, (useconds_t))                                                       \
	X(thrd_yield, thrd_yield, void, (void))                                                    \
	X(thrd_sleep, thrd_sleep, int, (const struct timespec *, struct timespec *))

/* Condition variables have two versions where the port is old enough; ours is the newer one. */
#define REAL_CONDITION_FUNCTIONS(X)                                                                \
	X(cond_init, pthread_cond_init, int, (pthread_cond_t *, const pthread_condattr_t *))       \
	X(cond_destroy, pthread_cond_destroy, int, (pthread_cond_t *))                             \
	X(cond_wait, pthread_cond_wait, int, (pthread_cond_t *, pthread_mutex_t *))                \
	X(cond_timedwait, pthread_cond_timedwait, int,                                             \
		(pthread_cond_t *, pthread_mutex_t *, const struct timespec *))                    \
	X(cond_signal, pthread_cond_signal, int, (pthread_cond_t *))                               \
	X(cond_broadcast, pthread_cond_broadcast, int, (pthread_cond_t *))

#define REAL_FIELD(field, symbol, result, parameters) result(*field) parameters;

struct real {
	REAL_FUNCTIONS(REAL_FIELD)
	REAL_CONDITION_FUNCTIONS(REAL_FIELD)
};

extern struct real real __attribute__((visibility("hidden")));

/* Looks all of them up. False: not even the mutex functions were found, which means that we were
 * loaded too late or alone. */
bool real_resolve(void);

#endif
