/*
 * What one lock operation costs, measured from outside: plain pthread calls, whatever library
 * stands under them.
 *
 * Use: hotpath BENCH MILLISECONDS [OPERATIONS]       one of the table at the end
 *      hotpath startup|exit MILLISECONDS NAME=VALUE…  programs started with that environment added
 * Prints the nanoseconds per operation, the median over batches. With OPERATIONS it does just so
 * many in one batch and prints their mean: for counting instructions. scripts/bench/hotpath runs it
 * and makes the table.
 *
 * There is a second thread from the start, asleep, since a library may do less in a process with
 * one.
 */
#include "hotpath.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define BATCH_NS 1000000

uint64_t budget_ns, fixed_operations;

uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

void must(int holds, const char *what)
{
	if (holds)
		return;
	fprintf(stderr, "hotpath: %s\n", what);
	exit(1);
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

double median(double *values, unsigned count)
{
	qsort(values, count, sizeof(*values), by_value);
	return values[count / 2];
}

static void *sleep_for_ever(void *unused)
{
	(void)unused;
	for (;;)
		pause();
	return NULL;
}

void start_idle_thread(void)
{
	pthread_t idle;

	must(pthread_create(&idle, NULL, sleep_for_ever, NULL) == 0, "pthread_create failed");
}

double run_batches(void (*work)(uint64_t count), uint64_t count)
{
	static double batch[BATCHES_MAX];
	uint64_t end, from, to;
	unsigned batches = 0;

	if (fixed_operations) {
		from = now_ns();
		work(fixed_operations);
		return (double)(now_ns() - from) / (double)fixed_operations;
	}
	work(count);
	work(count);
	end = now_ns() + budget_ns;
	do {
		from = now_ns();
		work(count);
		to = now_ns();
		batch[batches++] = (double)(to - from) / (double)count;
	} while ((to < end || batches < 5) && batches < BATCHES_MAX);
	return median(batch, batches);
}

uint64_t fitting_count(void (*work)(uint64_t count))
{
	uint64_t count = 1000, from, took;

	work(count);
	from = now_ns();
	work(count);
	took = now_ns() - from;
	return took ? 1 + count * BATCH_NS / took : count * BATCH_NS;
}

static const struct bench {
	const char *name;
	double (*run)(unsigned argument);
	unsigned argument;
} benches[] = {
	{"mutex-1", bench_mutexes, 1},
	{"mutex-1000", bench_mutexes, 1000},
	{"mutex-1000000", bench_mutexes, 1000000},
	{"mutex-1000000-shuffled", bench_shuffled, 1000000},
	{"clock-1", bench_clock, 1},
	{"clock-1000", bench_clock, 1000},
	{"ledger-1", bench_ledger_holds, 1},
	{"ledger-1000", bench_ledger_holds, 1000},
	{"ledger-1000000", bench_ledger, 1000000},
	{"spin", bench_spin, 1},
	{"spin-1000", bench_spin, 1000},
	{"fresh", bench_fresh, 0},
	{"readers", bench_readers, 2},
	{"pingpong", bench_pingpong, 2},
	{"pingpong-1cpu", bench_pingpong, 1},
	{"contended-2", bench_contended, 2},
	{"contended-64", bench_contended, 64},
};

int main(int argc, char **argv)
{
	must(argc >= 3, "usage: hotpath BENCH MILLISECONDS [OPERATIONS | NAME=VALUE…]");
	budget_ns = strtoull(argv[2], NULL, 10) * 1000000;
	if (strcmp(argv[1], "populate") == 0)
		return populate_and_exit();
	if (strcmp(argv[1], "startup") == 0 || strcmp(argv[1], "exit") == 0) {
		printf("%.3f\n",
			argv[1][0] == 's' ? bench_startup(argv + 3) : bench_exit(argv + 3));
		return 0;
	}
	fixed_operations = argc > 3 ? strtoull(argv[3], NULL, 10) : 0;
	for (size_t i = 0; i < sizeof(benches) / sizeof(benches[0]); i++)
		if (strcmp(benches[i].name, argv[1]) == 0) {
			printf("%.3f\n", benches[i].run(benches[i].argument));
			return 0;
		}
	must(0, "no such bench");
	return 1;
}
