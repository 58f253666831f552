/*
 * Lock operations in great number of everything, measured from outside.
 *
 * Use: scale threads COUNT OPERATIONS   so many threads at once, each with a mutex of its own
 *      scale short COUNT OPERATIONS     so many threads, eight at a time, on four mutexes
 *      scale locks COUNT ROUNDS         one thread that goes over so many mutexes, after it has
 *                                       gone over them twice
 *      scale fresh COUNT 1              the first time that it does
 * Prints the CPU nanoseconds per lock and unlock (threads, locks) or per thread (short), the
 * number of acquisitions, and the process's peak memory in KiB. scripts/bench/scale makes the
 * table.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#define AT_A_TIME 8

static pthread_mutex_t shared[4] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
	PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static unsigned long operations;

static uint64_t cpu_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void must(int holds, const char *what)
{
	if (holds)
		return;
	fprintf(stderr, "scale: %s\n", what);
	exit(1);
}

static void *on_its_own(void *unused)
{
	static _Thread_local pthread_mutex_t own = PTHREAD_MUTEX_INITIALIZER;

	for (unsigned long i = 0; i < operations; i++) {
		pthread_mutex_lock(&own);
		pthread_mutex_unlock(&own);
	}
	return unused;
}

static void *in_short(void *number)
{
	for (unsigned long i = 0; i < operations; i++) {
		pthread_mutex_t *mutex = &shared[((uintptr_t)number + i) % 4];

		pthread_mutex_lock(mutex);
		pthread_mutex_unlock(mutex);
	}
	return NULL;
}

static void run_threads(void *(*run)(void *), unsigned long count, unsigned long at_a_time)
{
	pthread_t *threads = calloc(at_a_time, sizeof(*threads));
	pthread_attr_t small;

	must(threads != NULL, "out of memory");
	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 64 << 10);
	for (unsigned long i = 0; i < count; i += at_a_time) {
		for (unsigned long j = 0; j < at_a_time; j++)
			must(pthread_create(&threads[j], &small, run, (void *)(i + j)) == 0,
				"no thread");
		for (unsigned long j = 0; j < at_a_time; j++)
			pthread_join(threads[j], NULL);
	}
	free(threads);
}

static void go_over(pthread_mutex_t *locks, unsigned long count, unsigned long rounds)
{
	for (unsigned long round = 0; round < rounds; round++) {
		for (unsigned long i = 0; i < count; i++) {
			pthread_mutex_lock(&locks[i]);
			pthread_mutex_unlock(&locks[i]);
		}
	}
}

static void *nothing(void *unused)
{
	return unused;
}

int main(int argc, char **argv)
{
	unsigned long count = argc == 4 ? strtoul(argv[2], NULL, 10) : 0, before = 0;
	int by_thread = argc == 4 && strcmp(argv[1], "short") == 0;
	int on_locks =
		argc == 4 && (strcmp(argv[1], "locks") == 0 || strcmp(argv[1], "fresh") == 0);
	pthread_mutex_t *locks = NULL;
	struct rusage use;
	uint64_t begin;

	must(count > 0, "usage: scale threads|short|locks|fresh COUNT OPERATIONS");
	operations = strtoul(argv[3], NULL, 10);
	/* A library may do less in a process that has never had a second thread. */
	run_threads(nothing, 1, 1);
	if (on_locks) {
		locks = malloc(count * sizeof(*locks));
		must(locks != NULL, "out of memory");
		/* Not all zero: the pages are there before. */
		memset(locks, 1, count * sizeof(*locks));
		for (unsigned long i = 0; i < count; i++)
			locks[i] = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
	}
	if (strcmp(argv[1], "locks") == 0) {
		before = 2;
		go_over(locks, count, before);
	}
	begin = cpu_ns();
	if (strcmp(argv[1], "threads") == 0)
		run_threads(on_its_own, count, count);
	else if (by_thread)
		run_threads(in_short, count, AT_A_TIME);
	else
		go_over(locks, count, operations);
	begin = cpu_ns() - begin;
	getrusage(RUSAGE_SELF, &use);
	printf("%.2f %lu %ld\n", (double)begin / (double)(by_thread ? count : count * operations),
		count * (operations + before), use.ru_maxrss);
	return 0;
}
