#include "policies/policy.h"

static void wait_spin_yield(struct wait *w)
{
	uint32_t spins = w->cpus > 1 ? w->t->spins : 0;

	while (!wait_try(w)) {
		if (spins > 0 && !wait_urgent(w)) {
			spins--;
			wait_pause(w);
		} else {
			wait_yield(w);
		}
	}
}

const struct policy policy_spin_yield = {
	.name = "spin-yield",
	.summary = "spin a little once, then yield after every failed test",
	.description =
		"Makes 'spins' pauses, once per acquisition and with a test before each; from then "
		"on "
		"it yields the CPU after every failed test, and never sleeps. While the program "
		"has "
		"raised its urgent flag, and on one CPU, it only yields. It helps many threads "
		"that "
		"hold a lock briefly: the owner gets its CPU back, and a waiter is never further "
		"from "
		"the lock than one turn of the scheduler. It hurts where locks are held for long: "
		"waiters keep calling the scheduler, CPUs look busy, and unrelated threads are "
		"held "
		"up. The default of 255 is the choice of the change it comes from; fewer, 15 say, "
		"gave shorter pauses there. A spinlock waits the same way; for a real-time thread "
		"it "
		"cannot block as a mutex does, and sleeps 50us between tries instead.",
	.source = "JDK-8331411, openjdk/jdk PR 19570: ShenandoahLock, 0xFF spins, 0 on one CPU",
	.wait = wait_spin_yield,
	.uses = TUNES(TUNE_SPINS) | TUNES(TUNE_HINT) | TUNES(TUNE_HINT_COUNT),
	.defaults = {.spins = 255, .hint = HINT_DEFAULT, .hint_count = 1},
};
