/*
 * handshake: a requester waits for threads that answer at their next poll.
 *
 * Source: JDK-8244340 (May 2020), HandshakeSpinYield. A thread that asks others to do something
 * waits until all have. Once it did so by spinning, without a pause or a yield; on one CPU it
 * thereby kept those it waited for from running. The change: note in each round what each of them
 * has done; while something changes, keep spinning; when nothing has for a budget of min(5 us ×
 * (CPUs − 1), 100 us), 0 on one CPU, sleep 10 us, or 1 ms once the whole has taken 1 ms.
 *
 * Here: --threads targets compute and poll about every microsecond; a requester asks all of them,
 * --rounds times, with a pause of 1 ms on average between (by --seed), and each round is timed.
 *
 * --by flag: targets answer by a store to memory of their own, and the requester waits as --wait
 * says: by spinning (the old way) or by progress (the change). No lock is involved, nor any
 * library.
 * --by spin, --by mutex: each target holds a lock and gives it back as its answer; the requester
 * waits by taking it, so the lock's own way of waiting decides. A target has two locks, that rounds
 * use in turn, so that it need not wait for the requester before it holds one again. In this form
 * it is native locks against policies that are compared.
 *
 * --cpus 1 confines all threads to one CPU, 0 leaves them those the process may use. What a library
 * under the program reads of the CPUs at its start is what the process is allowed from outside.
 */
#include "workloads/workload.h"

#include <stdatomic.h>
#include <stdio.h>

#define POLL_NS 1000u
#define BUDGET_PER_CPU_NS 5000u
#define BUDGET_MAX_NS 100000u
#define SHORT_SLEEP_NS 10000u
#define LONG_SLEEP_NS 1000000u
#define LONG_WAIT_NS 1000000u
#define PAUSE_NS 1000000u

enum by { BY_FLAG, BY_SPIN, BY_MUTEX };
enum wait { WAIT_SPIN, WAIT_PROGRESS };

struct target {
	_Alignas(CACHE_LINE) atomic_uint_least64_t answered; /* rounds */
	_Alignas(CACHE_LINE) pthread_mutex_t mutex[2];
	pthread_spinlock_t spin[2];
	pthread_t thread;
};

static const char *const bys[] = {"flag", "spin", "mutex", NULL};
static const char *const waits[] = {"spin", "progress", NULL};
static unsigned by, wait_by = WAIT_PROGRESS;
static uint64_t threads = 1, rounds = 100, cpus;

static struct target *targets;
static _Alignas(CACHE_LINE) atomic_uint_least64_t asked; /* the round that is asked for */
static atomic_bool ending;
static atomic_uint ready;

/* --- locks: taken for a round, by its number */

static void take(struct target *t, uint64_t round)
{
	if (by == BY_SPIN)
		pthread_spin_lock(&t->spin[round % 2]);
	else if (by == BY_MUTEX)
		pthread_mutex_lock(&t->mutex[round % 2]);
}

static void give(struct target *t, uint64_t round)
{
	if (by == BY_SPIN)
		pthread_spin_unlock(&t->spin[round % 2]);
	else if (by == BY_MUTEX)
		pthread_mutex_unlock(&t->mutex[round % 2]);
}

/* --- targets */

/* Holds the next round's lock before it gives back this one's. Nobody else holds two, so that the
 * changing order of a target's locks is no danger. */
static void answer(struct target *t, uint64_t round)
{
	take(t, round + 1);
	give(t, round);
	atomic_store_explicit(&t->answered, round, memory_order_release);
}

static void *target_run(void *argument)
{
	struct target *t = argument;
	uint64_t done = 0;

	take(t, done + 1);
	atomic_fetch_add_explicit(&ready, 1, memory_order_release);
	while (!atomic_load_explicit(&ending, memory_order_relaxed)) {
		work_ns(POLL_NS);
		if (atomic_load_explicit(&asked, memory_order_acquire) > done)
			answer(t, ++done);
	}
	give(t, done + 1);
	return NULL;
}

/* --- the requester */

static uint64_t budget_ns(void)
{
	uint64_t usable = cpus ? cpus : cpus_allowed();
	uint64_t ns = BUDGET_PER_CPU_NS * (usable - 1);

	return ns < BUDGET_MAX_NS ? ns : BUDGET_MAX_NS;
}

/* How many targets have answered. */
static uint64_t count_answers(uint64_t round)
{
	uint64_t count = 0;

	for (uint64_t i = 0; i < threads; i++)
		count += atomic_load_explicit(&targets[i].answered, memory_order_acquire) == round;
	return count;
}

static void wait_for_flags(uint64_t round)
{
	uint64_t start = now_ns(), moved = start, seen = 0, count;

	while ((count = count_answers(round)) < threads) {
		uint64_t now;

		if (wait_by == WAIT_SPIN)
			continue;
		now = now_ns();
		if (count != seen) {
			seen = count;
			moved = now;
		} else if (now - moved >= budget_ns()) {
			sleep_ns(now - start < LONG_WAIT_NS ? SHORT_SLEEP_NS : LONG_SLEEP_NS);
			moved = now_ns();
		}
	}
}

static void wait_for_locks(uint64_t round)
{
	for (uint64_t i = 0; i < threads; i++) {
		take(&targets[i], round);
		give(&targets[i], round);
	}
}

static double ask(uint64_t round)
{
	uint64_t start = now_ns();

	atomic_store_explicit(&asked, round, memory_order_release);
	if (by == BY_FLAG)
		wait_for_flags(round);
	else
		wait_for_locks(round);
	return (double)(now_ns() - start);
}

/* --- the run */

static void start_targets(void)
{
	targets = memory_zeroed(threads, sizeof(*targets));
	for (uint64_t i = 0; i < threads; i++) {
		for (int side = 0; side < 2; side++) {
			pthread_mutex_init(&targets[i].mutex[side], NULL);
			pthread_spin_init(&targets[i].spin[side], PTHREAD_PROCESS_PRIVATE);
		}
		targets[i].thread = thread_start(target_run, &targets[i]);
	}
	while (atomic_load_explicit(&ready, memory_order_acquire) < threads)
		sleep_ns(SHORT_SLEEP_NS);
}

static void report(const struct figures *f)
{
	result_begin("handshake");
	result_text("by", bys[by]);
	result_text("wait", by == BY_FLAG ? waits[wait_by] : "");
	result_count("threads", threads);
	result_count("cpus", cpus ? cpus : cpus_allowed());
	result_count("rounds", rounds);
	result_number("handshake_ns", f->mean);
	result_number("handshake_p50_ns", f->p50);
	result_number("handshake_p99_ns", f->p99);
	result_number("handshake_max_ns", f->max);
	if (!workload_json)
		printf("handshake: %s%s%s, %llu threads, mean %.2f us, p50 %.3f us, max %.1f us\n",
			bys[by], by == BY_FLAG ? " " : "", by == BY_FLAG ? waits[wait_by] : "",
			(unsigned long long)threads, f->mean * 1e-3, f->p50 * 1e-3, f->max * 1e-3);
	result_end();
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{"by", OPTION_CHOICE, &by, bys, "what targets answer by"},
		{"wait", OPTION_CHOICE, &wait_by, waits, "how flags are waited for"},
		{"threads", OPTION_COUNT, &threads, NULL, "that answer"},
		{"rounds", OPTION_COUNT, &rounds, NULL, "of asking all of them"},
		{"cpus", OPTION_COUNT, &cpus, NULL, "for all threads together; 0: all there are"},
		{0},
	};
	uint64_t random;
	struct figures f;
	double *ns;

	workload_options(&(struct workload){"handshake",
				 "wait for threads that answer at their next poll", options},
		argc, argv);
	if (threads < 1 || threads > 1000 || rounds < 1 || rounds > 1000000)
		workload_fail("--threads goes from 1 to 1000, --rounds to 1000000");
	random = workload_seed;
	cpus_confine((unsigned)cpus);
	work_calibrate();
	ns = memory_zeroed(rounds, sizeof(*ns));
	start_targets();
	for (uint64_t i = 0; i < rounds; i++) {
		sleep_ns(PAUSE_NS / 2 + random_next(&random) % PAUSE_NS);
		ns[i] = ask(i + 1);
	}
	atomic_store_explicit(&ending, true, memory_order_relaxed);
	for (uint64_t i = 0; i < threads; i++)
		thread_join(targets[i].thread);
	f = figures_of(ns, rounds);
	report(&f);
	return 0;
}
