/*
 * C11 locks. glibc's call internal names of the POSIX ones, so hooking those does not see these.
 * The objects are the same (glibc defines mtx_t and cnd_t as unions of their size), only the codes
 * differ.
 */
#include "preload/hooks.h"

_Static_assert(sizeof(mtx_t) == sizeof(pthread_mutex_t), "a C11 mutex is a POSIX mutex");
_Static_assert(sizeof(cnd_t) == sizeof(pthread_cond_t), "a C11 condition variable is a POSIX one");

static int c11_code(int error)
{
	switch (error) {
	case 0:
		return thrd_success;
	case ENOMEM:
		return thrd_nomem;
	case ETIMEDOUT:
		return thrd_timedout;
	case EBUSY:
		return thrd_busy;
	default:
		return thrd_error;
	}
}

HOOK int mtx_init(mtx_t *m, int type)
{
	int result;

	process_ready();
	result = real.mtx_init(m, type);
	if (result == thrd_success)
		mutex_born((pthread_mutex_t *)m, RETURN_ADDRESS);
	return result;
}

HOOK void mtx_destroy(mtx_t *m)
{
	process_ready();
	real.mtx_destroy(m);
	mutex_died((uint64_t)m);
}

HOOK int mtx_lock(mtx_t *m)
{
	return c11_code(
		mutex_acquire((pthread_mutex_t *)m, RETURN_ADDRESS, CLOCK_REALTIME, NULL, false));
}

HOOK int mtx_trylock(mtx_t *m)
{
	return c11_code(mutex_try((pthread_mutex_t *)m, RETURN_ADDRESS));
}

HOOK int mtx_timedlock(mtx_t *restrict m, const struct timespec *restrict deadline)
{
	return c11_code(mutex_acquire(
		(pthread_mutex_t *)m, RETURN_ADDRESS, CLOCK_REALTIME, deadline, true));
}

HOOK int mtx_unlock(mtx_t *m)
{
	return c11_code(mutex_release((pthread_mutex_t *)m));
}

HOOK int cnd_init(cnd_t *c)
{
	process_ready();
	return real.cnd_init(c);
}

HOOK void cnd_destroy(cnd_t *c)
{
	process_ready();
	real.cnd_destroy(c);
}

HOOK int cnd_wait(cnd_t *c, mtx_t *m)
{
	return c11_code(cond_await((pthread_cond_t *)c, (pthread_mutex_t *)m, RETURN_ADDRESS,
		CLOCK_REALTIME, NULL, false));
}

HOOK int cnd_timedwait(
	cnd_t *restrict c, mtx_t *restrict m, const struct timespec *restrict deadline)
{
	return c11_code(cond_await((pthread_cond_t *)c, (pthread_mutex_t *)m, RETURN_ADDRESS,
		CLOCK_REALTIME, deadline, false));
}

HOOK int cnd_signal(cnd_t *c)
{
	process_ready();
	return c11_code(cond_wake((pthread_cond_t *)c, real.cond_signal));
}

HOOK int cnd_broadcast(cnd_t *c)
{
	process_ready();
	return c11_code(cond_wake((pthread_cond_t *)c, real.cond_broadcast));
}
