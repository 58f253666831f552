/*
 * What differs between processors: the pause hints a spinning thread can give, and the cycle
 * counter.
 *
 * Use: arch_hint_parse() when configuring, arch_pause() in a spin loop, arch_ticks() around a wait.
 * Contract: everything here is async-signal-safe, takes no lock, allocates nothing and makes no
 * system call, except arch_ticks() where no counter exists and the monotonic clock has to serve,
 * and the first arch_clock_init(), which may read one file of /sys.
 */
#ifndef RELOCK_POLICIES_ARCH_H
#define RELOCK_POLICIES_ARCH_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* Hints by name; which of them exist on this processor is arch_hint_available()'s to say. */
enum arch_hint {
	HINT_DEFAULT, /* what spin loops on this architecture are told to use */
	HINT_NONE,    /* an empty loop body, only a compiler barrier */
	HINT_NOP,
	HINT_PAUSE, /* x86-64, riscv64 Zihintpause */
	HINT_YIELD, /* aarch64; ppc64le "or 27,27,27" */
	HINT_ISB,   /* aarch64 */
	HINT_SB,    /* aarch64 with FEAT_SB */
	HINT_WFE,   /* aarch64, bounded by the event stream */
	HINT_COUNT,
};

/* The name as written in configuration ("default", "none", "nop", …). Never NULL. */
const char *arch_hint_name(enum arch_hint hint);

/* Finds a hint by name. Returns false when no such hint exists on any architecture. */
bool arch_hint_parse(const char *name, enum arch_hint *out);

/* Whether this processor has the hint (read from hwcaps where that is needed). */
bool arch_hint_available(enum arch_hint hint);

/* Executes `hint` `count` times (count >= 1). HINT_DEFAULT resolves to the architecture's own. */
void arch_pause(enum arch_hint hint, unsigned count);

enum arch_clock {
	CLOCK_IS_TSC,       /* x86-64, invariant */
	CLOCK_IS_CNTVCT,    /* aarch64 virtual counter */
	CLOCK_IS_MONOTONIC, /* clock_gettime(CLOCK_MONOTONIC), ticks are ns */
	CLOCK_IS_CONVERTED, /* the same, in ticks of the TSC, which may not be read any more */
};

/* Decides once, from CPUID / architecture, which clock arch_ticks() reads. Idempotent. */
enum arch_clock arch_clock_init(void);
const char *arch_clock_name(enum arch_clock clock);

/* The process is about to forbid itself the counter: from now on ticks are what it would say, by
 * the kernel's clock, and in the same unit. Returns whether that is a change. For good, since
 * threads inherit it: one that may read the counter again does not know of the others. */
bool arch_clock_forbid(void);

extern _Atomic enum arch_clock arch_clock_in_use __attribute__((visibility("hidden")));

/* The counter must not be read, by the C library's clock_gettime() neither: clocks are asked for by
 * system call. */
extern atomic_bool arch_clock_by_call __attribute__((visibility("hidden")));

static inline void arch_clock_read(clockid_t clock, struct timespec *now)
{
	if (__builtin_expect(atomic_load_explicit(&arch_clock_by_call, memory_order_relaxed), 0))
		syscall(SYS_clock_gettime, clock, now);
	else
		clock_gettime(clock, now);
}

/* CLOCK_MONOTONIC in ns. */
static inline uint64_t arch_monotonic_ns(void)
{
	struct timespec now;

	arch_clock_read(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* arch_ticks() without a counter. */
uint64_t arch_ticks_by_clock(void);

/* Whether ticks are a counter's: then arch_counter() is arch_ticks(). */
static inline bool arch_clock_is_counter(void)
{
#if defined(__x86_64__)
	return atomic_load_explicit(&arch_clock_in_use, memory_order_relaxed) == CLOCK_IS_TSC;
#elif defined(__aarch64__)
	return true;
#else
	return false;
#endif
}

static inline uint64_t arch_counter(void)
{
#if defined(__x86_64__)
	return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
	uint64_t ticks;

	__asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
	return ticks;
#else
	return 0;
#endif
}

/* The time stamp waits and holds are measured in. Unit: ticks of the clock in use, monotone per
 * thread. */
static inline uint64_t arch_ticks(void)
{
	return __builtin_expect(arch_clock_is_counter(), 1) ? arch_counter()
							    : arch_ticks_by_clock();
}

#endif
