#include "tests/unit/policies_check.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

#define ROUNDS 20000
/* Every so many rounds the owner keeps the lock until the other thread waits for it, and then lets
 * it have the lock: fast owners would keep it from ever waiting, or from ever getting it. */
#define ROUNDS_PER_MEETING 64

/* A lock of one word, and what it protects: a plain counter, so that a lost update or, under TSan,
 * an unordered one shows. */
struct test_lock {
	atomic_uint word;
	bool can_block;
	const struct policy *policy;
	unsigned cpus;
	unsigned long count;
	unsigned long waits;
	atomic_uint waiting, done; /* threads */
};

static int try_test_lock(struct wait *w)
{
	struct test_lock *lock = w->lock;
	unsigned expected = 0;

	return atomic_compare_exchange_strong_explicit(
		       &lock->word, &expected, 1, memory_order_acquire, memory_order_relaxed)
		       ? 0
		       : EBUSY;
}

/* Gives up the CPU for real, as a native block would: the real-time test relies on it. */
static int block_test_lock(struct wait *w)
{
	const struct timespec nap = {.tv_nsec = 20000};

	while (try_test_lock(w) == EBUSY)
		clock_nanosleep(CLOCK_MONOTONIC, 0, &nap, NULL);
	return 0;
}

/* Returns what the wait came to; nothing was counted where there was none. */
static struct wait lock_test_lock(struct test_lock *lock)
{
	struct wait w = {
		.word = &lock->word,
		.mask = ~0u,
		.lock = lock,
		.try_lock = try_test_lock,
		.block = lock->can_block ? block_test_lock : NULL,
		.t = &lock->policy->defaults,
		.cpus = lock->cpus,
		.result = -1,
	};

	if (try_test_lock(&w) == 0)
		return w;
	atomic_fetch_add_explicit(&lock->waiting, 1, memory_order_relaxed);
	lock->policy->wait(&w);
	atomic_fetch_sub_explicit(&lock->waiting, 1, memory_order_relaxed);
	ck_assert_int_eq(w.result, 0);
	lock->waits++;
	return w;
}

static void unlock_test_lock(struct test_lock *lock)
{
	atomic_store_explicit(&lock->word, 0, memory_order_release);
}

static unsigned others_waiting(struct test_lock *lock)
{
	return atomic_load_explicit(&lock->waiting, memory_order_relaxed);
}

static unsigned others_done(struct test_lock *lock)
{
	return atomic_load_explicit(&lock->done, memory_order_relaxed);
}

/* Unlocks when the other thread waits, and comes back when it waits no more. */
static void hand_over(struct test_lock *lock)
{
	while (others_waiting(lock) == 0 && others_done(lock) == 0)
		sched_yield();
	unlock_test_lock(lock);
	while (others_waiting(lock) != 0)
		sched_yield();
}

static void *count_up(void *argument)
{
	struct test_lock *lock = argument;

	for (unsigned i = 0; i < ROUNDS; i++) {
		lock_test_lock(lock);
		lock->count++;
		if (i % ROUNDS_PER_MEETING == 0)
			hand_over(lock);
		else
			unlock_test_lock(lock);
	}
	atomic_fetch_add_explicit(&lock->done, 1, memory_order_relaxed);
	return NULL;
}

static void count_with_threads(const struct policy *policy, bool can_block, unsigned cpus)
{
	struct test_lock lock = {.policy = policy, .can_block = can_block, .cpus = cpus};
	pthread_t thread;

	arch_clock_init();
	ck_assert_int_eq(pthread_create(&thread, NULL, count_up, &lock), 0);
	count_up(&lock);
	ck_assert_int_eq(pthread_join(thread, NULL), 0);
	ck_assert_uint_eq(lock.count, 2ul * ROUNDS);
	ck_assert_uint_ge(lock.waits, ROUNDS / ROUNDS_PER_MEETING);
}

START_TEST(two_threads_exclude_each_other)
{
	count_with_threads(policy_registry[_i], true, 2);
}
END_TEST

START_TEST(two_threads_exclude_each_other_without_blocking)
{
	count_with_threads(policy_registry[_i], false, 2);
}
END_TEST

START_TEST(two_threads_exclude_each_other_as_if_on_one_cpu)
{
	count_with_threads(policy_registry[_i], true, 1);
}
END_TEST

static bool be_real_time(void)
{
	const struct sched_param priority = {.sched_priority = 1};

	return sched_setscheduler(0, SCHED_FIFO, &priority) == 0;
}

static void stay_on_one_cpu(void)
{
	cpu_set_t all, one;

	ck_assert_int_eq(sched_getaffinity(0, sizeof(all), &all), 0);
	CPU_ZERO(&one);
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (CPU_ISSET(cpu, &all)) {
			CPU_SET(cpu, &one);
			break;
		}
	}
	ck_assert_int_eq(sched_setaffinity(0, sizeof(one), &one), 0);
}

static void *lock_in_real_time(void *argument)
{
	struct test_lock *lock = argument;
	struct wait w;

	ck_assert(be_real_time());
	w = lock_test_lock(lock);
	lock->count++;
	unlock_test_lock(lock);
	/* The kernel throttles runaway real-time threads: the owner getting there is not proof. */
	ck_assert_uint_le(w.pauses, 256);
	ck_assert_uint_eq(w.yields, 0);
	ck_assert_uint_gt(w.blocks + w.sleeps, 0);
	return NULL;
}

/* An ordinary owner and a real-time waiter on one CPU: the owner can only go on when the waiter
 * gives the CPU up. `cpus` says 2, so that it is the waiter's priority that has to stop it. */
START_TEST(real_time_waiters_do_not_starve_the_owner)
{
	struct test_lock lock = {.word = 1, .can_block = _i % 2, .cpus = 2};
	pthread_t waiter;

	lock.policy = policy_registry[_i / 2];
	arch_clock_init();
	stay_on_one_cpu();
	ck_assert_int_eq(pthread_create(&waiter, NULL, lock_in_real_time, &lock), 0);
	for (int i = 0; i < 1000; i++)
		sched_yield();
	lock.count++;
	unlock_test_lock(&lock);
	ck_assert_int_eq(pthread_join(waiter, NULL), 0);
	ck_assert_uint_eq(lock.count, 2);
}
END_TEST

static bool real_time_permitted(void)
{
	const struct sched_param none = {.sched_priority = 0};

	if (!be_real_time()) {
		printf("skipped: real_time_waiters_do_not_starve_the_owner: SCHED_FIFO: %s\n",
			strerror(errno));
		return false;
	}
	return sched_setscheduler(0, SCHED_OTHER, &none) == 0;
}

int main(void)
{
	TCase *tests = tcase_create("exclusion");
	int policies = 0;

	while (policy_registry[policies] != NULL)
		policies++;
	tcase_set_timeout(tests, 20);
	add_for_each_policy(tests, two_threads_exclude_each_other);
	add_for_each_policy(tests, two_threads_exclude_each_other_without_blocking);
	add_for_each_policy(tests, two_threads_exclude_each_other_as_if_on_one_cpu);
	if (real_time_permitted())
		tcase_add_loop_test(
			tests, real_time_waiters_do_not_starve_the_owner, 0, 2 * policies);
	return run_tests(tests);
}
