/*
 * Condition variables: the mutex is taken back under its policy.
 *
 * glibc re-locks inside its wait, where no hook sees it. So a waiter sleeps with a small mutex of
 * ours, a gate, and takes the program's afterwards. Which gate is told by the condition variable's
 * address, so there is no table and no lifetime.
 *
 * Why no wake-up is lost: a waiter holds the gate from before it releases the program's mutex until
 * glibc has enqueued it and lets go of the gate. Whoever signals after seeing that mutex released
 * passes through the gate first, hence after the waiter is enqueued. Nothing is held while
 * signalling.
 */
#include "preload/hooks.h"

#define GATES 64
/* glibc's __wrefs: bit 0 says process-shared. */
#define COND_SHARED 1u

/* Apart from each other: unrelated condition variables should not share a cache line. */
struct gate {
	pthread_mutex_t mutex;
} __attribute__((aligned(64)));

static struct gate gates[GATES];

static pthread_mutex_t *gate_of(const pthread_cond_t *c)
{
	return &gates[hash64((uint64_t)c) >> 58].mutex;
}
_Static_assert(GATES == 1 << (64 - 58), "the hash picks a gate");

void cond_reset(void)
{
	for (unsigned i = 0; i < GATES; i++)
		gates[i].mutex = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
}

static bool cond_is_shared(const pthread_cond_t *c)
{
	return atomic_load_explicit((const atomic_uint *)&c->__data.__wrefs, memory_order_relaxed) &
	       COND_SHARED;
}

static int wait_native(pthread_cond_t *c, pthread_mutex_t *m, clockid_t clock,
	const struct timespec *deadline, bool clocked)
{
	if (!deadline && !clocked)
		return real.cond_wait(c, m);
	if (!clocked)
		return real.cond_timedwait(c, m, deadline);
	return real.cond_clockwait(c, m, clock, deadline);
}

/* --- the wait */

struct relock {
	pthread_mutex_t *gate, *mutex;
	uint64_t site, released; /* ticks */
	bool user; /* counted among the mutex's users, as glibc does for the time of the wait */
	int result;
};

/* Also runs when the waiter is cancelled: the mutex must be held when its clean-up handlers run. */
static void take_back(void *data)
{
	struct relock *r = data;
	uint64_t woken = arch_ticks();
	struct thread *t = hook_thread();
	struct rlk_entry *e;

	real.mutex_unlock(r->gate);
	r->result = mutex_acquire(r->mutex, r->site, CLOCK_REALTIME, NULL, false);
	if (r->result == 0 && r->user)
		mutex_count_user(r->mutex, -1);
	e = r->result == 0 ? mutex_entry(t, r->mutex, r->site) : NULL;
	if (e)
		count_cond_wait(t, e, woken - r->released);
}

/* A wait that glibc does whole: its re-lock is an acquisition, though we do not see how it went. */
static int wait_delegated(struct thread *t, pthread_cond_t *c, pthread_mutex_t *m, uint64_t site,
	clockid_t clock, const struct timespec *deadline, bool clocked)
{
	int result;

	if (t && t->held_count)
		hold_end(t, (uint64_t)m);
	if (t && t->entries)
		add64(&arena_header->lost.conds_delegated, 1);
	result = wait_native(c, m, clock, deadline, clocked);
	if (t && t->entries && (result == 0 || result == ETIMEDOUT || result == EOWNERDEAD)) {
		struct rlk_entry *e = mutex_entry(t, m, site);

		entry_count(t, e, (uint64_t)m, site, 0);
	}
	return result;
}

int cond_await(pthread_cond_t *c, pthread_mutex_t *m, uint64_t site, clockid_t clock,
	const struct timespec *deadline, bool clocked)
{
	struct thread *t = hook_thread();
	struct relock relock = {.gate = gate_of(c), .mutex = m, .site = site};
	int result;

	/* Deadlines that are refused are refused before anything is released. */
	if (!t || ((deadline || clocked) && deadline_odd(clock, deadline)))
		return wait_native(c, m, clock, deadline, clocked);
	if (!process.wrap_conditions || cond_is_shared(c) || mutex_is_delegated(m))
		return wait_delegated(t, c, m, site, clock, deadline, clocked);
	real.mutex_lock(relock.gate);
	relock.user = mutex_is_ours(m, t);
	if (relock.user)
		mutex_count_user(m, 1);
	result = mutex_release(m);
	if (result) {
		real.mutex_unlock(relock.gate);
		return result;
	}
	relock.released = arch_ticks();
	pthread_cleanup_push(take_back, &relock);
	result = wait_native(c, relock.gate, clock, deadline, clocked);
	pthread_cleanup_pop(1);
	return relock.result ? relock.result : result;
}

int cond_wake(pthread_cond_t *c, int (*wake)(pthread_cond_t *))
{
	if (process.wrap_conditions && !cond_is_shared(c)) {
		real.mutex_lock(gate_of(c));
		real.mutex_unlock(gate_of(c));
	}
	return wake(c);
}

/* --- hooks */

HOOK int pthread_cond_wait(pthread_cond_t *restrict c, pthread_mutex_t *restrict m)
{
	return cond_await(c, m, RETURN_ADDRESS, CLOCK_REALTIME, NULL, false);
}

HOOK int pthread_cond_timedwait(pthread_cond_t *restrict c, pthread_mutex_t *restrict m,
	const struct timespec *restrict deadline)
{
	return cond_await(c, m, RETURN_ADDRESS, CLOCK_REALTIME, deadline, false);
}

HOOK int pthread_cond_clockwait(pthread_cond_t *restrict c, pthread_mutex_t *restrict m,
	clockid_t clock, const struct timespec *restrict deadline)
{
	return cond_await(c, m, RETURN_ADDRESS, clock, deadline, true);
}

HOOK int pthread_cond_signal(pthread_cond_t *c)
{
	process_ready();
	return cond_wake(c, real.cond_signal);
}

HOOK int pthread_cond_broadcast(pthread_cond_t *c)
{
	process_ready();
	return cond_wake(c, real.cond_broadcast);
}

HOOK int pthread_cond_init(
	pthread_cond_t *restrict c, const pthread_condattr_t *restrict attributes)
{
	process_ready();
	return real.cond_init(c, attributes);
}

HOOK int pthread_cond_destroy(pthread_cond_t *c)
{
	process_ready();
	return real.cond_destroy(c);
}
