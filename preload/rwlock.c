#include "preload/hooks.h"
#include "preload/readers.h"

/* glibc's __readers: two state bits and a flag below the number of readers. */
#define WRITE_PHASE 1u
#define WRITE_LOCKED 2u
#define READER_WAITING 4u

/* By one thread, before it sets readers free. */
#define LOOKS 4096

static int32_t rwlock_writer(const pthread_rwlock_t *l)
{
	return atomic_load_explicit(
		(const atomic_int *)&l->__data.__cur_writer, memory_order_relaxed);
}

/* Readers stay behind a writer that waits, which glibc alone can tell: it has to wait there. */
static bool rwlock_is_delegated(const pthread_rwlock_t *l)
{
	return l->__data.__flags == PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP;
}

static struct lock_id rwlock_id(const pthread_rwlock_t *l)
{
	uint32_t flags = l->__data.__shared ? RLK_LOCK_SHARED : 0;

	flags |= rwlock_is_delegated(l) ? RLK_LOCK_DELEGATED : 0;
	return (struct lock_id){(uint64_t)l, RLK_KIND_RDLOCK, flags};
}

static uint64_t rwlock_key(const pthread_rwlock_t *l, enum rlk_kind side)
{
	return (uint64_t)l | (side == RLK_KIND_WRLOCK ? KEY_WRITE_SIDE : 0);
}

/* --- counting */

/* Readers leave no name in the lock. Once anybody had to wait for it, one leaves its number, unless
 * another did. */
static void reader_leaves_number(struct thread *t, const struct rlk_entry *e)
{
	struct rlk_record *record = lock_row(e->record - 1);

	t->leaves_number = 1;
	if (load64(&record->holder) == 0)
		store64_release(&record->holder, t->number + 1); /* as in spin_leave_holder() */
}

static inline void rwlock_count_in(
	struct thread *t, struct rlk_entry *e, uint64_t key, enum rlk_kind side, uint64_t site)
{
	entry_count(t, e, key, site, 0);
	if (side == RLK_KIND_RDLOCK && unlikely(entry_waited(e)))
		reader_leaves_number(t, e);
}

static COLD void rwlock_count_slow(
	struct thread *t, pthread_rwlock_t *l, enum rlk_kind side, uint64_t site)
{
	struct lock_id id = rwlock_id(l);
	uint64_t key = rwlock_key(l, side);

	if (id.flags & RLK_LOCK_SHARED)
		writer_announce(l);
	if (t->directory)
		rwlock_count_in(t, entry_get(t, key, &id, site), key, side, site);
	else
		count_unrecorded(key, &id, site);
}

/* In the entry that entry_ahead() found, if it is the right one. */
static inline void rwlock_count_ahead(struct thread *t, pthread_rwlock_t *l, enum rlk_kind side,
	uint64_t site, struct rlk_entry *e)
{
	uint64_t key = rwlock_key(l, side);

	if (likely(e && entry_is(e, key)))
		rwlock_count_in(t, e, key, side, site);
	else if (e || recorder.on)
		rwlock_count_slow(t, l, side, site);
}

static void rwlock_count(struct thread *t, pthread_rwlock_t *l, enum rlk_kind side, uint64_t site)
{
	rwlock_count_ahead(t, l, side, site, entry_ahead(t, rwlock_key(l, side)));
}

/* --- the calls as glibc would do them */

static int rdlock_native(
	pthread_rwlock_t *l, clockid_t clock, const struct timespec *deadline, bool timed)
{
	if (!timed)
		return real.rwlock_rdlock(l);
	if (clock == CLOCK_REALTIME)
		return real.rwlock_timedrdlock(l, deadline);
	return real.rwlock_clockrdlock(l, clock, deadline);
}

static int wrlock_unannounced(
	pthread_rwlock_t *l, clockid_t clock, const struct timespec *deadline, bool timed)
{
	if (!timed)
		return real.rwlock_wrlock(l);
	if (clock == CLOCK_REALTIME)
		return real.rwlock_timedwrlock(l, deadline);
	return real.rwlock_clockwrlock(l, clock, deadline);
}

static int wrlock_native(
	pthread_rwlock_t *l, clockid_t clock, const struct timespec *deadline, bool timed)
{
	int result;

	writer_announce(l);
	result = wrlock_unannounced(l, clock, deadline, timed);
	writer_announce(l);
	return result;
}

static int lock_native(pthread_rwlock_t *l, enum rlk_kind side, clockid_t clock,
	const struct timespec *deadline, bool timed)
{
	return side == RLK_KIND_WRLOCK ? wrlock_native(l, clock, deadline, timed)
				       : rdlock_native(l, clock, deadline, timed);
}

static int trywrlock_native(pthread_rwlock_t *l)
{
	int result;

	writer_announce(l);
	result = real.rwlock_trywrlock(l);
	writer_announce(l);
	return result;
}

static int try_side(pthread_rwlock_t *l, enum rlk_kind side)
{
	return side == RLK_KIND_WRLOCK ? trywrlock_native(l) : real.rwlock_tryrdlock(l);
}

static int try_read(struct wait *w)
{
	return real.rwlock_tryrdlock(w->lock);
}

static int try_write(struct wait *w)
{
	return trywrlock_native(w->lock);
}

static int block_read(struct wait *w)
{
	return rdlock_native(w->lock, w->clock, w->deadline, w->deadline != NULL);
}

static int block_write(struct wait *w)
{
	return wrlock_native(w->lock, w->clock, w->deadline, w->deadline != NULL);
}

/* --- acquiring */

static int rwlock_wait(struct thread *t, pthread_rwlock_t *l, enum rlk_kind side, uint64_t site,
	uint64_t frame, clockid_t clock, const struct timespec *deadline, int32_t writer)
{
	bool write = side == RLK_KIND_WRLOCK;
	struct call call = {
		.lock = l,
		.at = {rwlock_key(l, side), rwlock_id(l), site, frame,
			writer ? writer : rwlock_writer(l)},
		.kind = side,
		.delegated = rwlock_is_delegated(l),
		.word = (const atomic_uint *)&l->__data.__readers,
		/* A reader has to stay out while a writer has the lock and its phase; a writer
		   while anyone is in. */
		.mask = write ? ~(WRITE_PHASE | READER_WAITING) : WRITE_PHASE | WRITE_LOCKED,
		.free = write ? 0 : WRITE_PHASE | WRITE_LOCKED,
		.inverted = !write,
		.try_lock = write ? try_write : try_read,
		.block = write ? block_write : block_read,
		.deadline = deadline,
		.clock = clock,
	};

	return hook_wait(t, &call);
}

static int rwlock_native_counted(struct thread *t, pthread_rwlock_t *l, enum rlk_kind side,
	uint64_t site, clockid_t clock, const struct timespec *deadline, bool timed)
{
	int result = lock_native(l, side, clock, deadline, timed);

	if (result == 0)
		rwlock_count(t, l, side, site);
	return result;
}

/* `timed` calls come with a deadline; `clock` is CLOCK_REALTIME for those without a clock of their
 * own. */
static __attribute__((noinline)) int rwlock_acquire(pthread_rwlock_t *l, enum rlk_kind side,
	uint64_t site, clockid_t clock, const struct timespec *deadline, bool timed)
{
	struct thread *t = hook_thread();
	int32_t writer;
	int result;

	if (!t)
		return lock_native(l, side, clock, deadline, timed);
	if (process.delegate_all || (timed && deadline_odd(clock, deadline)))
		return rwlock_native_counted(t, l, side, site, clock, deadline, timed);
	/* Looked at before the try: by the time that has failed, the writer may be gone. */
	writer = rwlock_writer(l);
	result = try_side(l, side);
	if (result == 0) {
		rwlock_count(t, l, side, site);
		return 0;
	}
	/* This thread writes already, or an error whose code is the lock call's to choose. */
	if (result != EBUSY || rwlock_writer(l) == t->tid)
		return rwlock_native_counted(t, l, side, site, clock, deadline, timed);
	return rwlock_wait(t, l, side, site, FRAME_ADDRESS, clock, timed ? deadline : NULL, writer);
}

static int rwlock_try(pthread_rwlock_t *l, enum rlk_kind side, uint64_t site)
{
	struct thread *t = hook_thread();
	int result = try_side(l, side);
	struct lock_id id;

	if (!t)
		return result;
	if (result == 0) {
		rwlock_count(t, l, side, site);
	} else if (result == EBUSY) {
		id = rwlock_id(l);
		count_failed_try(t, rwlock_key(l, side), &id, site);
	}
	return result;
}

/* --- releasing */

static bool rwlock_hold_stop(struct thread *t, const pthread_rwlock_t *l, struct hold *hold)
{
	enum rlk_kind side = rwlock_writer(l) == t->tid ? RLK_KIND_WRLOCK : RLK_KIND_RDLOCK;

	return t->held_count && hold_stop(t, rwlock_key(l, side), hold);
}

static OUT_OF_LINE int rwlock_release_slow(struct thread *t, pthread_rwlock_t *l)
{
	struct rlk_entry *e = entry_fast(t, (uint64_t)l);
	struct hold hold;
	bool timed = rwlock_hold_stop(t, l, &hold);
	int result;

	if (e && entry_waited(e)) {
		struct rlk_record *record = lock_row(e->record - 1);

		if (load64(&record->holder) == t->number + 1)
			store64(&record->holder, 0);
	}
	result = real.rwlock_unlock(l);
	if (timed)
		hold_note(t, &hold);
	return result;
}

/* --- hooks */

/* Both the look and what the native lock adds want the line; it comes once. */
static inline void line_for_writing(const void *at)
{
#if defined(__x86_64__)
	/* Processors without it take it for none. */
	__asm__ volatile("prefetchw %0" ::"m"(*(const char *)at));
#else
	__builtin_prefetch(at, 1);
#endif
}

static inline bool rwlock_is_open(const pthread_rwlock_t *l)
{
	unsigned word = atomic_load_explicit(
		(const atomic_uint *)&l->__data.__readers, memory_order_relaxed);

	return !(word & (WRITE_PHASE | WRITE_LOCKED));
}

/* Not while a writer waits: it has said that it comes, and says it again only when it has the lock.
 */
static void readers_free_sometimes(const pthread_rwlock_t *l, struct thread *t)
{
	if (++t->looks % LOOKS == 0 && rwlock_is_open(l) && !l->__data.__shared)
		readers_free(l);
}

/* A reader of a lock that has writers, or is not known yet. */
static OUT_OF_LINE int rwlock_read_looking(
	pthread_rwlock_t *l, struct thread *t, struct rlk_entry *e, uint64_t site)
{
	int result;

	line_for_writing(l);
	if (unlikely(!t->live || !rwlock_is_open(l)))
		return rwlock_acquire(l, RLK_KIND_RDLOCK, site, CLOCK_REALTIME, NULL, false);
	result = real.rwlock_rdlock(l);
	if (likely(result == 0)) {
		rwlock_count_ahead(t, l, RLK_KIND_RDLOCK, site, e);
		readers_free_sometimes(l, t);
	}
	return result;
}

/* A lock that is new to the thread may be one that is shared between processes. */
static inline bool rwlock_reads_freely(
	const pthread_rwlock_t *l, const struct thread *t, const struct rlk_entry *e)
{
	return readers_are_free(l) && (likely(e != NULL) ? entry_is(e, (uint64_t)l) : t->live);
}

/*
 * Readers meet no writer most of the time, and then only share the count of readers: the native
 * lock adds to it, which always succeeds, where its try compares and swaps until that does. So a
 * lock whose writers announce none, or that is seen without one, is taken by the native call.
 * A writer that comes in between makes it wait natively, unrecorded: it has the few nanoseconds
 * between two instructions for that.
 */
HOOK int pthread_rwlock_rdlock(pthread_rwlock_t *l)
{
	struct thread *t = thread_self;
	struct rlk_entry *e = entry_ahead(t, (uint64_t)l);
	int result;

	if (unlikely(!rwlock_reads_freely(l, t, e)))
		return rwlock_read_looking(l, t, e, RETURN_ADDRESS);
	result = real.rwlock_rdlock(l);
	if (likely(result == 0))
		rwlock_count_ahead(t, l, RLK_KIND_RDLOCK, RETURN_ADDRESS, e);
	return result;
}

HOOK int pthread_rwlock_wrlock(pthread_rwlock_t *l)
{
	return rwlock_acquire(l, RLK_KIND_WRLOCK, RETURN_ADDRESS, CLOCK_REALTIME, NULL, false);
}

HOOK int pthread_rwlock_tryrdlock(pthread_rwlock_t *l)
{
	return rwlock_try(l, RLK_KIND_RDLOCK, RETURN_ADDRESS);
}

HOOK int pthread_rwlock_trywrlock(pthread_rwlock_t *l)
{
	return rwlock_try(l, RLK_KIND_WRLOCK, RETURN_ADDRESS);
}

HOOK int pthread_rwlock_timedrdlock(
	pthread_rwlock_t *restrict l, const struct timespec *restrict deadline)
{
	return rwlock_acquire(l, RLK_KIND_RDLOCK, RETURN_ADDRESS, CLOCK_REALTIME, deadline, true);
}

HOOK int pthread_rwlock_timedwrlock(
	pthread_rwlock_t *restrict l, const struct timespec *restrict deadline)
{
	return rwlock_acquire(l, RLK_KIND_WRLOCK, RETURN_ADDRESS, CLOCK_REALTIME, deadline, true);
}

HOOK int pthread_rwlock_clockrdlock(
	pthread_rwlock_t *restrict l, clockid_t clock, const struct timespec *restrict deadline)
{
	return rwlock_acquire(l, RLK_KIND_RDLOCK, RETURN_ADDRESS, clock, deadline, true);
}

HOOK int pthread_rwlock_clockwrlock(
	pthread_rwlock_t *restrict l, clockid_t clock, const struct timespec *restrict deadline)
{
	return rwlock_acquire(l, RLK_KIND_WRLOCK, RETURN_ADDRESS, clock, deadline, true);
}

HOOK int pthread_rwlock_unlock(pthread_rwlock_t *l)
{
	struct thread *t = thread_self;

	if (unlikely(!t->live))
		process_ready();
	else if (unlikely(t->held_count | t->leaves_number))
		return rwlock_release_slow(t, l);
	return real.rwlock_unlock(l);
}

HOOK int pthread_rwlock_init(
	pthread_rwlock_t *restrict l, const pthread_rwlockattr_t *restrict attributes)
{
	struct lock_id id;
	int result;

	process_ready();
	result = real.rwlock_init(l, attributes);
	/* The last one at this address may have been read freely, and this one be shared. */
	writer_announce(l);
	id = rwlock_id(l);
	if (result == 0 && hook_thread() && recorder.on)
		lock_born(&id, RETURN_ADDRESS);
	return result;
}

HOOK int pthread_rwlock_destroy(pthread_rwlock_t *l)
{
	struct lock_id id = {(uint64_t)l, RLK_KIND_RDLOCK, 0};
	int result;

	process_ready();
	result = real.rwlock_destroy(l);
	if (result == 0 && recorder.on && hook_thread())
		lock_died(&id);
	return result;
}
