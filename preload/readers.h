/*
 * Whether a rwlock's readers look for a writer before they call the native lock, or read freely.
 *
 * The look costs readers that share a lock a second transfer of its cache line. Most rwlocks are
 * hardly ever written, so after a while readers do without it, and writers announce themselves: in
 * a place that the lock's address hashes to, in lines that nobody writes meanwhile. The place names
 * the one lock that is read freely: others that hash to it only look more often than needed.
 *
 * Contract: a writer calls writer_announce() before it tries, before it blocks, and once it has the
 * lock; a reader that looked, and now holds the lock, may call readers_free(). So of a writer that
 * holds the lock readers know: its last announcement comes after what any reader before it did, in
 * the order that the lock itself gives. (Set free between a writer's announcement and its locked
 * instruction, some nanoseconds once in thousands of reads, readers do not see that one writer
 * until it has the lock and runs.) Locks that other processes write, who do not announce it
 * here, are not set free; a lock that may have become one is taken back like a written one.
 */
#ifndef RELOCK_PRELOAD_READERS_H
#define RELOCK_PRELOAD_READERS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define READERS_BITS 12

/* Addresses of locks; 0: of none. */
extern _Atomic uint64_t readers_free_of[1u << READERS_BITS] __attribute__((visibility("hidden")));

static inline uint32_t readers_place(const void *lock)
{
	return (uint32_t)((uint64_t)(uintptr_t)lock * 0x9e3779b97f4a7c15u >> (64 - READERS_BITS));
}

static inline bool readers_are_free(const void *lock)
{
	return atomic_load_explicit(&readers_free_of[readers_place(lock)], memory_order_relaxed) ==
	       (uintptr_t)lock;
}

/* Not over what another lock with the same place has. */
static inline void writer_announce(const void *lock)
{
	uint64_t own = (uintptr_t)lock;

	if (readers_are_free(lock))
		atomic_compare_exchange_strong_explicit(&readers_free_of[readers_place(lock)], &own,
			0, memory_order_relaxed, memory_order_relaxed);
}

static inline void readers_free(const void *lock)
{
	atomic_store_explicit(
		&readers_free_of[readers_place(lock)], (uintptr_t)lock, memory_order_relaxed);
}

#endif
