/*
 * Condition variables: the mutex is taken back under its policy.
 *
 * glibc re-locks inside its wait, where no hook sees it. So a waiter sleeps with a small mutex of
 * ours, a gate, and takes the program's afterwards. Which gate is told by the condition variable's
 * address, so there is no table and no lifetime.
 *
 * Why no wake-up is lost: between releasing the program's mutex and being enqueued by glibc, a
 * waiter is nowhere. Signallers note in the gate, under its mutex, which condition variable they
 * signalled; a waiter, before it releases the program's mutex, notes how far these notes go, and
 * once it has the gate looks whether one for its own has been added. If so it was signalled already
 * and does not sleep. If not, whoever signals later has to pass the gate first, which the waiter
 * lets go of only when glibc has enqueued it. Nobody holds the gate while signalling, nor while
 * waking a thread that waits for the program's mutex; both cost ping-pong over a condition variable
 * half its rate.
 */
#include "preload/hooks.h"

#define GATES 64
/* glibc's __wrefs: bit 0 says process-shared. */
#define COND_SHARED 1u

#define NOTES 8

/* glibc's lock word, as selfcheck() has seen it. */
enum { LOCKED = 1, LOCKED_AND_WAITED_FOR = 2 };

/* Apart from each other: unrelated condition variables should not share a cache line. */
struct gate {
	pthread_mutex_t mutex;
	atomic_uint inside;                /* threads that may be asleep until it is free */
	atomic_uint signals;               /* made through this gate; written under the mutex */
	const pthread_cond_t *note[NOTES]; /* the last of them, by number; under the mutex */
} __attribute__((aligned(64)));

static struct gate gates[GATES];

static struct gate *gate_of(const pthread_cond_t *c)
{
	return &gates[hash64((uint64_t)c) >> 58];
}
_Static_assert(GATES == 1 << (64 - 58), "the hash picks a gate");

void cond_reset(void)
{
	for (unsigned i = 0; i < GATES; i++)
		gates[i] = (struct gate){.mutex = PTHREAD_MUTEX_INITIALIZER};
}

/*
 * glibc's wait takes the gate back as one that others may wait for, so that its release would be a
 * system call each time. Whoever may have to sleep for it is counted inside before it tries; where
 * that is this thread alone, the lock word says so again. One that comes later finds it taken and
 * changes it back itself.
 */
static void gate_leave(struct gate *gate)
{
	atomic_int *word = (atomic_int *)&gate->mutex.__data.__lock;
	int waited_for = LOCKED_AND_WAITED_FOR;

	if (thread_self->fast_mutexes &&
		atomic_compare_exchange_strong(word, &waited_for, LOCKED) &&
		atomic_load(&gate->inside) > 1)
		atomic_store(word, LOCKED_AND_WAITED_FOR);
	real.mutex_unlock(&gate->mutex);
	atomic_fetch_sub(&gate->inside, 1);
}

static void gate_lock(struct gate *gate)
{
	if (real.mutex_trylock(&gate->mutex) == 0)
		return;
	atomic_fetch_add(&gate->inside, 1);
	real.mutex_lock(&gate->mutex);
	atomic_fetch_sub(&gate->inside, 1);
}

/* Whether `c` was signalled since there were `before` signals; with the gate's mutex held. More
 * than there are notes of: it may have been, and a wake-up too many is allowed. */
static bool gate_signalled(const struct gate *gate, const pthread_cond_t *c, unsigned before)
{
	unsigned now = atomic_load_explicit(&gate->signals, memory_order_relaxed);

	if (now - before > NOTES)
		return true;
	while (before != now) {
		if (gate->note[before++ % NOTES] == c)
			return true;
	}
	return false;
}

static void gate_note(struct gate *gate, const pthread_cond_t *c)
{
	unsigned number;

	gate_lock(gate);
	number = atomic_load_explicit(&gate->signals, memory_order_relaxed);
	gate->note[number % NOTES] = c;
	atomic_store_explicit(&gate->signals, number + 1, memory_order_relaxed);
	real.mutex_unlock(&gate->mutex);
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
	struct gate *gate;
	pthread_mutex_t *mutex;
	uint64_t site, released; /* ticks */
	bool user; /* counted among the mutex's users, as glibc does for the time of the wait */
	int waited, result; /* of the wait; of taking the mutex back */
};

/* Also runs when the waiter is cancelled: the mutex must be held when its clean-up handlers run. */
static void take_back(void *data)
{
	struct relock *r = data;
	uint64_t woken = arch_ticks();
	struct thread *t = hook_thread();
	struct rlk_entry *e;

	gate_leave(r->gate);
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
	struct hold hold;
	int result;

	if (t && t->held_count && hold_stop(t, (uint64_t)m, &hold))
		hold_note(t, &hold);
	if (t && t->directory)
		add64(&arena_header->lost.conds_delegated, 1);
	result = wait_native(c, m, clock, deadline, clocked);
	if (t && t->directory && (result == 0 || result == ETIMEDOUT || result == EOWNERDEAD)) {
		struct rlk_entry *e = mutex_entry(t, m, site);

		entry_count(t, e, (uint64_t)m, site, 0);
	}
	return result;
}

/* Sleeps with the gate, unless the wake-up came before it could. */
static int wait_in_gate(struct relock *r, pthread_cond_t *c, unsigned before, clockid_t clock,
	const struct timespec *deadline, bool clocked)
{
	atomic_fetch_add(&r->gate->inside, 1);
	real.mutex_lock(&r->gate->mutex);
	pthread_cleanup_push(take_back, r);
	if (!gate_signalled(r->gate, c, before))
		r->waited = wait_native(c, &r->gate->mutex, clock, deadline, clocked);
	pthread_cleanup_pop(1);
	return r->result ? r->result : r->waited;
}

int cond_await(pthread_cond_t *c, pthread_mutex_t *m, uint64_t site, clockid_t clock,
	const struct timespec *deadline, bool clocked)
{
	struct thread *t = hook_thread();
	struct relock relock = {.gate = gate_of(c), .mutex = m, .site = site};
	unsigned before;
	int result;

	/* Deadlines that are refused are refused before anything is released. */
	if (!t || ((deadline || clocked) && deadline_odd(clock, deadline)))
		return wait_native(c, m, clock, deadline, clocked);
	if (!process.wrap_conditions || cond_is_shared(c) || mutex_is_delegated(m))
		return wait_delegated(t, c, m, site, clock, deadline, clocked);
	/* Whoever has a reason to signal that this waiter has not seen gets the mutex after it, and
	 * so notes its signal after this was read. */
	before = atomic_load_explicit(&relock.gate->signals, memory_order_relaxed);
	relock.user = mutex_is_ours(m, t);
	if (relock.user)
		mutex_count_user(m, 1);
	result = mutex_release(m);
	if (result)
		return result;
	relock.released = arch_ticks();
	return wait_in_gate(&relock, c, before, clock, deadline, clocked);
}

int cond_wake(pthread_cond_t *c, int (*wake)(pthread_cond_t *))
{
	/* In a child that no handler of ours was told of the gates are still its parent's. */
	if (unlikely(!thread_self->live))
		hook_thread();
	if (process.wrap_conditions && !cond_is_shared(c))
		gate_note(gate_of(c), c);
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
