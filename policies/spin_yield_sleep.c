#include "policies/policy.h"

static void wait_spin_yield_sleep(struct wait *w)
{
	uint32_t spins = w->cpus > 1 ? w->t->spins : 0;
	uint32_t yields = w->t->yields;

	while (!wait_try(w)) {
		if (spins > 0 && !wait_urgent(w)) {
			spins--;
			wait_pause(w);
		} else if (yields > 0) {
			yields--;
			wait_yield(w);
		} else {
			yields = w->t->yields;
			wait_sleep(w, w->t->sleep_ns);
		}
	}
}

const struct policy policy_spin_yield_sleep = {
	.name = "spin-yield-sleep",
	.summary = "spin a little once, then alternate a few yields with a short sleep",
	.description =
		"Starts as spin-yield does, with 'spins' pauses spent once per acquisition. Then "
		"it "
		"goes round: 'yields' yields, one sleep of 'sleep', a test after each. The sleeps "
		"take most of the load off the scheduler that endless yielding puts there, which "
		"helps with many threads per CPU and holds of mixed length. The price is latency: "
		"a "
		"lock that becomes free during a sleep stays free until the sleeper wakes, some "
		"150us later. While the program has raised its urgent flag, and on one CPU, it "
		"does "
		"not spin. A spinlock waits the same way; for a real-time thread it cannot block "
		"as "
		"a mutex does, and sleeps 50us between tries instead.",
	.source = "JDK-8350285: ShenandoahLock, 3 yields then a sleep of 100us",
	.wait = wait_spin_yield_sleep,
	.uses = TUNES(TUNE_SPINS) | TUNES(TUNE_YIELDS) | TUNES(TUNE_SLEEP) | TUNES(TUNE_HINT) |
		TUNES(TUNE_HINT_COUNT),
	.defaults = {.spins = 255,
		.yields = 3,
		.sleep_ns = 100000,
		.hint = HINT_DEFAULT,
		.hint_count = 1},
};
