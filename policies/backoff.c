#include "policies/policy.h"

static void wait_backoff(struct wait *w)
{
	uint32_t longest = w->cpus > 1 ? w->t->spins : 0;
	uint32_t run = longest > 0 ? 1 : 0;

	while (!wait_try(w)) {
		wait_pauses(w, run);
		if (run == longest || wait_urgent(w))
			wait_yield(w);
		else
			run = run < longest - run ? 2 * run : longest;
	}
}

const struct policy policy_backoff = {
	.name = "backoff",
	.summary = "test ever more rarely, doubling the pauses up to a limit",
	.description =
		"Leaves the lock alone between tests: one pause after the first, then two, four "
		"and "
		"so on, up to 'spins'. Once there it stays there, and yields the CPU after each "
		"run "
		"of pauses. While the program has raised its urgent flag, and on one CPU, it only "
		"yields. It helps where many CPUs wait for one short lock: the fewer of them look, "
		"the less the lock's memory travels between them, and the faster the owner is. It "
		"is unfair: whoever has waited longest looks most rarely and is passed by "
		"newcomers, "
		"so expect a longer worst case. A spinlock waits the same way; for a real-time "
		"thread "
		"it cannot block as a mutex does, and sleeps 50us between tries instead.",
	.source = "T. Anderson, IEEE TPDS 1(1), 1990; the limit and the yield are relock's own",
	.wait = wait_backoff,
	.uses = TUNES(TUNE_SPINS) | TUNES(TUNE_HINT) | TUNES(TUNE_HINT_COUNT),
	.defaults = {.spins = 256, .hint = HINT_DEFAULT, .hint_count = 1},
};
