#include "preload/hooks.h"

/* glibc's spinlocks count down from 1 on x86, and up from 0 everywhere else. */
#if defined(__x86_64__)
#define SPIN_FREE 1
#define SPIN_TAKEN 0
#else
#define SPIN_FREE 0
#define SPIN_TAKEN 1
#endif

static struct lock_id spin_id(const pthread_spinlock_t *s)
{
	return (struct lock_id){(uint64_t)s, RLK_KIND_SPIN, 0};
}

/* As mutex_try_fast(): taken only where selfcheck() has shown that the native lock leaves the same.
 */
static inline bool spin_try_fast(pthread_spinlock_t *s, const struct thread *t)
{
	int expected = SPIN_FREE;

	if (unlikely(!t->fast_spin))
		return false;
	/* Acquire pairs with the release of glibc's unlock. */
	if (unlikely(!atomic_compare_exchange_strong_explicit((atomic_int *)s, &expected,
		    SPIN_TAKEN, memory_order_acquire, memory_order_relaxed)))
		return false;
	told_taken((void *)s);
	return true;
}

static int try_native(struct wait *w)
{
	return real.spin_trylock(w->lock);
}

/* Only for the native policy: the others' idea of blocking is to sleep, as a spinlock cannot. */
static int block_native(struct wait *w)
{
	return real.spin_lock(w->lock);
}

/* A spinlock does not say who holds it. Once anybody had to wait for it, a thread leaves its number
 * when it holds it. */
static inline void spin_leave_holder(struct thread *t, const struct rlk_entry *e)
{
	if (likely(!entry_waited(e)))
		return;
	t->leaves_number = 1;
	/* Release pairs with the acquire in holder_context(): the shard is there. */
	store64_release(&lock_row(e->record - 1)->holder, t->number + 1);
}

static COLD void spin_count_slow(struct thread *t, pthread_spinlock_t *s, uint64_t site)
{
	struct lock_id id = spin_id(s);
	struct rlk_entry *e;

	if (!t->directory) {
		count_unrecorded((uint64_t)s, &id, site);
		return;
	}
	e = entry_get(t, (uint64_t)s, &id, site);
	entry_count(t, e, (uint64_t)s, site, 0);
	spin_leave_holder(t, e);
}

/* In the entry that entry_ahead() found, if it is the right one. */
static inline void spin_count(
	struct thread *t, pthread_spinlock_t *s, uint64_t site, struct rlk_entry *e)
{
	if (likely(e != NULL)) {
		if (likely(entry_is(e, (uint64_t)s))) {
			entry_count(t, e, (uint64_t)s, site, 0);
			spin_leave_holder(t, e);
			return;
		}
	} else if (!recorder.on) {
		return;
	}
	spin_count_slow(t, s, site);
}

static OUT_OF_LINE int spin_lock_slow(pthread_spinlock_t *s, uint64_t site)
{
	struct thread *t = hook_thread();
	struct call call = {
		.lock = (void *)s,
		.at = {(uint64_t)s, spin_id(s), site, FRAME_ADDRESS, 0},
		.kind = RLK_KIND_SPIN,
		.delegated = process.delegate_all,
		.word = (const atomic_uint *)s,
		.mask = ~0u,
		.free = SPIN_FREE,
		.try_lock = try_native,
		.block = block_native,
		.cannot_block = true,
	};
	struct rlk_entry *e;
	int result;

	if (!t)
		return real.spin_lock(s);
	if (real.spin_trylock(s) == 0) {
		spin_count(t, s, site, entry_ahead(t, (uint64_t)s));
		return 0;
	}
	result = hook_wait(t, &call);
	e = entry_fast(t, (uint64_t)s);
	if (e)
		spin_leave_holder(t, e);
	return result;
}

/* Takes our number away again before the release, so that nobody is blamed for what the next holder
 * does. */
static OUT_OF_LINE int spin_unlock_slow(pthread_spinlock_t *s, struct thread *t)
{
	struct rlk_entry *e = entry_fast(t, (uint64_t)s);
	struct hold hold;
	bool timed = t->held_count && hold_stop(t, (uint64_t)s, &hold);
	int result;

	if (e && entry_waited(e))
		store64(&lock_row(e->record - 1)->holder, 0);
	result = real.spin_unlock(s);
	if (timed)
		hold_note(t, &hold);
	return result;
}

/* As mutex_release_held(). */
static OUT_OF_LINE int spin_unlock_held(pthread_spinlock_t *s, struct thread *t)
{
	struct rlk_cell *cell;
	uint64_t length;
	int result;

	if (unlikely(t->leaves_number || !hold_end_plainly(t, (uint64_t)s, &cell, &length)))
		return spin_unlock_slow(s, t);
	result = real.spin_unlock(s);
	hold_write(cell, length);
	return result;
}

HOOK int pthread_spin_lock(pthread_spinlock_t *s)
{
	struct thread *t = thread_self;
	struct rlk_entry *e = entry_ahead(t, (uint64_t)s);

	if (likely(spin_try_fast(s, t))) {
		spin_count(t, s, RETURN_ADDRESS, e);
		return 0;
	}
	return spin_lock_slow(s, RETURN_ADDRESS);
}

HOOK int pthread_spin_trylock(pthread_spinlock_t *s)
{
	struct thread *t = hook_thread();
	struct lock_id id = spin_id(s);
	int result = real.spin_trylock(s);

	if (!t)
		return result;
	if (result == 0)
		spin_count(t, s, RETURN_ADDRESS, entry_ahead(t, (uint64_t)s));
	else if (result == EBUSY)
		count_failed_try(t, (uint64_t)s, &id, RETURN_ADDRESS);
	return result;
}

HOOK int pthread_spin_unlock(pthread_spinlock_t *s)
{
	struct thread *t = thread_self;

	if (unlikely(!t->live))
		process_ready();
	else if (unlikely(t->held_count | t->leaves_number))
		return spin_unlock_held(s, t);
	return real.spin_unlock(s);
}

HOOK int pthread_spin_init(pthread_spinlock_t *s, int shared)
{
	struct lock_id id = spin_id(s);
	int result;

	process_ready();
	result = real.spin_init(s, shared);
	id.flags = shared == PTHREAD_PROCESS_SHARED ? RLK_LOCK_SHARED : 0;
	if (result == 0 && hook_thread() && recorder.on)
		lock_born(&id, RETURN_ADDRESS);
	return result;
}

HOOK int pthread_spin_destroy(pthread_spinlock_t *s)
{
	struct lock_id id = spin_id(s);
	int result;

	process_ready();
	result = real.spin_destroy(s);
	if (result == 0 && recorder.on && hook_thread())
		lock_died(&id);
	return result;
}

/* --- what it costs */

/* As in mutex.c. */
extern int spin_lock_hooked(pthread_spinlock_t *s)
	__attribute__((alias("pthread_spin_lock"), visibility("hidden"), nothrow, nonnull));
extern int spin_unlock_hooked(pthread_spinlock_t *s)
	__attribute__((alias("pthread_spin_unlock"), visibility("hidden"), nothrow, nonnull));

static pthread_spinlock_t probed = SPIN_FREE;

static void probe_reset(void)
{
	probed = SPIN_FREE;
}

static void probe_native(void)
{
	real.spin_lock(&probed);
	real.spin_unlock(&probed);
}

static void probe_hooked(void)
{
	spin_lock_hooked(&probed);
	spin_unlock_hooked(&probed);
}

const struct cost_probe spin_probe = {
	RLK_KIND_SPIN, (const void *)&probed, probe_reset, probe_native, probe_hooked};
