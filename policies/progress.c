#include "policies/policy.h"

#define BUDGET_PER_CPU_NS 5000u
#define BUDGET_MAX_NS 100000u
/* A wait as old as this sleeps for as long at a time. */
#define LONG_WAIT_NS 1000000u

/* What a waiter sees of the lock. A try that failed although the lock looked free is progress too:
 * someone else has just taken it. */
struct view {
	unsigned word;
	uint64_t tries;
};

static bool view_changed(struct view *seen, const struct wait *w)
{
	struct view now = {wait_peek(w), w->tries};
	bool changed = now.word != seen->word || now.tries != seen->tries;

	*seen = now;
	return changed;
}

static uint64_t budget_of(const struct wait *w)
{
	uint64_t ns = BUDGET_PER_CPU_NS * (uint64_t)(w->cpus - 1);

	if (w->cpus <= 1)
		return 0;
	if (w->t->budget_ns > 0)
		return w->t->budget_ns;
	return ns < BUDGET_MAX_NS ? ns : BUDGET_MAX_NS;
}

static void sleep_by_age(struct wait *w, uint64_t age_ns)
{
	uint64_t ns = w->t->sleep_ns;

	if (age_ns >= LONG_WAIT_NS && ns < LONG_WAIT_NS)
		ns = LONG_WAIT_NS;
	wait_sleep(w, ns);
}

static void wait_progress(struct wait *w)
{
	uint64_t budget = budget_of(w);
	uint64_t start = arch_monotonic_ns(), moved = start;
	struct view seen = {wait_peek(w), w->tries};

	while (!wait_try(w)) {
		uint64_t now = arch_monotonic_ns();

		if (view_changed(&seen, w))
			moved = now;
		if (wait_urgent(w)) {
			wait_yield(w);
		} else if (now - moved < budget) {
			wait_pause(w);
		} else {
			sleep_by_age(w, now - start);
			moved = arch_monotonic_ns();
		}
	}
}

const struct policy policy_progress = {
	.name = "progress",
	.summary = "spin while the lock changes hands, sleep when nothing moves",
	.description =
		"Watches the lock while it spins. As long as the lock changes, its owners are "
		"running "
		"and spinning is worth it. When it has not changed for 'budget', the owner has "
		"probably lost its CPU: sleep for 'sleep', or for 1ms once the wait is 1ms old, "
		"and "
		"spin for another budget. The budget is 5us for each CPU beyond the first, at most "
		"100us; on one CPU it is 0, and the policy only sleeps. It helps where the load "
		"varies, and on small machines and in containers with few CPUs. It hurts where "
		"single "
		"holds are longer than the budget: the sleeps then add to every wait. While the "
		"program has raised its urgent flag it yields. A spinlock waits the same way; for "
		"a "
		"real-time thread it cannot block as a mutex does, and sleeps 50us between tries "
		"instead.",
	.source = "JDK-8244340: HandshakeSpinYield, min(5us * (CPUs - 1), 100us), sleeps of 10us, "
		  "1ms after 1ms",
	.wait = wait_progress,
	.uses = TUNES(TUNE_SLEEP) | TUNES(TUNE_HINT) | TUNES(TUNE_HINT_COUNT) | TUNES(TUNE_BUDGET),
	.defaults = {.sleep_ns = 10000, .hint = HINT_DEFAULT, .hint_count = 1, .budget_ns = 0},
};
