/* One thread at work on locks that nobody else wants. */
#include "hotpath.h"

#include <stdlib.h>

#define STRIDE 611953 /* a prime: visits every lock, no two neighbours in a row */

pthread_mutex_t *locks;
uint32_t *order;
uint64_t lock_count;

void work_mutexes(uint64_t count)
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

void make_mutexes(unsigned count)
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
void shuffle(void)
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

double bench_mutexes(unsigned count)
{
	start_idle_thread();
	make_mutexes(count);
	return run_mutexes();
}

double bench_shuffled(unsigned count)
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

double bench_spin(unsigned count)
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

double bench_fresh(unsigned unused)
{
	(void)unused;
	start_idle_thread();
	return run_batches(work_fresh, fitting_count(work_fresh));
}
