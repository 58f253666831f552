#include "policies/arch.h"

#include <string.h>

#if defined(__aarch64__)
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
