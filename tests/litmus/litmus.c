#include "tests/litmus/litmus.h"

#include "stats/record/shared.h"

#include <linux/futex.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

struct worker {
	pthread_t thread;
	uint64_t random;
	uint32_t go; /* futex: 1 when it is this one's turn */
	uint32_t alive;
	bool still;
} __attribute__((aligned(64)));

static const struct litmus *test;
static struct worker workers[LITMUS_THREADS];
static __thread struct worker *self;
static uint64_t round_seed, schedule;
/* Steps that a thread goes on, on average: it differs by round, as what one has to stand still for
 * may be a step or all of what another does. */
static uint32_t run_length;
static bool scheduled = true;

/* xorshift. */
static uint64_t random_next(uint64_t *state)
{
	uint64_t x = __atomic_load_n(state, __ATOMIC_RELAXED);

	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	__atomic_store_n(state, x, __ATOMIC_RELAXED);
	return x >> 16;
}

static uint64_t random_begin(uint64_t seed)
{
	seed = (seed + 1) * 0x9e3779b97f4a7c15u;
	seed ^= seed >> 29;
	seed *= 0xbf58476d1ce4e5b9u;
	return seed ^ seed >> 32 ? seed ^ seed >> 32 : 1;
}

uint32_t litmus_random(uint32_t limit)
{
	return (uint32_t)(random_next(&self->random) % limit);
}

bool litmus_scheduled(void)
{
	return scheduled;
}

void litmus_fail(const char *format, ...)
{
	va_list list;

	va_start(list, format);
	fprintf(stderr, "%s: ", test->name);
	vfprintf(stderr, format, list);
	fprintf(stderr, "\nagain: %s--seed %llu --rounds 1 %s\n", scheduled ? "" : "--free ",
		(unsigned long long)round_seed, test->name);
	va_end(list);
	_exit(1);
}

/* --- one at a time */

static void hand_on(struct worker *to)
{
	__atomic_store_n(&to->go, 1, __ATOMIC_RELAXED);
	syscall(SYS_futex, &to->go, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

static void wait_for_turn(void)
{
	while (!__atomic_load_n(&self->go, __ATOMIC_RELAXED))
		syscall(SYS_futex, &self->go, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);
	__atomic_store_n(&self->go, 0, __ATOMIC_RELAXED);
}

/* One of those that have not ended, or NULL; `but` is left out. */
static struct worker *choose(const struct worker *but)
{
	struct worker *alive[LITMUS_THREADS];
	unsigned count = 0;

	for (unsigned i = 0; i < test->threads; i++) {
		if (&workers[i] != but && __atomic_load_n(&workers[i].alive, __ATOMIC_RELAXED))
			alive[count++] = &workers[i];
	}
	return count ? alive[random_next(&schedule) % count] : NULL;
}

void litmus_yield(void)
{
	struct worker *next;

	if (!scheduled || !self) {
		sched_yield();
		return;
	}
	next = choose(self);
	if (next) {
		hand_on(next);
		wait_for_turn();
	}
}

void litmus_stand_still(void)
{
	if (self)
		self->still = true;
}

void litmus_go_on(void)
{
	if (self)
		self->still = false;
}

/* --- all at once */

static void take_time(void)
{
	uint64_t random = random_next(&self->random);

	if (random % 4)
		return;
	if (random % 256 == 0)
		sched_yield();
	for (unsigned i = (random >> 8) % 64; i > 0; i--)
		__asm__ volatile("");
}

void shared_step(void)
{
	if (!self || self->still)
		return;
	if (!scheduled)
		take_time();
	else if (random_next(&schedule) % run_length == 0)
		litmus_yield();
}

/* quiet.c is built with this in place of its system calls: one that stands still for others must
 * not wait for them. */
long litmus_syscall(long number, ...);
long litmus_syscall(long number, ...)
{
	long argument[6];
	va_list list;

	va_start(list, number);
	for (unsigned i = 0; i < 6; i++)
		argument[i] = va_arg(list, long);
	va_end(list);
	if (number == SYS_futex && (argument[1] & FUTEX_CMD_MASK) == FUTEX_WAIT && scheduled &&
		self) {
		litmus_yield();
		return 0;
	}
	return syscall(number, argument[0], argument[1], argument[2], argument[3], argument[4],
		argument[5]);
}

/* --- rounds */

static void *work(void *of)
{
	self = of;
	if (scheduled)
		wait_for_turn();
	else
		while (!__atomic_load_n(&self->go, __ATOMIC_RELAXED))
			sched_yield();
	test->body((unsigned)(self - workers));
	__atomic_store_n(&self->alive, 0, __ATOMIC_RELAXED);
	if (scheduled) {
		struct worker *next = choose(NULL);

		if (next)
			hand_on(next);
	}
	self = NULL;
	return NULL;
}

static void run_round(uint64_t seed)
{
	round_seed = seed;
	schedule = random_begin(seed);
	run_length = (test->least_run ? test->least_run : 4) << 2 * (random_next(&schedule) % 6);
	if (test->begin)
		test->begin();
	for (unsigned i = 0; i < test->threads; i++)
		workers[i] = (struct worker){.random = random_begin(seed * 64 + i + 1), .alive = 1};
	for (unsigned i = 0; i < test->threads; i++) {
		if (pthread_create(&workers[i].thread, NULL, work, &workers[i]))
			litmus_fail("no thread to be had");
	}
	if (scheduled)
		hand_on(choose(NULL));
	else
		for (unsigned i = 0; i < test->threads; i++)
			__atomic_store_n(&workers[i].go, 1, __ATOMIC_RELAXED);
	for (unsigned i = 0; i < test->threads; i++)
		pthread_join(workers[i].thread, NULL);
	test->end();
}

int litmus_main(int argc, char **argv, const struct litmus *tests, size_t count)
{
	uint64_t seed = 1, rounds = 0;
	const char *only = NULL;
	size_t run = 0;

	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "--free"))
			scheduled = false;
		else if (!strcmp(argv[i], "--seed") && i + 1 < argc)
			seed = strtoull(argv[++i], NULL, 10);
		else if (!strcmp(argv[i], "--rounds") && i + 1 < argc)
			rounds = strtoull(argv[++i], NULL, 10);
		else
			only = argv[i];
	}
	for (size_t i = 0; i < count; i++) {
		/* All at once they wait for CPUs, which are few and busy. */
		uint64_t usual = scheduled ? tests[i].rounds : tests[i].rounds / 4 + 1;
		uint64_t times = rounds ? rounds : usual;

		if (only && strcmp(only, tests[i].name) != 0)
			continue;
		test = &tests[i];
		run++;
		for (uint64_t round = 0; round < times; round++)
			run_round(seed + round);
		printf("%s: %llu rounds\n", test->name, (unsigned long long)times);
		fflush(stdout);
	}
	return run > 0 ? 0 : 2;
}
