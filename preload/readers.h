/*
 * Whether a rwlock's readers look for a writer before they call the native lock, or read freely.
 *
 * The look costs readers that share a lock a second transfer of its cache line. Most rwlocks are
 * hardly ever written, so after a while readers do without it, and writers announce themselves: in
 * a byte that the lock's address hashes to, in lines that nobody writes meanwhile. Locks that share
 * a byte only look more often than needed.
 *
 * Contract: a writer calls writer_announce() before it tries, before it blocks, and once it has the
 * lock; a reader that looked, and now holds the lock, may call readers_free(). So of a writer that
 * holds the lock readers know: its last announcement comes after what any reader before it did, in
 * the order that the lock itself gives.
 */
#ifndef RELOCK_PRELOAD_READERS_H
#define RELOCK_PRELOAD_READERS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define READERS_BITS 12

enum readers {
	READERS_LOOK,
	READERS_FREE,
	READERS_LOOK_ALWAYS, /* other processes write, and do not announce it here */
};

extern _Atomic uint8_t readers_state[1u << READERS_BITS] __attribute__((visibility("hidden")));

static inline _Atomic uint8_t *readers_of(const void *lock)
{
	return &readers_state[(uint64_t)(uintptr_t)lock * 0x9e3779b97f4a7c15u >>
			      (64 - READERS_BITS)];
}

static inline bool readers_are_free(const void *lock)
{
	return atomic_load_explicit(readers_of(lock), memory_order_relaxed) == READERS_FREE;
}

/* Not over what another lock with the same byte needs. */
static inline void readers_change(const void *lock, uint8_t from, uint8_t to)
{
	atomic_compare_exchange_strong_explicit(
		readers_of(lock), &from, to, memory_order_relaxed, memory_order_relaxed);
}

static inline void writer_announce(const void *lock)
{
	if (readers_are_free(lock))
		readers_change(lock, READERS_FREE, READERS_LOOK);
}

static inline void readers_free(const void *lock)
{
	readers_change(lock, READERS_LOOK, READERS_FREE);
}

static inline void readers_look_always(const void *lock)
{
	atomic_store_explicit(readers_of(lock), READERS_LOOK_ALWAYS, memory_order_relaxed);
}

#endif
