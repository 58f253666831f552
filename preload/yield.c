/*
 * sched_yield and short sleeps, counted by call site: they are how home-made spin locks show
 * themselves. The calls are cancellation points where the C library's are; everything of ours is
 * done before.
 */
#include "preload/hooks.h"

#define SHORT_SLEEP_NS 1000000u

static void count(uint64_t site, enum rlk_yield_kind kind, uint64_t asked_ns)
{
	struct thread *t = hook_thread();

	if (t)
		count_yield_site(t, site, kind, asked_ns);
}

static void count_sleep(uint64_t site, const struct timespec *length)
{
	if (length && length->tv_sec == 0 && length->tv_nsec >= 0 &&
		length->tv_nsec <= (long)SHORT_SLEEP_NS)
		count(site, RLK_YIELD_SLEEP, (uint64_t)length->tv_nsec);
	else
		process_ready();
}

HOOK int sched_yield(void)
{
	count(RETURN_ADDRESS, RLK_YIELD_SCHED, 0);
	return real.sched_yield();
}

HOOK void thrd_yield(void)
{
	count(RETURN_ADDRESS, RLK_YIELD_SCHED, 0);
	real.thrd_yield();
}

HOOK int nanosleep(const struct timespec *length, struct timespec *left)
{
	count_sleep(RETURN_ADDRESS, length);
	return real.nanosleep(length, left);
}

HOOK int thrd_sleep(const struct timespec *length, struct timespec *left)
{
	count_sleep(RETURN_ADDRESS, length);
	return real.thrd_sleep(length, left);
}

HOOK int clock_nanosleep(
	clockid_t clock, int flags, const struct timespec *length, struct timespec *left)
{
	if (flags == 0)
		count_sleep(RETURN_ADDRESS, length);
	else
		process_ready();
	return real.clock_nanosleep(clock, flags, length, left);
}

HOOK int usleep(useconds_t length)
{
	if (length <= SHORT_SLEEP_NS / 1000)
		count(RETURN_ADDRESS, RLK_YIELD_SLEEP, length * 1000ull);
	else
		process_ready();
	return real.usleep(length);
}
