#include "policies/policy.h"

static void wait_native(struct wait *w)
{
	wait_block(w);
}

const struct policy policy_native = {
	.name = "native",
	.summary = "block at once, as the C library does",
	.description =
		"No spinning: a thread that finds the lock taken blocks in the kernel until it is "
		"woken. It is what the program does without relock, so measure the others against "
		"it. It wastes no CPU and copes with any number of threads, but going to sleep and "
		"being woken takes microseconds: where locks are held for less than that, waiting "
		"costs more than the work it waits for. A spinlock spins in the C library's own "
		"loop, as it would without relock.",
	.source = "glibc's PTHREAD_MUTEX_TIMED_NP mutex: one try, then a futex",
	.wait = wait_native,
};
