#include "tests/unit/policies_fake.h"

#include <check.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>

#define NS_PER_S 1000000000

struct fake fake;

/* Steps of one kind that were not yet written to the trace. */
static uint64_t run_length;
static char run_kind;
/* The counts at the last try. */
static struct wait before;

static void write_run(void)
{
	size_t used = strlen(fake.steps);

	if (run_length > 0)
		snprintf(fake.steps + used, sizeof(fake.steps) - used, "%s%llu%c",
			used > 0 ? " " : "", (unsigned long long)run_length, run_kind);
	run_length = 0;
}

static void trace(char kind, uint64_t count)
{
	if (count == 0)
		return;
	if (kind != run_kind)
		write_run();
	run_kind = kind;
	run_length += count;
}

static void trace_since_last_try(const struct wait *w)
{
	trace('p', w->pauses - before.pauses);
	trace('y', w->yields - before.yields);
	trace('s', w->sleeps - before.sleeps);
	before = *w;
	if (fake.each_test)
		write_run();
}

static int try_fake(struct wait *w)
{
	ck_assert_ptr_eq(w->lock, &fake);
	trace_since_last_try(w);
	return w->tries <= fake.busy_tries ? EBUSY : fake.try_result;
}

/* Blocks until the deadline, where there is one that the lock is not given before. */
static int block_fake(struct wait *w)
{
	ck_assert_ptr_eq(w->lock, &fake);
	if (fake.block_result == ETIMEDOUT)
		fake.now_ns =
			(uint64_t)w->deadline->tv_sec * NS_PER_S + (uint64_t)w->deadline->tv_nsec;
	return fake.block_result;
}

void fake_begin(const struct policy *policy, unsigned cpus)
{
	arch_clock_in_use = CLOCK_IS_MONOTONIC;
	memset(&fake, 0, sizeof(fake));
	fake.now_ns = 1000 * (uint64_t)NS_PER_S;
	fake.policy = policy;
	fake.tunables = policy->defaults;
	fake.wait = (struct wait){
		.word = &fake.word,
		.mask = ~0u,
		.lock = &fake,
		.try_lock = try_fake,
		.block = block_fake,
		.clock = CLOCK_MONOTONIC,
		.t = &fake.tunables,
		.cpus = cpus,
		.urgent = &fake.urgent,
		.result = -1,
	};
	run_length = 0;
	before = fake.wait;
}

void fake_deadline(int64_t ns)
{
	int64_t at = (int64_t)fake.now_ns + ns;

	fake.deadline.tv_sec = at / NS_PER_S;
	fake.deadline.tv_nsec = at % NS_PER_S;
	fake.wait.deadline = &fake.deadline;
}

void fake_wait(void)
{
	errno = 1234;
	fake.policy->wait(&fake.wait);
	ck_assert_int_eq(errno, 1234);
	trace_since_last_try(&fake.wait);
	write_run();
}

static void count_down(unsigned *left, atomic_uint *flag)
{
	if (*left > 0 && --*left == 0)
		atomic_store_explicit(flag, 0, memory_order_relaxed);
}

static void sleep_fake(const struct timespec *length)
{
	uint64_t ns = (uint64_t)length->tv_sec * NS_PER_S + (uint64_t)length->tv_nsec;

	ck_assert_uint_lt(fake.sleeps, FAKE_SLEEPS);
	fake.slept_ns[fake.sleeps++] = ns;
	fake.now_ns += ns;
}

/* Every call leaves its mark in errno, as a failing one would. */
long __wrap_syscall(long number, ...);
long __wrap_syscall(long number, ...)
{
	va_list arguments;
	long a[4];

	va_start(arguments, number);
	for (int i = 0; i < 4; i++)
		a[i] = va_arg(arguments, long);
	va_end(arguments);
	errno = EPERM;
	if (number == SYS_sched_getscheduler) {
		ck_assert_int_eq(a[0], 0);
		fake.scheduler_calls++;
		return fake.scheduler < 0 ? -1 : fake.scheduler;
	}
	if (number == SYS_clock_nanosleep) {
		ck_assert_int_eq(a[0], CLOCK_MONOTONIC);
		ck_assert_int_eq(a[1], 0);
		sleep_fake((const struct timespec *)a[2]);
	} else {
		ck_assert_int_eq(number, SYS_sched_yield);
		fake.now_ns += fake.yield_ns;
	}
	count_down(&fake.free_after, &fake.word);
	count_down(&fake.calm_after, &fake.urgent);
	return 0;
}

int __wrap_clock_gettime(clockid_t clock, struct timespec *now);
int __wrap_clock_gettime(clockid_t clock, struct timespec *now)
{
	ck_assert(clock == CLOCK_MONOTONIC || clock == fake.wait.clock);
	fake.now_ns += fake.step_ns;
	now->tv_sec = (time_t)(fake.now_ns / NS_PER_S);
	now->tv_nsec = (long)(fake.now_ns % NS_PER_S);
	return 0;
}
