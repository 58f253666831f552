/* What the benches of hotpath share: how long they run, the locks they go over. */
#ifndef RELOCK_BENCH_HOTPATH_H
#define RELOCK_BENCH_HOTPATH_H

#include <pthread.h>
#include <stdint.h>

#define BATCHES_MAX 4096

/* How long a bench is to run. Operations, where it is to do just so many in one batch; 0: as many
 * as fit. */
extern uint64_t budget_ns, fixed_operations;

uint64_t now_ns(void);

/* Ends the program where it does not hold. */
void must(int holds, const char *what);

/* Sorts them. */
double median(double *values, unsigned count);

/* --- one thread at work, another asleep */

void start_idle_thread(void);

/* Runs `work` in batches of `count` operations until the budget is spent; the first batches warm
 * up: what a library keeps for each lock is there after the second. Nanoseconds per operation. */
double run_batches(void (*work)(uint64_t count), uint64_t count);

/* The number of operations that take about a millisecond. */
uint64_t fitting_count(void (*work)(uint64_t count));

/* --- the locks */

extern pthread_mutex_t *locks;
extern uint32_t *order; /* in which they are visited: no two neighbours in a row */
extern uint64_t lock_count;

void make_mutexes(unsigned count);
/* Visits them in another order, the same one every time. */
void shuffle(void);
void work_mutexes(uint64_t count);

/* --- the benches: nanoseconds per operation */

double bench_mutexes(unsigned count);
double bench_shuffled(unsigned count);
double bench_spin(unsigned count);
double bench_fresh(unsigned unused);
double bench_clock(unsigned count);
double bench_ledger(unsigned count);
double bench_ledger_holds(unsigned count);
double bench_contended(unsigned threads);
double bench_readers(unsigned threads);
double bench_pingpong(unsigned cpus);
/* Of whole programs, started with additions to their environment. */
double bench_startup(char **additions);
double bench_exit(char **additions);

/* What the exit bench starts: uses 100 000 locks, tells when it is about to end, and ends. */
int populate_and_exit(void);

#endif
