/*
 * A lock, a kernel and a clock that do what a test tells them, to see exactly how a policy waits.
 *
 * Use: fake_begin(), change what differs in `fake`, fake_wait(), look at fake.wait and the traces.
 * The program has to be linked with --wrap=syscall and --wrap=clock_gettime: time then passes only
 * where the test says so, and yields and sleeps return at once.
 *
 * The lock is watched in one of two ways. With `word` 0 it looks free, every test of a policy
 * becomes a try, and the first `busy_tries` of them fail: fake.steps then tells what was done
 * between tests. With `word` 1 no try is ever made until `free_after` yields and sleeps have freed
 * it.
 */
#ifndef RELOCK_TESTS_POLICIES_FAKE_H
#define RELOCK_TESTS_POLICIES_FAKE_H

#include "policies/policy.h"

#define FAKE_SLEEPS 256

struct fake {
	/* The lock. */
	atomic_uint word;
	unsigned busy_tries;
	int try_result; /* of the try after those */
	int block_result;
	unsigned free_after; /* yields and sleeps until the word becomes 0; 0: it stays */

	/* The kernel and its clock. */
	atomic_uint urgent;
	unsigned calm_after; /* yields and sleeps until the urgent flag is lowered; 0: it stays */
	long scheduler;      /* what sched_getscheduler answers; negative: an error */
	uint64_t now_ns;
	uint64_t step_ns;  /* how far each look at the clock moves it */
	uint64_t yield_ns; /* how long a yield takes */

	/* The wait under test. */
	const struct policy *policy;
	struct tunables tunables;
	struct timespec deadline;
	struct wait wait;

	/* What was seen. */
	bool each_test;   /* write one word a test into `steps`, not one a run of equal steps */
	char steps[4096]; /* e.g. "15p 2y 1s": 15 pauses, 2 yields, a sleep */
	uint64_t slept_ns[FAKE_SLEEPS];
	unsigned sleeps;
	unsigned scheduler_calls;
};

extern struct fake fake;

/* A lock that looks free, can block, and is given at the first try; an ordinary thread on `cpus`
 * CPUs, the policy's default tunables, no deadline, no urgent flag. */
void fake_begin(const struct policy *policy, unsigned cpus);
/* Gives the wait a deadline `ns` from now. */
void fake_deadline(int64_t ns);
/* Waits under the policy; fails the test when errno was changed. */
void fake_wait(void);

#endif
