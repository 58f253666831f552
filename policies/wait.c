#include "policies/policy.h"

#include <errno.h>
#include <sched.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Pauses between two looks at the deadline: reading a clock costs as much as several pauses. */
#define PAUSES_PER_CHECK 64u
/* Pauses that anyone may make. Beyond, a thread must be one that can spin without starving the
 * owner. */
#define PAUSES_UNCHECKED 256u

/* Sleeps between tries, where a policy would block and the lock cannot. */
#define SHORTEST_SLEEP_NS 50000u
#define LONGEST_SLEEP_NS 1000000u

#define NS_PER_S 1000000000u

#define unlikely(condition) __builtin_expect(!!(condition), 0)

/*
 * The C library's own sched_yield() and nanosleep() will not do: the program's calls of them are
 * hooked and counted, and sleeping is a cancellation point, which locking is not.
 */
static long call_kernel(long number, long a, long b, long c, long d)
{
	int saved = errno;
	long result = syscall(number, a, b, c, d);

	errno = saved;
	return result;
}

/* Time left until the deadline, at most 30 years of it; UINT64_MAX where there is none. */
static uint64_t time_left_ns(const struct wait *w)
{
	const int64_t longest_s = 1000000000;
	struct timespec now = {0};
	int64_t left_s, left_ns;

	if (w->deadline == NULL)
		return UINT64_MAX;
	arch_clock_read(w->clock, &now);
	if (w->deadline->tv_sec < now.tv_sec)
		return 0;
	/* `now` is positive and not above the deadline, so this cannot overflow. */
	left_s = w->deadline->tv_sec - now.tv_sec;
	if (left_s > longest_s)
		left_s = longest_s;
	left_ns = left_s * NS_PER_S + w->deadline->tv_nsec - now.tv_nsec;
	return left_ns > 0 ? (uint64_t)left_ns : 0;
}

static bool deadline_passed(struct wait *w)
{
	if (time_left_ns(w) == 0)
		w->expired = true;
	return w->expired;
}

/* A real-time thread may keep the owner off its CPU for ever; yielding does not help, as a yield
 * only lets threads of at least its own priority run. */
static void check_realtime(struct wait *w)
{
	long scheduler;

	if (w->rt_checked)
		return;
	w->rt_checked = true;
	scheduler = w->scheduler ? w->scheduler() : call_kernel(SYS_sched_getscheduler, 0, 0, 0, 0);
	if (scheduler < 0)
		return;
	scheduler &= ~(long)SCHED_RESET_ON_FORK;
	if (scheduler == SCHED_FIFO || scheduler == SCHED_RR || scheduler == SCHED_DEADLINE)
		w->must_block = true;
}

bool wait_urgent(const struct wait *w)
{
	return w->urgent != NULL && atomic_load_explicit(w->urgent, memory_order_relaxed) != 0;
}

unsigned wait_peek(const struct wait *w)
{
	return atomic_load_explicit(w->word, memory_order_relaxed);
}

/* The load keeps the cache line shared while others hold the lock; only a lock that looks free is
 * worth taking the line for. The try itself orders what follows. */
static inline bool try_once(struct wait *w)
{
	int result;

	if (((wait_peek(w) & w->mask) == w->free) == w->inverted)
		return false;
	w->tries++;
	result = w->try_lock(w);
	if (result == EBUSY)
		return false;
	w->result = result;
	return true;
}

/* The way out of a wait that has to end: its deadline passed, or it must not spin any longer. */
static bool try_last(struct wait *w)
{
	if (try_once(w))
		return true;
	if (w->expired)
		w->result = ETIMEDOUT;
	else
		wait_block(w);
	return true;
}

bool wait_try(struct wait *w)
{
	if (unlikely(w->must_block || w->expired))
		return try_last(w);
	return try_once(w);
}

static void check_spinning(struct wait *w)
{
	deadline_passed(w);
	if (w->pauses < PAUSES_UNCHECKED)
		return;
	if (w->cpus <= 1)
		w->must_block = true;
	check_realtime(w);
}

void wait_pause(struct wait *w)
{
	w->stage = STAGE_SPIN;
	w->pauses++;
	arch_pause(w->t->hint, w->t->hint_count);
	if (unlikely(w->pauses % PAUSES_PER_CHECK == 0))
		check_spinning(w);
}

void wait_pauses(struct wait *w, uint32_t count)
{
	for (; count > 0 && !w->must_block && !w->expired && !wait_urgent(w); count--)
		wait_pause(w);
}

void wait_yield(struct wait *w)
{
	uint64_t start;

	check_realtime(w);
	if (w->must_block || deadline_passed(w))
		return;
	w->stage = STAGE_YIELD;
	w->yields++;
	start = arch_ticks();
	call_kernel(SYS_sched_yield, 0, 0, 0, 0);
	w->yielded_ticks += arch_ticks() - start;
}

/* A signal may end the sleep early: the next test is as good then as later. */
void wait_sleep(struct wait *w, uint64_t ns)
{
	uint64_t left = time_left_ns(w);
	struct timespec length;
	uint64_t start;

	if (left == 0) {
		w->expired = true;
		return;
	}
	if (ns > left)
		ns = left;
	length.tv_sec = (time_t)(ns / NS_PER_S);
	length.tv_nsec = (long)(ns % NS_PER_S);
	w->stage = STAGE_SLEEP;
	w->sleeps++;
	start = arch_ticks();
	call_kernel(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, (long)&length, 0);
	w->parked_ticks += arch_ticks() - start;
}

/* Where must_block brought us here the thread is real-time or its policy meant to spin: it wants
 * the lock soon, and keeps to short sleeps. Others asked to block, and get longer ones. */
static void sleep_until_over(struct wait *w)
{
	uint64_t longest = w->must_block ? SHORTEST_SLEEP_NS : LONGEST_SLEEP_NS;
	uint64_t ns = SHORTEST_SLEEP_NS;

	while (!try_once(w)) {
		if (w->expired) {
			w->result = ETIMEDOUT;
			return;
		}
		wait_sleep(w, ns);
		ns = 2 * ns < longest ? 2 * ns : longest;
	}
}

void wait_block(struct wait *w)
{
	uint64_t start = w->began;

	if (w->block == NULL) {
		sleep_until_over(w);
		return;
	}
	/* Reading the clock may take as long as an uncontended lock: what is known is not read. */
	if (!start || w->stage != STAGE_FIRST)
		start = arch_ticks();
	w->stage = STAGE_BLOCK;
	w->blocks++;
	w->result = w->block(w);
	w->ended = arch_ticks();
	w->parked_ticks += w->ended - start;
}
