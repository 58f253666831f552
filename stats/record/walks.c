#include "stats/record/walks.h"

#include <errno.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* In one word, so that who begins is seen by who forks, or sees it: threads inside, and above them
 * those that fork. */
#define FORKING (1u << 16)
#define INSIDE (FORKING - 1)

/* A walk takes some 10 us. */
#define PAUSE_NS 50000
#define PAUSES 100

static atomic_uint word;

bool walk_begin(void)
{
	unsigned seen = atomic_load_explicit(&word, memory_order_relaxed);

	do {
		if (seen >= FORKING || (seen & INSIDE) == INSIDE)
			return false;
	} while (!atomic_compare_exchange_weak_explicit(
		&word, &seen, seen + 1, memory_order_relaxed, memory_order_relaxed));
	return true;
}

/* Release pairs with the acquire in walks_before_fork(): libunwind's locks are seen free. */
void walk_end(void)
{
	atomic_fetch_sub_explicit(&word, 1, memory_order_release);
}

/* Asleep in between, for those of a lower priority. */
void walks_before_fork(void)
{
	static const struct timespec pause = {.tv_nsec = PAUSE_NS};
	int saved = errno;

	atomic_fetch_add_explicit(&word, FORKING, memory_order_relaxed);
	for (unsigned i = 0; i < PAUSES; i++) {
		if (!(atomic_load_explicit(&word, memory_order_acquire) & INSIDE))
			break;
		syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &pause, NULL);
	}
	errno = saved;
}

/* A handler may have come in between and forked, and this be its child, where nobody forks. */
void walks_after_fork(void)
{
	if (atomic_load_explicit(&word, memory_order_relaxed) >= FORKING)
		atomic_fetch_sub_explicit(&word, FORKING, memory_order_relaxed);
}

bool walks_reset(void)
{
	return !(atomic_exchange_explicit(&word, 0, memory_order_relaxed) & INSIDE);
}
