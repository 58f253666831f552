/*
 * population: very many mutexes, most of which are contended once and then never again.
 *
 * Source: JDK-8181859 (June 2017), monitor deflation. There, a benchmark inflates a monitor for
 * every object that was contended once; the population only grows until something else cleans it
 * up, or, with the change, until too many of them are in use.
 *
 * Here: --threads pairs of threads. Each pair makes --batch mutexes at a time; one thread of it
 * holds each of them until the other is at it, so that every mutex is contended once. Half of a
 * batch is destroyed at once (short-lived), the other half stays as it is until --live later
 * batches of the pair have been made (idle). Every mutex is locked exactly twice: the program
 * counts, and what anything else counts must agree.
 *
 * The pace is the pair's own; --locks, if given, ends the run by number instead of by time.
 */
#include "workloads/workload.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

struct pair {
	_Alignas(CACHE_LINE) pthread_t maker, visitor;
	pthread_mutex_t **batches; /* those that are alive, in a ring of `live` */
	/* Which mutex of its batch is held for the visitor, counted from the first; the visitor
	 * follows it. */
	_Alignas(CACHE_LINE) atomic_uint_least64_t offered;
	_Alignas(CACHE_LINE) atomic_uint_least64_t arriving, visited;
	_Atomic(pthread_mutex_t *) current;
	uint64_t made, acquired_maker, acquired_visitor, contended;
};

static uint64_t threads = 2, batch = 64, live = 256, locks;
static double seconds = 10;
static atomic_bool ending;

/* Spins a little: the other thread is at work, if it has a CPU. */
static void wait_until(atomic_uint_least64_t *word, uint64_t least)
{
	for (unsigned i = 0; atomic_load_explicit(word, memory_order_acquire) < least; i++)
		if (i >= 100)
			sched_yield();
}

/* --- one thread of a pair makes and holds */

static void meet(struct pair *p, pthread_mutex_t *mutex)
{
	uint64_t number = p->made + 1;

	pthread_mutex_init(mutex, NULL);
	pthread_mutex_lock(mutex);
	p->acquired_maker++;
	atomic_store_explicit(&p->current, mutex, memory_order_relaxed);
	atomic_store_explicit(&p->offered, number, memory_order_release);
	/* It says so right before it locks, and finds the mutex taken. */
	wait_until(&p->arriving, number);
	sched_yield();
	pthread_mutex_unlock(mutex);
	wait_until(&p->visited, number);
	p->made = number;
}

static void destroy(pthread_mutex_t *mutexes, uint64_t from, uint64_t step)
{
	for (uint64_t i = from; i < batch; i += step)
		pthread_mutex_destroy(&mutexes[i]);
}

/* The idle half of a batch that is old enough, and its memory. */
static void retire(pthread_mutex_t **slot)
{
	if (*slot) {
		destroy(*slot, 1, 2);
		free(*slot);
	}
	*slot = NULL;
}

static bool is_over(const struct pair *p)
{
	if (locks)
		return p->made * threads >= locks;
	return atomic_load_explicit(&ending, memory_order_relaxed);
}

static void *maker_run(void *argument)
{
	struct pair *p = argument;

	for (uint64_t n = 0; !is_over(p); n++) {
		pthread_mutex_t **slot = &p->batches[n % live];

		retire(slot);
		*slot = memory_zeroed(batch, sizeof(**slot));
		for (uint64_t i = 0; i < batch; i++)
			meet(p, &(*slot)[i]);
		destroy(*slot, 0, 2);
	}
	atomic_store_explicit(&p->current, NULL, memory_order_relaxed);
	atomic_store_explicit(&p->offered, p->made + 1, memory_order_release);
	return NULL;
}

/* --- the other comes and has to wait */

static void *visitor_run(void *argument)
{
	struct pair *p = argument;

	for (uint64_t number = 1;; number++) {
		pthread_mutex_t *mutex;

		wait_until(&p->offered, number);
		mutex = atomic_load_explicit(&p->current, memory_order_relaxed);
		if (!mutex)
			return NULL;
		atomic_store_explicit(&p->arriving, number, memory_order_release);
		pthread_mutex_lock(mutex);
		p->acquired_visitor++;
		pthread_mutex_unlock(mutex);
		atomic_store_explicit(&p->visited, number, memory_order_release);
	}
}

/* --- the run */

static void report(const struct pair *pairs, uint64_t ns)
{
	uint64_t made = 0, acquired = 0;
	double rate;

	for (uint64_t i = 0; i < threads; i++) {
		made += pairs[i].made;
		acquired += pairs[i].acquired_maker + pairs[i].acquired_visitor;
	}
	rate = (double)made / ((double)ns * 1e-9);
	result_begin("population");
	result_count("pairs", threads);
	result_count("cpus", cpus_allowed());
	result_number("seconds", (double)ns * 1e-9);
	result_count("locks", made);
	result_count("acquired", acquired);
	result_number("locks_per_s", rate);
	if (!workload_json)
		printf("population: %llu mutexes made, %llu acquisitions, %.0f mutexes/s\n",
			(unsigned long long)made, (unsigned long long)acquired, rate);
	result_end();
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{"threads", OPTION_COUNT, &threads, NULL, "pairs of them"},
		{"seconds", OPTION_SECONDS, &seconds, NULL, "that it runs"},
		{"locks", OPTION_COUNT, &locks, NULL,
			"to make at least, however long it takes; 0: by time"},
		{"batch", OPTION_COUNT, &batch, NULL, "mutexes made together"},
		{"live", OPTION_COUNT, &live, NULL, "batches of a pair that are alive"},
		{0},
	};
	struct pair *pairs;
	uint64_t start;

	workload_options(&(struct workload){"population",
				 "make very many mutexes that are contended once", options},
		argc, argv);
	if (threads < 1 || threads > 1000 || batch < 1 || batch > 65536 || live < 1 ||
		live > 1000000)
		workload_fail("--threads goes from 1 to 1000, --batch to 65536, --live to 1000000");
	pairs = memory_zeroed(threads, sizeof(*pairs));
	start = now_ns();
	for (uint64_t i = 0; i < threads; i++) {
		pairs[i].batches = memory_zeroed(live, sizeof(*pairs[i].batches));
		pairs[i].visitor = thread_start(visitor_run, &pairs[i]);
		pairs[i].maker = thread_start(maker_run, &pairs[i]);
	}
	if (!locks)
		sleep_ns((uint64_t)(seconds * 1e9));
	atomic_store_explicit(&ending, true, memory_order_relaxed);
	for (uint64_t i = 0; i < threads; i++) {
		thread_join(pairs[i].maker);
		thread_join(pairs[i].visitor);
	}
	report(pairs, now_ns() - start);
	return 0;
}
