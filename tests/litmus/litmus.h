/*
 * Litmus programs: a few threads drive one lock-free structure of the recorder, many short rounds,
 * each with a seed of its own.
 *
 * Use: a program lists its tests and calls litmus_main(). Every access through the wrappers of
 * stats/record/shared.h is a step (shared_step()), at which, by default, a scheduler decides from
 * the seed which thread goes on, all others standing still: the round that failed can be run again.
 * With --free they run at once, as the machine does it, and steps take a random time.
 *
 *     PROGRAM [--free] [--seed S] [--rounds N] [TEST]
 *
 * The scheduler hands on by relaxed accesses and bare futexes: ThreadSanitizer sees nothing that
 * would order the threads, and so finds races that are scheduled as well as those that run.
 *
 * Contract: a body must not block but in quiet_begin(); it ends by itself.
 */
#ifndef RELOCK_TESTS_LITMUS_H
#define RELOCK_TESTS_LITMUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __has_feature
#if __has_feature(thread_sanitizer)
#define __SANITIZE_THREAD__ 1
#endif
#endif

#define LITMUS_THREADS 8

struct litmus {
	const char *name;
	unsigned rounds; /* where the command line does not say */
	unsigned threads;
	void (*begin)(void);         /* before the threads of a round; NULL: nothing */
	void (*body)(unsigned self); /* of each thread, numbered from 0 */
	void (*end)(void);           /* when they are done: what must hold then */
	/* Steps after which, at most once on average, threads change in the round in which they do
	 * so most often; 0: 4. */
	unsigned least_run;
};

int litmus_main(int argc, char **argv, const struct litmus *tests, size_t count);

/* Random numbers of the calling thread's, from the seed of the round. Below `limit`. */
uint32_t litmus_random(uint32_t limit);

/* Whether threads run one at a time. */
bool litmus_scheduled(void);

/* Another thread goes on, where there is one. */
void litmus_yield(void);

/* Until litmus_go_on(), no other thread does anything, where they are scheduled. */
void litmus_stand_still(void);
void litmus_go_on(void);

/* Says which seed it was, and ends the program. */
void litmus_fail(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));

#define litmus_check(condition, ...)                                                               \
	do {                                                                                       \
		if (!(condition))                                                                  \
			litmus_fail(__VA_ARGS__);                                                  \
	} while (0)

#endif
