/* Threads that meet: in a lock, as readers of one, or waiting for each other. */
#include "hotpath.h"

#include <sched.h>
#include <stdatomic.h>
#include <time.h>

#define CROWD_MAX 64

static pthread_mutex_t shared = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_barrier_t together;
static atomic_bool over;
static unsigned long turn;

static int going(uint64_t done)
{
	if (fixed_operations)
		return done < fixed_operations;
	return !atomic_load_explicit(&over, memory_order_relaxed);
}

static void work_a_little(unsigned steps)
{
	for (unsigned i = 0; i < steps; i++)
		__asm__ volatile("" ::: "memory");
}

static void *contend(void *done)
{
	uint64_t pairs = 0;

	pthread_barrier_wait(&together);
	for (; going(pairs); pairs++) {
		pthread_mutex_lock(&shared);
		work_a_little(50);
		pthread_mutex_unlock(&shared);
		work_a_little(100);
	}
	*(uint64_t *)done = pairs;
	return NULL;
}

static void *read_together(void *done)
{
	uint64_t pairs = 0;

	pthread_barrier_wait(&together);
	for (; going(pairs); pairs++) {
		pthread_rwlock_rdlock(&rwlock);
		pthread_rwlock_unlock(&rwlock);
	}
	*(uint64_t *)done = pairs;
	return NULL;
}

/* On one of the CPUs that the program may use, by number. */
static void stay_on(unsigned number)
{
	cpu_set_t one, all;
	unsigned cpu = 0;

	must(sched_getaffinity(0, sizeof(all), &all) == 0, "no affinity");
	for (number %= (unsigned)CPU_COUNT(&all); !CPU_ISSET(cpu, &all) || number > 0; cpu++)
		number -= CPU_ISSET(cpu, &all) != 0;
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	must(sched_setaffinity(0, sizeof(one), &one) == 0, "cannot stay on one CPU");
}

/* Where the scheduler places the two decides by a factor of ten, so it is not left to it. Whoever
 * finds the end first wakes the other, which would wait for its turn for ever. */
static unsigned hand_over_cpus;

static void *hand_over(void *done)
{
	static atomic_uint sides;
	unsigned me = atomic_fetch_add_explicit(&sides, 1, memory_order_relaxed);
	uint64_t rounds = 0;

	stay_on(me % hand_over_cpus);
	pthread_barrier_wait(&together);
	pthread_mutex_lock(&shared);
	while (going(rounds)) {
		while (turn % 2 != me && going(rounds))
			pthread_cond_wait(&changed, &shared);
		turn++;
		rounds++;
		pthread_cond_signal(&changed);
	}
	pthread_cond_signal(&changed);
	pthread_mutex_unlock(&shared);
	*(uint64_t *)done = rounds;
	return NULL;
}

static double bench_crowd(void *(*run)(void *), unsigned count)
{
	static uint64_t done[CROWD_MAX * 8]; /* a cache line each */
	struct timespec nap = {.tv_sec = (time_t)(budget_ns / 1000000000),
		.tv_nsec = (long)(budget_ns % 1000000000)};
	pthread_t threads[CROWD_MAX];
	uint64_t from, sum = 0;

	pthread_barrier_init(&together, NULL, count + 1);
	for (unsigned i = 0; i < count; i++)
		must(pthread_create(&threads[i], NULL, run, &done[i * 8]) == 0,
			"pthread_create failed");
	pthread_barrier_wait(&together);
	from = now_ns();
	if (!fixed_operations)
		clock_nanosleep(CLOCK_MONOTONIC, 0, &nap, NULL);
	atomic_store_explicit(&over, 1, memory_order_relaxed);
	for (unsigned i = 0; i < count; i++) {
		pthread_join(threads[i], NULL);
		sum += done[i * 8];
	}
	must(sum > 0, "nothing was done in the time given");
	return (double)(now_ns() - from) / (double)sum;
}

double bench_contended(unsigned count)
{
	return bench_crowd(contend, count);
}

double bench_readers(unsigned count)
{
	return bench_crowd(read_together, count);
}

double bench_pingpong(unsigned cpus)
{
	hand_over_cpus = cpus;
	return bench_crowd(hand_over, 2);
}
