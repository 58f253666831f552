/*
 * Access to counters and words that other threads, or readers in other processes, look at.
 *
 * The recording's rows are plain integers (stats/format.h); these wrappers give them atomic
 * accesses with explicit orders. shard_add() is for counters with one writing thread, whose signal
 * handlers may count too: one instruction, so that nothing is lost when a handler runs in the
 * middle of it, but no bus lock.
 */
#ifndef RELOCK_STATS_RECORD_SHARED_H
#define RELOCK_STATS_RECORD_SHARED_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)
/* Not on the hot path, but for speed all the same; and what hardly ever happens. */
#define OUT_OF_LINE __attribute__((noinline))
#define COLD __attribute__((noinline, cold))

/* Between two accesses other threads may come: the litmus programs (tests/litmus) see to it that
 * they do. */
#ifdef RELOCK_LITMUS
void shared_step(void);
#else
static inline void shared_step(void)
{
}
#endif

static inline void shard_add(uint64_t *counter, uint64_t n)
{
#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__)
	__asm__("addq %1, %0" : "+m"(*counter) : "er"(n) : "cc");
#else
	atomic_fetch_add_explicit((_Atomic uint64_t *)counter, n, memory_order_relaxed);
#endif
}

/* Raises a maximum that has one writing thread. A handler that interrupts it can at worst have its
 * own value overwritten. */
static inline void shard_max(uint64_t *max, uint64_t value)
{
	if (value > *max)
		atomic_store_explicit((_Atomic uint64_t *)max, value, memory_order_relaxed);
}

/* An exchange of a word that only one thread changes, and its handlers; likewise. False: it was not
 * `from`. */
#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__)
#define SHARD_CHANGE(name, type)                                                                   \
	static inline bool name(type *word, type from, type to)                                    \
	{                                                                                          \
		bool done;                                                                         \
                                                                                                   \
		__asm__ volatile("cmpxchg %3, %1"                                                  \
				 : "=@ccz"(done), "+m"(*word), "+a"(from)                          \
				 : "r"(to)                                                         \
				 : "memory");                                                      \
		return done;                                                                       \
	}
#else
#define SHARD_CHANGE(name, type)                                                                   \
	static inline bool name(type *word, type from, type to)                                    \
	{                                                                                          \
		return atomic_compare_exchange_strong_explicit((_Atomic type *)word, &from, to,    \
			memory_order_relaxed, memory_order_relaxed);                               \
	}
#endif

SHARD_CHANGE(shard_change, uint32_t)
SHARD_CHANGE(shard_change64, uint64_t)

static inline uint64_t load64(const uint64_t *p)
{
	uint64_t value;

	shared_step();
	value = atomic_load_explicit((const _Atomic uint64_t *)p, memory_order_relaxed);
	shared_step();
	return value;
}

static inline uint64_t load64_acquire(const uint64_t *p)
{
	uint64_t value;

	shared_step();
	value = atomic_load_explicit((const _Atomic uint64_t *)p, memory_order_acquire);
	shared_step();
	return value;
}

static inline void store64(uint64_t *p, uint64_t value)
{
	shared_step();
	atomic_store_explicit((_Atomic uint64_t *)p, value, memory_order_relaxed);
}

/* Publishes a row: everything stored into it before is seen by whoever loads the key with acquire.
 */
static inline void store64_release(uint64_t *p, uint64_t value)
{
	shared_step();
	atomic_store_explicit((_Atomic uint64_t *)p, value, memory_order_release);
}

static inline bool cas64(uint64_t *p, uint64_t expected, uint64_t value)
{
	shared_step();
	return atomic_compare_exchange_strong_explicit((_Atomic uint64_t *)p, &expected, value,
		memory_order_acq_rel, memory_order_relaxed);
}

static inline uint64_t add64(uint64_t *p, uint64_t n)
{
	shared_step();
	return atomic_fetch_add_explicit((_Atomic uint64_t *)p, n, memory_order_relaxed);
}

static inline uint32_t load32(const uint32_t *p)
{
	uint32_t value;

	shared_step();
	value = atomic_load_explicit((const _Atomic uint32_t *)p, memory_order_relaxed);
	shared_step();
	return value;
}

static inline uint32_t load32_acquire(const uint32_t *p)
{
	uint32_t value;

	shared_step();
	value = atomic_load_explicit((const _Atomic uint32_t *)p, memory_order_acquire);
	shared_step();
	return value;
}

static inline void store32(uint32_t *p, uint32_t value)
{
	shared_step();
	atomic_store_explicit((_Atomic uint32_t *)p, value, memory_order_relaxed);
}

static inline void store32_release(uint32_t *p, uint32_t value)
{
	shared_step();
	atomic_store_explicit((_Atomic uint32_t *)p, value, memory_order_release);
}

static inline bool cas32(uint32_t *p, uint32_t expected, uint32_t value)
{
	shared_step();
	return atomic_compare_exchange_strong_explicit((_Atomic uint32_t *)p, &expected, value,
		memory_order_acq_rel, memory_order_relaxed);
}

static inline uint32_t add32(uint32_t *p, uint32_t n)
{
	shared_step();
	return atomic_fetch_add_explicit((_Atomic uint32_t *)p, n, memory_order_relaxed);
}

static inline uint16_t load16(const uint16_t *p)
{
	uint16_t value;

	shared_step();
	value = atomic_load_explicit((const _Atomic uint16_t *)p, memory_order_relaxed);
	shared_step();
	return value;
}

static inline void store16(uint16_t *p, uint16_t value)
{
	shared_step();
	atomic_store_explicit((_Atomic uint16_t *)p, value, memory_order_relaxed);
}

static inline void store16_release(uint16_t *p, uint16_t value)
{
	shared_step();
	atomic_store_explicit((_Atomic uint16_t *)p, value, memory_order_release);
}

static inline bool cas16(uint16_t *p, uint16_t expected, uint16_t value)
{
	shared_step();
	return atomic_compare_exchange_strong_explicit((_Atomic uint16_t *)p, &expected, value,
		memory_order_relaxed, memory_order_relaxed);
}

static inline void or16(uint16_t *p, uint16_t bits)
{
	shared_step();
	atomic_fetch_or_explicit((_Atomic uint16_t *)p, bits, memory_order_relaxed);
}

static inline void add16(uint16_t *p, uint16_t n)
{
	shared_step();
	atomic_fetch_add_explicit((_Atomic uint16_t *)p, n, memory_order_relaxed);
}

/* Raises a maximum that several threads write. */
static inline void max32(uint32_t *max, uint32_t value)
{
	uint32_t seen = load32(max);

	while (value > seen && !cas32(max, seen, value))
		seen = load32(max);
}

#endif
