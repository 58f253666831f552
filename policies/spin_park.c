#include "policies/policy.h"

static void wait_spin_park(struct wait *w)
{
	uint32_t spins = w->cpus > 1 ? w->t->spins : 0;

	while (!wait_try(w)) {
		if (spins == 0 || wait_urgent(w)) {
			wait_block(w);
			return;
		}
		spins--;
		wait_pause(w);
	}
}

const struct policy policy_spin_park = {
	.name = "spin-park",
	.summary = "spin a little, then block",
	.description =
		"Makes up to 'spins' pauses with a test before each, then blocks in the kernel as "
		"the "
		"C library does. While the program has raised its urgent flag, and on one CPU, it "
		"blocks at once. It is the safe first thing to try: short holds are waited for "
		"without going to sleep, long ones cost little more than native, and it copes with "
		"any number of threads. Choose 'spins' so that the pauses take about as long as "
		"falling asleep and being woken, a few microseconds; the length of a pause differs "
		"tenfold between processors. It hurts a little where holds are nearly always "
		"longer "
		"than the pauses, which are then wasted. A spinlock cannot block; when its pauses "
		"are spent it sleeps between tries, from 50us up to 1ms.",
	.source = "A. Karlin et al., SOSP 1991 (competitive spinning); 100 as glibc's limit for "
		  "PTHREAD_MUTEX_ADAPTIVE_NP",
	.wait = wait_spin_park,
	.uses = TUNES(TUNE_SPINS) | TUNES(TUNE_HINT) | TUNES(TUNE_HINT_COUNT),
	.defaults = {.spins = 100, .hint = HINT_DEFAULT, .hint_count = 1},
};
