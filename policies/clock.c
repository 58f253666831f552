/* Which clock arch_ticks() reads. */
#include "policies/arch.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#if defined(__x86_64__)
#include <cpuid.h>
#include <sys/prctl.h>
#endif

#if defined(__aarch64__)
_Atomic enum arch_clock arch_clock_in_use = CLOCK_IS_CNTVCT;
#else
_Atomic enum arch_clock arch_clock_in_use = CLOCK_IS_MONOTONIC;
#endif

atomic_bool arch_clock_by_call;

const char *arch_clock_name(enum arch_clock clock)
{
	switch (clock) {
	case CLOCK_IS_TSC:
		return "tsc";
	case CLOCK_IS_CNTVCT:
		return "cntvct";
	case CLOCK_IS_MONOTONIC:
	case CLOCK_IS_CONVERTED:
		return "monotonic";
	}
	return "unknown";
}

#if defined(__x86_64__)

#define CPUID_POWER_MANAGEMENT 0x80000007u
#define CPUID_INVARIANT_TSC (1u << 8) /* in EDX */

static bool tsc_is_invariant(void)
{
	unsigned eax, ebx, ecx, edx;

	return __get_cpuid(CPUID_POWER_MANAGEMENT, &eax, &ebx, &ecx, &edx) != 0 &&
	       (edx & CPUID_INVARIANT_TSC) != 0;
}

/* A process may be forbidden to read it, by itself or by whoever started it. */
static bool tsc_is_forbidden(void)
{
	int mode = PR_TSC_ENABLE, saved = errno;

	syscall(SYS_prctl, PR_GET_TSC, &mode, 0, 0, 0);
	errno = saved;
	return mode == PR_TSC_SIGSEGV;
}

/*
 * The kernel takes a TSC that it caught drifting, or out of step between CPUs, off this list. The
 * current source says less: a virtual machine may prefer its own and have a sound TSC. A list that
 * cannot be read (no /sys in a container) says nothing.
 */
static bool kernel_distrusts_tsc(void)
{
	static const char list[] =
		"/sys/devices/system/clocksource/clocksource0/available_clocksource";
	char text[256];
	int saved = errno;
	long fd = syscall(SYS_openat, AT_FDCWD, list, O_RDONLY | O_CLOEXEC);
	long length = -1;

	if (fd >= 0) {
		length = syscall(SYS_read, fd, text, sizeof(text) - 1);
		syscall(SYS_close, fd);
	}
	errno = saved;
	if (length <= 0)
		return false;
	text[length] = '\0';
	return strstr(text, "tsc") == NULL;
}

/*
 * arch_ticks() reads the counter with a plain rdtsc, on purpose. Without a fence the processor may
 * read it a few dozen cycles early or late, which is less than the shortest wait or hold worth
 * reporting; a fence would drain the pipeline at each end of every timed hold, and cost more than
 * the error it removes.
 */
static enum arch_clock choose_clock(void)
{
	if (tsc_is_forbidden())
		atomic_store(&arch_clock_by_call, true);
	if (atomic_load(&arch_clock_by_call))
		return CLOCK_IS_MONOTONIC;
	return tsc_is_invariant() && !kernel_distrusts_tsc() ? CLOCK_IS_TSC : CLOCK_IS_MONOTONIC;
}

/* --- going on without the TSC */

#define PAIRS 8
#define TICK_KNOWN_NS 10000
#define RATE_SHIFT 58 /* up to 64 ticks a ns */

struct pair {
	uint64_t ticks, ns;
};

static struct pair origin; /* when the TSC was chosen */
/* Ticks a ns from there on, << RATE_SHIFT; 0: none are converted. */
static _Atomic uint64_t rate;

/* The tick is read after the ns it stands for, so that no later ns is converted to an earlier tick.
 * Of some pairs the closest: one may have been interrupted. */
static struct pair pair_now(void)
{
	struct pair best = {0, 0};
	uint64_t closest = UINT64_MAX;

	for (unsigned i = 0; i < PAIRS; i++) {
		uint64_t before = __builtin_ia32_rdtsc(), ns = arch_monotonic_ns(),
			 after = __builtin_ia32_rdtsc();

		if (after - before < closest) {
			closest = after - before;
			best = (struct pair){after, ns};
		}
	}
	return best;
}

/* By whoever is first: another thread's rate would make ticks go back. */
static void convert(void)
{
	uint64_t none = 0;
	struct pair now;

	do {
		now = pair_now();
	} while (now.ns - origin.ns < TICK_KNOWN_NS);
	atomic_compare_exchange_strong(&rate, &none,
		(uint64_t)(((unsigned __int128)(now.ticks - origin.ticks) << RATE_SHIFT) /
			   (now.ns - origin.ns)));
	/* Release pairs with the acquire in arch_ticks_by_clock(), which reads the rate. */
	atomic_store_explicit(&arch_clock_in_use, CLOCK_IS_CONVERTED, memory_order_release);
}

static uint64_t ticks_at(uint64_t ns)
{
	uint64_t ticks_a_ns = atomic_load_explicit(&rate, memory_order_relaxed);

	return origin.ticks +
	       (uint64_t)(((unsigned __int128)(ns - origin.ns) * ticks_a_ns) >> RATE_SHIFT);
}

/*
 * Another thread may be coming up meanwhile, or this one in what the caller interrupted: each
 * stores its own of the two flags before it looks at the other's, in one order for all (seq_cst),
 * so that one of them sees both. A signal handler that comes between the choice and the read of
 * another arch_ticks() and forbids the counter there is too late for that one.
 */
static void clock_begin(void)
{
	enum arch_clock clock = choose_clock();

	if (clock == CLOCK_IS_TSC)
		origin = pair_now();
	atomic_store(&arch_clock_in_use, clock);
	if (clock == CLOCK_IS_TSC && atomic_load(&arch_clock_by_call))
		convert();
}

bool arch_clock_forbid(void)
{
	bool known = atomic_exchange(&arch_clock_by_call, true);

	if (atomic_load(&arch_clock_in_use) == CLOCK_IS_TSC)
		convert();
	return !known;
}

#else

static uint64_t ticks_at(uint64_t ns)
{
	return ns;
}

static void clock_begin(void)
{
}

bool arch_clock_forbid(void)
{
	return false;
}

#endif

uint64_t arch_ticks_by_clock(void)
{
	uint64_t ns = arch_monotonic_ns();

	return atomic_load_explicit(&arch_clock_in_use, memory_order_acquire) == CLOCK_IS_CONVERTED
		       ? ticks_at(ns)
		       : ns;
}

enum arch_clock arch_clock_init(void)
{
	static atomic_bool decided;

	if (!atomic_load_explicit(&decided, memory_order_relaxed)) {
		clock_begin();
		atomic_store_explicit(&decided, true, memory_order_relaxed);
	}
	return atomic_load_explicit(&arch_clock_in_use, memory_order_relaxed);
}
