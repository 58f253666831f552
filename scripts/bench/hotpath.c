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
#include "ledger.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define BATCHES_MAX 4096
#define BATCH_NS 1000000
#define STRIDE 611953 /* a prime: visits every lock, no two neighbours in a row */
#define CROWD_MAX 64

extern char **environ;

static uint64_t budget_ns, fixed_operations;

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void must(int holds, const char *what)
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

static double median(double *values, unsigned count)
{
	qsort(values, count, sizeof(*values), by_value);
	return values[count / 2];
}

/* --- one thread at work, another asleep
 * ------------------------------------------------------------------------ */

static void *sleep_for_ever(void *unused)
{
	(void)unused;
	for (;;)
		pause();
	return NULL;
}

static void start_idle_thread(void)
{
	pthread_t idle;

	must(pthread_create(&idle, NULL, sleep_for_ever, NULL) == 0, "pthread_create failed");
}

/* Runs `work` in batches of `count` operations until the budget is spent; the first batches warm
 * up: what a library keeps for each lock is there after the second. */
static double run_batches(void (*work)(uint64_t count), uint64_t count)
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

/* The number of operations that take about BATCH_NS. */
static uint64_t fitting_count(void (*work)(uint64_t count))
{
	uint64_t count = 1000, from, took;

	work(count);
	from = now_ns();
	work(count);
	took = now_ns() - from;
	return took ? 1 + count * BATCH_NS / took : count * BATCH_NS;
}

static pthread_mutex_t *locks;
static uint32_t *order; /* in which the locks are visited */
static uint64_t lock_count;

static void work_mutexes(uint64_t count)
{
	uint64_t next = 0;

	for (uint64_t i = 0; i < count; i++) {
		pthread_mutex_t *lock = &locks[order[next]];

		pthread_mutex_lock(lock);
		pthread_mutex_unlock(lock);
		if (++next == lock_count)
			next = 0;
	}
}

static void make_mutexes(unsigned count)
{
	lock_count = count;
	locks = calloc(count, sizeof(*locks));
	order = calloc(count, sizeof(*order));
	must(locks != NULL && order != NULL, "out of memory");
	for (unsigned i = 0; i < count; i++) {
		pthread_mutex_init(&locks[i], NULL);
		order[i] = (uint32_t)((uint64_t)i * STRIDE % count);
	}
}

/* The same order every time: the generator starts from the same state. */
static void shuffle(void)
{
	uint64_t state = 88172645463325252u;

	for (uint64_t i = lock_count - 1; i > 0; i--) {
		uint32_t other, kept = order[i];

		state ^= state << 13;
		state ^= state >> 7;
		state ^= state << 17;
		other = (uint32_t)(state % (i + 1));
		order[i] = order[other];
		order[other] = kept;
	}
}

static double run_mutexes(void)
{
	/* Every lock once per batch, where that takes longer than a batch should. */
	return run_batches(
		work_mutexes, lock_count > 100000 ? lock_count : fitting_count(work_mutexes));
}

static double bench_mutexes(unsigned count)
{
	start_idle_thread();
	make_mutexes(count);
	return run_mutexes();
}

static double bench_shuffled(unsigned count)
{
	start_idle_thread();
	make_mutexes(count);
	shuffle();
	return run_mutexes();
}

static pthread_spinlock_t *spins; /* one next to the other */
static unsigned spin_count;

static void work_spin(uint64_t count)
{
	unsigned next = 0;

	for (uint64_t i = 0; i < count; i++) {
		pthread_spin_lock(&spins[next]);
		pthread_spin_unlock(&spins[next]);
		if (++next == spin_count)
			next = 0;
	}
}

static uint64_t read_clock(void)
{
#if defined(__x86_64__)
	return __builtin_ia32_rdtsc();
#else
	return now_ns();
#endif
}

/* The program times its hold itself: what that costs at least. */
static void work_clock(uint64_t count)
{
	static uint64_t held;

	for (uint64_t i = 0; i < count; i++) {
		pthread_mutex_t *lock = &locks[0];
		uint64_t from;

		pthread_mutex_lock(lock);
		from = read_clock();
		held += read_clock() - from;
		pthread_mutex_unlock(lock);
	}
}

static double bench_clock(unsigned unused)
{
	(void)unused;
	start_idle_thread();
	make_mutexes(1);
	return run_batches(work_clock, fitting_count(work_clock));
}

/* The program keeps an account of its locks itself, and of one's holds. */
static void work_ledger(uint64_t count)
{
	uint64_t next = 0;

	for (uint64_t i = 0; i < count; i++) {
		pthread_mutex_t *lock = &locks[order[next]];
		struct ledger_row *row = ledger_row(lock);

		pthread_mutex_lock(lock);
		ledger_acquired(row, &locks);
		pthread_mutex_unlock(lock);
		if (++next == lock_count)
			next = 0;
	}
}

static void work_ledger_holds(uint64_t count)
{
	static struct ledger_holds holds;

	for (uint64_t i = 0; i < count; i++) {
		pthread_mutex_t *lock = &locks[0];
		struct ledger_row *row = ledger_row(lock);
		uint64_t from, length;

		pthread_mutex_lock(lock);
		ledger_acquired(row, &locks);
		from = read_clock();
		length = read_clock() - from;
		pthread_mutex_unlock(lock);
		ledger_held(&holds, length);
	}
}

static double bench_ledger(unsigned count)
{
	start_idle_thread();
	make_mutexes(count);
	shuffle();
	ledger_open(count);
	return run_batches(count == 1 ? work_ledger_holds : work_ledger,
		count == 1 ? fitting_count(work_ledger_holds) : count);
}

static double bench_spin(unsigned count)
{
	start_idle_thread();
	spin_count = count;
	spins = calloc(count, sizeof(*spins));
	must(spins != NULL, "out of memory");
	for (unsigned i = 0; i < count; i++)
		pthread_spin_init(&spins[i], PTHREAD_PROCESS_PRIVATE);
	return run_batches(work_spin, fitting_count(work_spin));
}

static void work_fresh(uint64_t count)
{
	for (uint64_t i = 0; i < count; i++) {
		pthread_mutex_t fresh;

		pthread_mutex_init(&fresh, NULL);
		pthread_mutex_lock(&fresh);
		pthread_mutex_unlock(&fresh);
		pthread_mutex_destroy(&fresh);
	}
}

static double bench_fresh(unsigned unused)
{
	(void)unused;
	start_idle_thread();
	return run_batches(work_fresh, fitting_count(work_fresh));
}

/* --- a crowd at work
 * -------------------------------------------------------------------------------------------- */

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

static double bench_contended(unsigned count)
{
	return bench_crowd(contend, count);
}

static double bench_readers(unsigned count)
{
	return bench_crowd(read_together, count);
}

static double bench_pingpong(unsigned cpus)
{
	hand_over_cpus = cpus;
	return bench_crowd(hand_over, 2);
}

/* --- whole programs
 * -----------------------------------------------------------------------------------------------
 */

/* What the exit bench starts: uses 100 000 locks, tells when it is about to end, and ends. */
static int populate_and_exit(void)
{
	uint64_t leaving;

	start_idle_thread();
	make_mutexes(100000);
	work_mutexes(lock_count);
	leaving = now_ns();
	must(write(1, &leaving, sizeof(leaving)) == sizeof(leaving), "cannot write");
	return 0;
}

/* Starts and awaits one program, its output going to `out` if that is not -1. */
static void run_program(char *const *argv, char *const *env, int out)
{
	posix_spawn_file_actions_t actions;
	pid_t pid;
	int status;

	posix_spawn_file_actions_init(&actions);
	if (out >= 0)
		posix_spawn_file_actions_adddup2(&actions, out, 1);
	must(posix_spawn(&pid, argv[0], &actions, NULL, argv, env) == 0, "cannot start a program");
	must(waitpid(pid, &status, 0) == pid && status == 0, "a program failed");
	posix_spawn_file_actions_destroy(&actions);
}

static double startup_once(char *const *env)
{
	char *argv[] = {"/bin/true", NULL};
	uint64_t from = now_ns();

	run_program(argv, env, -1);
	return (double)(now_ns() - from);
}

static double exit_once(char *const *env)
{
	char *argv[] = {"/proc/self/exe", "populate", "0", NULL};
	uint64_t leaving;
	int ends[2];

	must(pipe(ends) == 0, "no pipe");
	run_program(argv, env, ends[1]);
	must(read(ends[0], &leaving, sizeof(leaving)) == sizeof(leaving), "cannot read");
	close(ends[0]);
	close(ends[1]);
	return (double)(now_ns() - leaving);
}

static double bench_program(double (*once)(char *const *env), char **additions)
{
	static double took[BATCHES_MAX];
	uint64_t end = now_ns() + budget_ns;
	unsigned runs = 0, variables = 0, added = 0;
	char **env;

	while (environ[variables])
		variables++;
	while (additions[added])
		added++;
	env = calloc(variables + added + 1, sizeof(*env));
	must(env != NULL, "out of memory");
	memcpy(env, additions, added * sizeof(*env));
	memcpy(env + added, environ, variables * sizeof(*env));
	once(env);
	do
		took[runs++] = once(env);
	while ((now_ns() < end || runs < 3) && runs < BATCHES_MAX);
	return median(took, runs);
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
	{"clock", bench_clock, 0},
	{"ledger-1", bench_ledger, 1},
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
			bench_program(argv[1][0] == 's' ? startup_once : exit_once, argv + 3));
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
