/*
 * producer_consumer: spinning, with and without the processor's hint, before a heavy lock.
 *
 * Source: the Thread.onSpinWait micro-benchmark of openjdk/jdk PR 6338 (November 2021). In each
 * trial two fresh threads exchange 100 items through one monitor. A thread that finds its turn has
 * come locks, works, notifies, unlocks; else it locks, waits until its turn has come, works,
 * notifies, unlocks. Before that it spins for at most 125 steps, and looks whether its turn has
 * come at every 10th. Work is a negation and a comparison of 256 bits, some 100 to 200 ns.
 *
 * Here: work is 150 ns of arithmetic; the monitor is a mutex and a condition variable; --spin
 * chooses between no spinning, empty steps, and steps that give --hint, --hint-count times. With
 * --cpus 2 each thread has a CPU of its own, with 1 they share one.
 *
 * What the hint changes is how long those 125 steps last: the window in which the other thread's
 * work can end without anyone going to sleep. It is measured and printed, in ns.
 */
#include "policies/arch.h"
#include "workloads/workload.h"

#include <stdatomic.h>
#include <stdio.h>

#define ITEMS 100
#define STEPS 125u
#define STEPS_PER_LOOK 10u
#define WORK_NS 150u
#define WINDOW_SAMPLES 200

enum spin { SPIN_NONE, SPIN_NO_HINT, SPIN_HINT };

struct side {
	unsigned number; /* 0 or 1: whose turn `turn` says it is */
	uint64_t waits;
};

static const char *const spins[] = {"none", "no-hint", "hint", NULL};
static const char *hints[HINT_COUNT + 1];
static unsigned spin = SPIN_HINT, hint = HINT_DEFAULT;
static uint64_t hint_count = 1, trials = 300, cpus = 2;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static atomic_uint turn; /* changed under the mutex, looked at without */

static bool is_turn_of(unsigned number)
{
	return atomic_load_explicit(&turn, memory_order_acquire) == number;
}

static void step(void)
{
	if (spin == SPIN_HINT)
		arch_pause(hint, (unsigned)hint_count);
	else
		arch_pause(HINT_NONE, 1);
}

static void spin_for(unsigned number)
{
	for (unsigned i = 0; i < STEPS; i++) {
		if (i % STEPS_PER_LOOK == 0 && is_turn_of(number))
			return;
		step();
	}
}

static void exchange(struct side *side)
{
	if (spin != SPIN_NONE)
		spin_for(side->number);
	pthread_mutex_lock(&mutex);
	while (!is_turn_of(side->number)) {
		side->waits++;
		pthread_cond_wait(&changed, &mutex);
	}
	work_ns(WORK_NS);
	atomic_store_explicit(&turn, 1 - side->number, memory_order_release);
	pthread_cond_signal(&changed);
	pthread_mutex_unlock(&mutex);
}

static void *side_run(void *argument)
{
	struct side *side = argument;

	cpus_pin(cpus > 1 ? side->number : 0);
	for (int i = 0; i < ITEMS; i++)
		exchange(side);
	return NULL;
}

static double trial(uint64_t *waits)
{
	struct side side[2] = {{.number = 0}, {.number = 1}};
	uint64_t start = now_ns();
	pthread_t thread[2];

	for (int i = 0; i < 2; i++)
		thread[i] = thread_start(side_run, &side[i]);
	for (int i = 0; i < 2; i++)
		thread_join(thread[i]);
	*waits += side[0].waits + side[1].waits;
	return (double)(now_ns() - start);
}

/* How long a spin that finds nothing lasts. */
static double window_ns(void)
{
	double samples[WINDOW_SAMPLES];

	if (spin == SPIN_NONE)
		return 0;
	for (int i = 0; i < WINDOW_SAMPLES; i++) {
		uint64_t start = now_ns();

		spin_for(2);
		samples[i] = (double)(now_ns() - start);
	}
	return figures_of(samples, WINDOW_SAMPLES).p50;
}

static void name_hints(void)
{
	for (int i = 0; i < HINT_COUNT; i++)
		hints[i] = arch_hint_name(i);
}

static void check(void)
{
	if (cpus < 1 || cpus > 2 || trials < 1 || trials > 1000000 || hint_count < 1 ||
		hint_count > 99)
		workload_fail("--cpus is 1 or 2, --trials from 1 to 1000000, --hint-count to 99");
	if (!arch_hint_available(hint))
		workload_fail("this processor has no hint '%s'", hints[hint]);
	if (cpus > cpus_allowed())
		workload_fail("2 CPUs are needed, and 1 is allowed; --cpus 1 needs one only");
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{"spin", OPTION_CHOICE, &spin, spins, "before taking the lock"},
		{"hint", OPTION_CHOICE, &hint, hints, "given at each step"},
		{"hint-count", OPTION_COUNT, &hint_count, NULL, "times it is given at each step"},
		{"trials", OPTION_COUNT, &trials, NULL, "of two fresh threads each"},
		{"cpus", OPTION_COUNT, &cpus, NULL, "that the two threads have"},
		{0},
	};
	uint64_t waits = 0;
	struct figures f;
	double *ns, window;

	name_hints();
	workload_options(&(struct workload){"producer_consumer",
				 "exchange items through one monitor", options},
		argc, argv);
	check();
	work_calibrate();
	window = window_ns();
	ns = memory_zeroed(trials, sizeof(*ns));
	for (uint64_t i = 0; i < trials; i++)
		ns[i] = trial(&waits);
	f = figures_of(ns, trials);
	result_begin("producer_consumer");
	result_text("spin", spins[spin]);
	result_text("hint", spin == SPIN_HINT ? hints[hint] : "");
	result_count("cpus", cpus);
	result_count("trials", trials);
	result_number("trial_ns", f.p50);
	result_number("trial_mean_ns", f.mean);
	result_number("trial_p99_ns", f.p99);
	result_number("waits", (double)waits / (double)trials);
	result_number("window_ns", window);
	result_number("ns_per_step", window / STEPS);
	if (!workload_json)
		printf("producer_consumer: %s, %llu CPUs, %.1f us a trial at the median, %.0f "
		       "condition "
		       "waits, spin window %.0f ns\n",
			spins[spin], (unsigned long long)cpus, f.p50 * 1e-3,
			(double)waits / (double)trials, window);
	result_end();
	return 0;
}
