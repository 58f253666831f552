/* What a program pays that times its holds itself, or keeps an account of its locks: what a
 * recorder can be measured against. */
#include "hotpath.h"
#include "ledger.h"

static uint64_t read_clock(void)
{
#if defined(__x86_64__)
	return __builtin_ia32_rdtsc();
#else
	return now_ns();
#endif
}

/* The program times its holds itself: what that costs at least. */
static void work_clock(uint64_t count)
{
	uint64_t held = 0, next = 0;

	for (uint64_t i = 0; i < count; i++) {
		pthread_mutex_t *lock = &locks[order[next]];
		uint64_t from;

		pthread_mutex_lock(lock);
		from = read_clock();
		held += read_clock() - from;
		pthread_mutex_unlock(lock);
		if (++next == lock_count)
			next = 0;
	}
	must(held > 0, "the clock stands still");
}

double bench_clock(unsigned count)
{
	start_idle_thread();
	make_mutexes(count);
	return run_batches(work_clock, fitting_count(work_clock));
}

/* The program counts its locks itself. */
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

double bench_ledger(unsigned count)
{
	start_idle_thread();
	make_mutexes(count);
	shuffle();
	ledger_open(count, 0);
	return run_batches(work_ledger, count);
}

/* It times each hold as well. */
static void work_ledger_holds(uint64_t count)
{
	uint64_t next = 0;

	for (uint64_t i = 0; i < count; i++) {
		pthread_mutex_t *lock = &locks[order[next]];
		struct ledger_row *row = ledger_row(lock);
		uint64_t from, length;

		pthread_mutex_lock(lock);
		ledger_acquired(row, &locks);
		from = read_clock();
		length = read_clock() - from;
		pthread_mutex_unlock(lock);
		ledger_held(row, length);
		if (++next == lock_count)
			next = 0;
	}
}

double bench_ledger_holds(unsigned count)
{
	start_idle_thread();
	make_mutexes(count);
	ledger_open(count, 1);
	return run_batches(work_ledger_holds, fitting_count(work_ledger_holds));
}
