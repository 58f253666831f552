#include "stats/record/quiet.h"

#include "stats/record/shared.h"

#include <errno.h>
#include <linux/futex.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static atomic_uint word; /* 0 free, 1 taken, 2 taken and waited for */

static void futex(int operation, unsigned value)
{
	int saved = errno;

	syscall(SYS_futex, &word, operation | FUTEX_PRIVATE_FLAG, value, NULL, NULL, 0);
	errno = saved;
}

/* The raw call takes the kernel's 64-bit set, and blocks what sigprocmask() would leave open: the C
 * library's own signals. */
void signals_block(struct quiet *quiet)
{
	static const uint64_t all = ~(uint64_t)0;
	int saved = errno;

	quiet->signals = 0;
	syscall(SYS_rt_sigprocmask, SIG_SETMASK, &all, &quiet->signals, sizeof(all));
	errno = saved;
}

void signals_restore(const struct quiet *quiet)
{
	int saved = errno;

	syscall(SYS_rt_sigprocmask, SIG_SETMASK, &quiet->signals, NULL, sizeof(quiet->signals));
	errno = saved;
}

void signal_take(int number)
{
	static const struct timespec at_once = {0};
	uint64_t set = number ? (uint64_t)1 << (number - 1) : 0;
	int saved = errno;

	if (set)
		syscall(SYS_rt_sigtimedwait, &set, NULL, &at_once, sizeof(set));
	errno = saved;
}

void quiet_begin(struct quiet *quiet)
{
	unsigned seen = 0;

	signals_block(quiet);
	/* Acquire pairs with the release in quiet_end(): what the last holder did is seen. */
	if (atomic_compare_exchange_strong_explicit(
		    &word, &seen, 1, memory_order_acquire, memory_order_relaxed))
		return;
	while (atomic_exchange_explicit(&word, 2, memory_order_acquire) != 0)
		futex(FUTEX_WAIT, 2);
}

void quiet_end(struct quiet *quiet)
{
	if (atomic_exchange_explicit(&word, 0, memory_order_release) == 2)
		futex(FUTEX_WAKE, 1);
	signals_restore(quiet);
}

void quiet_reset(void)
{
	atomic_store_explicit(&word, 0, memory_order_relaxed);
}
