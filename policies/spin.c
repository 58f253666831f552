#include "policies/policy.h"

static void wait_spin(struct wait *w)
{
	while (!wait_try(w)) {
		if (wait_urgent(w))
			wait_yield(w);
		else
			wait_pause(w);
	}
}

const struct policy policy_spin = {
	.name = "spin",
	.summary = "spin until the lock is free",
	.description =
		"Tests the lock and pauses, for as long as it takes; only while the program has "
		"raised its urgent flag does it yield instead. It has the lowest latency of all "
		"while there are fewer running threads than CPUs and holds are short. With more "
		"threads than CPUs it is the worst: waiters use up the time slices that the owner "
		"needs, and with a CPU quota they use up the quota. A real-time thread, or a "
		"process "
		"confined to one CPU, gives up after 256 pauses and blocks; a spinlock cannot "
		"block "
		"and sleeps 50us between tries instead.",
	.source = "test-and-test-and-set: L. Rudolph and Z. Segall, ISCA 1984; the pause hint: "
		  "the Thread.onSpinWait benchmark of openjdk/jdk PR 6338",
	.wait = wait_spin,
	.uses = TUNES(TUNE_HINT) | TUNES(TUNE_HINT_COUNT),
	.defaults = {.hint = HINT_DEFAULT, .hint_count = 1},
};
