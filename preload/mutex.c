#include "preload/hooks.h"

#include <linux/futex.h>

/* glibc's encoding of __kind: the type in the low bits, then flags. */
#define KIND_TYPE 3
#define KIND_ROBUST 16
#define KIND_PI 32
#define KIND_PP 64
#define KIND_SHARED 128
#define KIND_NO_ELISION 512 /* set by asking for PTHREAD_MUTEX_NORMAL */
/* Where the lock word of a mutex with a ceiling keeps it. */
#define CEILING_MASK 0xfff80000u

static unsigned mutex_kind(const pthread_mutex_t *m)
{
	return (unsigned)atomic_load_explicit(
		(const atomic_int *)&m->__data.__kind, memory_order_relaxed);
}

static int32_t mutex_owner(const pthread_mutex_t *m)
{
	return atomic_load_explicit((const atomic_int *)&m->__data.__owner, memory_order_relaxed);
}

bool mutex_is_delegated(const pthread_mutex_t *m)
{
	return process.delegate_all ||
	       (mutex_kind(m) & ~(KIND_TYPE | KIND_SHARED | KIND_NO_ELISION));
}

static struct lock_id mutex_id(const pthread_mutex_t *m)
{
	static const uint32_t types[] = {
		0, RLK_LOCK_RECURSIVE, RLK_LOCK_ERRORCHECK, RLK_LOCK_ADAPTIVE};
	unsigned kind = mutex_kind(m);
	uint32_t flags = types[kind & KIND_TYPE];

	flags |= kind & KIND_SHARED ? RLK_LOCK_SHARED : 0;
	flags |= kind & KIND_ROBUST ? RLK_LOCK_ROBUST : 0;
	flags |= kind & KIND_PI ? RLK_LOCK_PI : 0;
	flags |= kind & KIND_PP ? RLK_LOCK_PP : 0;
	flags |= mutex_is_delegated(m) ? RLK_LOCK_DELEGATED : 0;
	return (struct lock_id){(uint64_t)m, RLK_KIND_MUTEX, flags};
}

/* --- the first try */

/*
 * What the native lock does to a free, private, plain mutex, written out: the lock word from 0 to
 * 1, the owner, the users, and the depth of a recursive one. Taken only for kinds that selfcheck()
 * has shown to come out byte for byte alike.
 */
static inline bool mutex_try_fast(pthread_mutex_t *m, const struct thread *t)
{
	unsigned kind = mutex_kind(m);
	int expected = 0;

	if (unlikely(kind >= t->fast_mutexes))
		return false;
	/* Acquire pairs with the release of glibc's unlock. */
	if (unlikely(!atomic_compare_exchange_strong_explicit((atomic_int *)&m->__data.__lock,
		    &expected, 1, memory_order_acquire, memory_order_relaxed)))
		return false;
	if (unlikely(kind == PTHREAD_MUTEX_RECURSIVE_NP))
		m->__data.__count = 1;
	/* Others only compare it with themselves, or look where we stand; as in glibc. */
	atomic_store_explicit((atomic_int *)&m->__data.__owner, t->tid, memory_order_relaxed);
	m->__data.__nusers++;
	told_taken(m);
	return true;
}

static COLD int mutex_count_slow(struct thread *t, pthread_mutex_t *m, uint64_t site)
{
	struct lock_id id = mutex_id(m);

	hook_count_slow(t, (uint64_t)m, &id, site);
	return 0;
}

/* Counts an acquisition, in the entry that entry_ahead() found, if it is the right one. Always 0,
 * the lock call's result, so that the hook can end in this call and needs no frame. */
static inline int mutex_count_ahead(
	struct thread *t, pthread_mutex_t *m, uint64_t site, struct rlk_entry *e)
{
	if (likely(e != NULL)) {
		if (likely(entry_is(e, (uint64_t)m)))
			return entry_count(t, e, (uint64_t)m, site, 0);
	} else if (!recorder.on) {
		return 0;
	}
	return mutex_count_slow(t, m, site);
}

static int mutex_count(struct thread *t, pthread_mutex_t *m, uint64_t site)
{
	return mutex_count_ahead(t, m, site, entry_ahead(t, (uint64_t)m));
}

struct rlk_entry *mutex_entry(struct thread *t, pthread_mutex_t *m, uint64_t site)
{
	struct lock_id id = mutex_id(m);

	return t && t->directory ? entry_find(t, (uint64_t)m, &id, site) : NULL;
}

/* --- the call as glibc would do it */

static int mutex_native(
	pthread_mutex_t *m, clockid_t clock, const struct timespec *deadline, bool timed)
{
	if (!timed)
		return real.mutex_lock(m);
	if (clock == CLOCK_REALTIME)
		return real.mutex_timedlock(m, deadline);
	return real.mutex_clocklock(m, clock, deadline);
}

static int try_native(struct wait *w)
{
	pthread_mutex_t *m = w->lock;

	/* A waiter that gets it by our own hand is as good as one that gets it natively. */
	if (mutex_try_fast(m, thread_self))
		return 0;
	return real.mutex_trylock(m);
}

static int block_native(struct wait *w)
{
	return mutex_native(w->lock, w->clock, w->deadline, w->deadline != NULL);
}

static bool acquired(int result)
{
	return result == 0 || result == EOWNERDEAD;
}

static int mutex_native_counted(struct thread *t, pthread_mutex_t *m, uint64_t site,
	clockid_t clock, const struct timespec *deadline, bool timed)
{
	int result = mutex_native(m, clock, deadline, timed);

	if (acquired(result))
		mutex_count(t, m, site);
	return result;
}

/* --- past the first try */

static int mutex_wait(struct thread *t, pthread_mutex_t *m, uint64_t site, uint64_t frame,
	clockid_t clock, const struct timespec *deadline, int32_t owner)
{
	struct call call = {
		.lock = m,
		.at = {(uint64_t)m, mutex_id(m), site, frame, owner ? owner : mutex_owner(m)},
		.kind = RLK_KIND_MUTEX,
		.delegated = mutex_is_delegated(m),
		.word = (const atomic_uint *)&m->__data.__lock,
		.mask = ~0u,
		.free = 0,
		.try_lock = try_native,
		.block = block_native,
		.deadline = deadline,
		.clock = clock,
	};

	return hook_wait(t, &call);
}

/*
 * Whether a mutex of glibc's alone is seen taken by another thread. Only a look: a try of such a
 * mutex is not the first half of its lock. It changes the thread's priority under a ceiling, and
 * takes a robust mutex that is beyond recovery for good.
 */
static bool delegated_is_taken(const pthread_mutex_t *m, const struct thread *t)
{
	unsigned word =
		atomic_load_explicit((const atomic_uint *)&m->__data.__lock, memory_order_relaxed);

	if (mutex_kind(m) & KIND_PP)
		return (word & ~CEILING_MASK) && mutex_owner(m) != t->tid;
	return (word & FUTEX_TID_MASK) && (word & FUTEX_TID_MASK) != (unsigned)t->tid;
}

static OUT_OF_LINE int mutex_acquire_slow(pthread_mutex_t *m, uint64_t site, clockid_t clock,
	const struct timespec *deadline, bool timed)
{
	/* Whoever has it may be gone in a moment, so the owner is looked at first. Where the hook
	 * has just tried, trying again would only take the lock word's cache line from the owner.
	 */
	int32_t owner = mutex_owner(m);
	int result = mutex_kind(m) < thread_self->fast_mutexes ? EBUSY : 0;
	struct thread *t = hook_thread();

	if (!t)
		return mutex_native(m, clock, deadline, timed);
	if (process.delegate_all || (timed && deadline_odd(clock, deadline)))
		return mutex_native_counted(t, m, site, clock, deadline, timed);
	if (mutex_is_delegated(m)) {
		if (!delegated_is_taken(m, t))
			return mutex_native_counted(t, m, site, clock, deadline, timed);
		return mutex_wait(t, m, site, FRAME_ADDRESS, clock, timed ? deadline : NULL, owner);
	}
	if (result == 0 && !mutex_try_fast(m, t))
		result = real.mutex_trylock(m);
	if (acquired(result)) {
		mutex_count(t, m, site);
		return result;
	}
	/* Ours already, or an error whose code is the lock call's to choose: glibc says what that
	 * means. */
	if (result != EBUSY || mutex_owner(m) == t->tid)
		return mutex_native_counted(t, m, site, clock, deadline, timed);
	return mutex_wait(t, m, site, FRAME_ADDRESS, clock, timed ? deadline : NULL, owner);
}

int mutex_acquire(pthread_mutex_t *m, uint64_t site, clockid_t clock,
	const struct timespec *deadline, bool timed)
{
	struct thread *t = thread_self;

	if (likely((!timed || !deadline_odd(clock, deadline)) && mutex_try_fast(m, t))) {
		mutex_count(t, m, site);
		return 0;
	}
	return mutex_acquire_slow(m, site, clock, deadline, timed);
}

int mutex_try(pthread_mutex_t *m, uint64_t site)
{
	struct thread *t = hook_thread();
	struct lock_id id;
	int result;

	if (!t)
		return real.mutex_trylock(m);
	result = mutex_try_fast(m, t) ? 0 : real.mutex_trylock(m);
	if (acquired(result)) {
		mutex_count(t, m, site);
	} else if (result == EBUSY) {
		id = mutex_id(m);
		count_failed_try(t, (uint64_t)m, &id, site);
	}
	return result;
}

/* A recursive mutex is let go with its last unlock. */
static bool mutex_stays_held(const pthread_mutex_t *m)
{
	return (mutex_kind(m) & KIND_TYPE) == PTHREAD_MUTEX_RECURSIVE_NP && m->__data.__count > 1;
}

static OUT_OF_LINE int mutex_release_slow(pthread_mutex_t *m, struct thread *t)
{
	struct hold hold;
	int result;

	if (unlikely(!t->live))
		hook_thread(); /* it may be the process's first call */
	else if (!mutex_stays_held(m) && hold_stop(t, (uint64_t)m, &hold)) {
		result = real.mutex_unlock(m);
		hold_note(t, &hold);
		return result;
	}
	return real.mutex_unlock(m);
}

/* Whatever is rare is left for by a jump: a call to come back from would cost registers. */
static OUT_OF_LINE int mutex_release_held(pthread_mutex_t *m, struct thread *t)
{
	struct rlk_cell *cell;
	uint64_t length;
	int result;

	if (unlikely(mutex_stays_held(m) || !hold_end_plainly(t, (uint64_t)m, &cell, &length)))
		return mutex_release_slow(m, t);
	result = real.mutex_unlock(m);
	hold_write(cell, length);
	return result;
}

int mutex_release(pthread_mutex_t *m)
{
	struct thread *t = thread_self;

	if (unlikely(t->held_count))
		return mutex_release_held(m, t);
	return real.mutex_unlock(m);
}

void mutex_count_user(pthread_mutex_t *m, int change)
{
	m->__data.__nusers += (unsigned)change;
}

bool mutex_is_ours(const pthread_mutex_t *m, const struct thread *t)
{
	return mutex_owner(m) == t->tid;
}

void mutex_born(pthread_mutex_t *m, uint64_t site)
{
	struct lock_id id = mutex_id(m);

	if (hook_thread() && recorder.on)
		lock_born(&id, site);
}

void mutex_died(uint64_t address)
{
	struct lock_id id = {address, RLK_KIND_MUTEX, 0};

	if (recorder.on && hook_thread())
		lock_died(&id);
}

/* --- hooks */

/* A hold that is going to be timed. The try waits for all that stands before it, and the clock for
 * nothing: so the entry is looked for behind the try, while the clock is read. */
static OUT_OF_LINE int mutex_lock_timed(struct thread *t, pthread_mutex_t *m, uint64_t site)
{
	if (likely(mutex_try_fast(m, t)))
		return mutex_count(t, m, site);
	return mutex_acquire_slow(m, site, CLOCK_REALTIME, NULL, false);
}

HOOK int pthread_mutex_lock(pthread_mutex_t *m)
{
	struct thread *t = thread_self;
	struct rlk_entry *e = NULL;

	if (t->directory) {
		if (unlikely(t->until_sample == 1))
			return mutex_lock_timed(t, m, RETURN_ADDRESS);
		e = entry_ahead(t, (uint64_t)m);
		if (likely(e))
			__builtin_prefetch(e, 1);
	}
	if (likely(mutex_try_fast(m, t)))
		return mutex_count_ahead(t, m, RETURN_ADDRESS, e);
	return mutex_acquire_slow(m, RETURN_ADDRESS, CLOCK_REALTIME, NULL, false);
}

HOOK int pthread_mutex_unlock(pthread_mutex_t *m)
{
	struct thread *t = thread_self;

	if (unlikely(t->held_count))
		return mutex_release_held(m, t);
	return real.mutex_unlock(m);
}

HOOK int pthread_mutex_trylock(pthread_mutex_t *m)
{
	return mutex_try(m, RETURN_ADDRESS);
}

HOOK int pthread_mutex_timedlock(
	pthread_mutex_t *restrict m, const struct timespec *restrict deadline)
{
	return mutex_acquire(m, RETURN_ADDRESS, CLOCK_REALTIME, deadline, true);
}

HOOK int pthread_mutex_clocklock(
	pthread_mutex_t *restrict m, clockid_t clock, const struct timespec *restrict deadline)
{
	return mutex_acquire(m, RETURN_ADDRESS, clock, deadline, true);
}

HOOK int pthread_mutex_init(pthread_mutex_t *m, const pthread_mutexattr_t *attributes)
{
	int result;

	if (!process_ready() && !real.mutex_init)
		return EAGAIN;
	result = real.mutex_init(m, attributes);
	if (result == 0)
		mutex_born(m, RETURN_ADDRESS);
	return result;
}

HOOK int pthread_mutex_destroy(pthread_mutex_t *m)
{
	int result;

	process_ready();
	result = real.mutex_destroy(m);
	if (result == 0)
		mutex_died((uint64_t)m);
	return result;
}

/* --- what it costs */

/* By names that no other library can have in front of ours. */
extern int mutex_lock_hooked(pthread_mutex_t *m)
	__attribute__((alias("pthread_mutex_lock"), visibility("hidden"), nothrow, nonnull));
extern int mutex_unlock_hooked(pthread_mutex_t *m)
	__attribute__((alias("pthread_mutex_unlock"), visibility("hidden"), nothrow, nonnull));

static pthread_mutex_t probed = PTHREAD_MUTEX_INITIALIZER;

static void probe_reset(void)
{
	probed = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
}

static void probe_native(void)
{
	real.mutex_lock(&probed);
	real.mutex_unlock(&probed);
}

static void probe_hooked(void)
{
	mutex_lock_hooked(&probed);
	mutex_unlock_hooked(&probed);
}

const struct cost_probe mutex_probe = {
	RLK_KIND_MUTEX, &probed, probe_reset, probe_native, probe_hooked};
