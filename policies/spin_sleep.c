#include "policies/policy.h"

/* In the original a counter of failed tests reaches a multiple of 4096 and takes the other branch:
 * 4095 pauses lie between two yields or sleeps, and that is what `spins` counts here. */
static void wait_spin_sleep(struct wait *w)
{
	uint32_t refill = w->cpus > 1 ? w->t->spins : 0;
	uint32_t spins = refill, yields = w->t->yields;

	while (!wait_try(w)) {
		if (spins > 0 && !wait_urgent(w)) {
			spins--;
			wait_pause(w);
			continue;
		}
		spins = refill;
		if (yields > 0) {
			yields--;
			wait_yield(w);
		} else {
			wait_sleep(w, w->t->sleep_ns);
		}
	}
}

const struct policy policy_spin_sleep = {
	.name = "spin-sleep",
	.summary = "spin long, over and over, with a yield and later a sleep in between",
	.description =
		"Makes 'spins' pauses with a test before each, then gives the CPU away once, and "
		"starts over with all its pauses. The first 'yields' times it yields, later it "
		"sleeps for 'sleep'; on one CPU it does not spin at all. This is the way many "
		"older "
		"runtimes wait, kept as the baseline to compare with. It does well while holds are "
		"short and threads have a CPU each. With more threads than CPUs the long spinning "
		"takes time from the owner, and once sleeping begins a waiter may find out a whole "
		"millisecond late that the lock is free. While the program has raised its urgent "
		"flag it does not spin. A spinlock waits the same way; for a real-time thread it "
		"cannot block as a mutex does, and sleeps 50us between tries instead.",
	.source = "HotSpot's SpinAcquire and ShenandoahLock before JDK-8331411: mask 0xFFF, 6 "
		  "yields, "
		  "then sleeps of 1ms",
	.wait = wait_spin_sleep,
	.uses = TUNES(TUNE_SPINS) | TUNES(TUNE_YIELDS) | TUNES(TUNE_SLEEP) | TUNES(TUNE_HINT) |
		TUNES(TUNE_HINT_COUNT),
	.defaults = {.spins = 4095,
		.yields = 6,
		.sleep_ns = 1000000,
		.hint = HINT_DEFAULT,
		.hint_count = 1},
};
