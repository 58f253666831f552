/*
 * The recorder's own lock, with signals: a handler takes it too, and must never find its own thread
 * holding it.
 */
#include "stats/record/quiet.h"

#include "stats/record/shared.h"
#include "tests/litmus/litmus.h"

#include <pthread.h>
#include <signal.h>
#include <string.h>

#define THREADS 4
#define STEPS 60

static pthread_t threads[THREADS];
static uint32_t ready, working;
static uint64_t counter, counted; /* under the lock; by all, one by one */
static uint64_t inside;
static __thread bool holds;

static void count_once(void)
{
	struct quiet quiet;
	uint64_t value;

	litmus_check(!holds, "a handler came while its thread held the lock");
	quiet_begin(&quiet);
	holds = true;
	litmus_check(add64(&inside, 1) == 0, "two threads hold the lock");
	value = counter;
	shared_step();
	counter = value + 1;
	add64(&inside, (uint64_t)-1);
	holds = false;
	quiet_end(&quiet);
	add64(&counted, 1);
}

static void handler(int signal)
{
	(void)signal;
	count_once();
}

static void begin(void)
{
	struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};

	sigaction(SIGUSR1, &action, NULL);
	counter = counted = inside = 0;
	ready = 0;
	working = THREADS;
}

static void body(unsigned self)
{
	sigset_t before = {0}, after = {0};

	threads[self] = pthread_self();
	__atomic_fetch_add(&ready, 1, __ATOMIC_ACQ_REL);
	while (__atomic_load_n(&ready, __ATOMIC_ACQUIRE) < THREADS)
		litmus_yield();
	pthread_sigmask(SIG_SETMASK, NULL, &before);
	for (unsigned i = 0; i < STEPS; i++) {
		count_once();
		/* A thread that stands still for others must not come to life by a signal. */
		if (litmus_random(4) == 0)
			pthread_kill(threads[litmus_scheduled() ? self : litmus_random(THREADS)],
				SIGUSR1);
	}
	pthread_sigmask(SIG_SETMASK, NULL, &after);
	/* ThreadSanitizer puts handlers off, and keeps the mask that it runs them with in one
	 * place: where one more comes just then, all stay blocked. */
#ifndef __SANITIZE_THREAD__
	litmus_check(!memcmp(&before, &after, sizeof(before)), "signals are blocked that were not");
#endif
	/* Nobody is sent a signal that has gone. */
	__atomic_fetch_sub(&working, 1, __ATOMIC_ACQ_REL);
	while (__atomic_load_n(&working, __ATOMIC_ACQUIRE))
		litmus_yield();
}

static void end(void)
{
	litmus_check(counter == counted && counter >= THREADS * STEPS,
		"%llu times in the lock count as %llu", (unsigned long long)counted,
		(unsigned long long)counter);
}

static const struct litmus tests[] = {{"quiet", 400, THREADS, begin, body, end}};

int main(int argc, char **argv)
{
	return litmus_main(argc, argv, tests, sizeof(tests) / sizeof(*tests));
}
