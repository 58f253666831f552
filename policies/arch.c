#include "policies/arch.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <string.h>

#if defined(__x86_64__)
#include <cpuid.h>
#include <sys/prctl.h>
#elif defined(__aarch64__)
#include <sys/auxv.h>
#ifndef HWCAP_EVTSTRM
#define HWCAP_EVTSTRM (1ul << 2)
#endif
#ifndef HWCAP_SB
#define HWCAP_SB (1ul << 29)
#endif
#endif

static const char *const hint_names[HINT_COUNT] = {
	[HINT_DEFAULT] = "default",
	[HINT_NONE] = "none",
	[HINT_NOP] = "nop",
	[HINT_PAUSE] = "pause",
	[HINT_YIELD] = "yield",
	[HINT_ISB] = "isb",
	[HINT_SB] = "sb",
	[HINT_WFE] = "wfe",
};

const char *arch_hint_name(enum arch_hint hint)
{
	return (unsigned)hint < HINT_COUNT ? hint_names[hint] : "unknown";
}

bool arch_hint_parse(const char *name, enum arch_hint *out)
{
	for (unsigned i = 0; i < HINT_COUNT; i++) {
		if (strcmp(name, hint_names[i]) == 0) {
			*out = (enum arch_hint)i;
			return true;
		}
	}
	return false;
}

/* The instruction is a constant of the loop, so that a run of hints is nothing but hints. The
 * clobber keeps the compiler from carrying the lock word over a pause. */
#define REPEAT(instruction, count)                                                                 \
	do {                                                                                       \
		for (unsigned left = (count); left > 0; left--)                                    \
			__asm__ volatile(instruction ::: "memory");                                \
	} while (0)

#if defined(__x86_64__)

bool arch_hint_available(enum arch_hint hint)
{
	return hint == HINT_DEFAULT || hint == HINT_NONE || hint == HINT_NOP || hint == HINT_PAUSE;
}

void arch_pause(enum arch_hint hint, unsigned count)
{
	switch (hint) {
	case HINT_NONE:
		REPEAT("", count);
		break;
	case HINT_NOP:
		REPEAT("nop", count);
		break;
	default:
		REPEAT("pause", count);
		break;
	}
}

#elif defined(__aarch64__)

bool arch_hint_available(enum arch_hint hint)
{
	switch (hint) {
	case HINT_DEFAULT:
	case HINT_NONE:
	case HINT_NOP:
	case HINT_YIELD:
	case HINT_ISB:
		return true;
	case HINT_SB:
		return (getauxval(AT_HWCAP) & HWCAP_SB) != 0;
	case HINT_WFE: /* without the event stream nothing would promise an end to it */
		return (getauxval(AT_HWCAP) & HWCAP_EVTSTRM) != 0;
	default:
		return false;
	}
}

/* Hints that may trap, or not return, where the processor lacks them. */
static void pause_checked(enum arch_hint hint, unsigned count)
{
	if (!arch_hint_available(hint))
		REPEAT("isb", count);
	else if (hint == HINT_SB)
		REPEAT(".inst 0xd50330ff", count); /* sb; older assemblers do not know it */
	else
		REPEAT("wfe", count);
}

void arch_pause(enum arch_hint hint, unsigned count)
{
	switch (hint) {
	case HINT_NONE:
		REPEAT("", count);
		break;
	case HINT_NOP:
		REPEAT("nop", count);
		break;
	case HINT_YIELD:
		REPEAT("yield", count);
		break;
	case HINT_SB:
	case HINT_WFE:
		pause_checked(hint, count);
		break;
	default:
		REPEAT("isb", count);
		break;
	}
}

#elif defined(__riscv)

bool arch_hint_available(enum arch_hint hint)
{
	return hint == HINT_DEFAULT || hint == HINT_NONE || hint == HINT_NOP || hint == HINT_PAUSE;
}

void arch_pause(enum arch_hint hint, unsigned count)
{
	switch (hint) {
	case HINT_NONE:
		REPEAT("", count);
		break;
	case HINT_NOP:
		REPEAT("nop", count);
		break;
	default: /* pause of Zihintpause, a fence without effect on processors that lack it */
		REPEAT(".4byte 0x0100000f", count);
		break;
	}
}

#elif defined(__powerpc64__)

bool arch_hint_available(enum arch_hint hint)
{
	return hint == HINT_DEFAULT || hint == HINT_NONE || hint == HINT_NOP || hint == HINT_YIELD;
}

void arch_pause(enum arch_hint hint, unsigned count)
{
	switch (hint) {
	case HINT_NONE:
		REPEAT("", count);
		break;
	case HINT_NOP:
		REPEAT("nop", count);
		break;
	default: /* lowers the priority of this hardware thread */
		REPEAT("or 27,27,27", count);
		break;
	}
}

#else

bool arch_hint_available(enum arch_hint hint)
{
	return hint == HINT_DEFAULT || hint == HINT_NONE;
}

void arch_pause(enum arch_hint hint, unsigned count)
{
	(void)hint;
	REPEAT("", count);
}

#endif

#if defined(__aarch64__)
enum arch_clock arch_clock_in_use = CLOCK_IS_CNTVCT;
#else
enum arch_clock arch_clock_in_use = CLOCK_IS_MONOTONIC;
#endif

bool arch_clock_by_call;

const char *arch_clock_name(enum arch_clock clock)
{
	switch (clock) {
	case CLOCK_IS_TSC:
		return "tsc";
	case CLOCK_IS_CNTVCT:
		return "cntvct";
	case CLOCK_IS_MONOTONIC:
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
	arch_clock_by_call = tsc_is_forbidden();
	if (arch_clock_by_call)
		return CLOCK_IS_MONOTONIC;
	return tsc_is_invariant() && !kernel_distrusts_tsc() ? CLOCK_IS_TSC : CLOCK_IS_MONOTONIC;
}

#else

static enum arch_clock choose_clock(void)
{
	return arch_clock_in_use;
}

#endif

enum arch_clock arch_clock_init(void)
{
	static atomic_bool decided;

	if (!atomic_load_explicit(&decided, memory_order_relaxed)) {
		arch_clock_in_use = choose_clock();
		atomic_store_explicit(&decided, true, memory_order_relaxed);
	}
	return arch_clock_in_use;
}
