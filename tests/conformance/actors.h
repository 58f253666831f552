/*
 * Actors: threads that do one step at a time when the controlling thread tells them to, so that a
 * case is a script ("OTHER locks; SUBJECT locks and waits; OTHER unlocks") without a race in it.
 *
 * Use: actors_start(); actor_run(OTHER, step, arg); actor_begin(SUBJECT, step, arg);
 * actor_await_waiting(SUBJECT); actor_run(OTHER, …); actor_finish(SUBJECT).
 *
 * Contract: called by the controlling thread only. Actors and controller talk through semaphores,
 * which are no part of what is tested. A step must not touch the transcript.
 */
#ifndef RELOCK_TESTS_CONFORMANCE_ACTORS_H
#define RELOCK_TESTS_CONFORMANCE_ACTORS_H

#include <pthread.h>
#include <stdbool.h>
#include <sys/types.h>

enum actor_id { SUBJECT, OTHER, PROBE, ACTORS };

typedef void (*step_fn)(void *arg);

void actors_start(void);
/* Runs a step to its end. */
void actor_run(enum actor_id id, step_fn step, void *arg);
/* Starts a step; actor_finish() waits for its end. */
void actor_begin(enum actor_id id, step_fn step, void *arg);
void actor_finish(enum actor_id id);
/* Returns once the actor's step is seen to wait (asleep in a futex, or it spun, yielded or slept
 * for a while), or is over. True: it was seen asleep in a futex. */
bool actor_await_waiting(enum actor_id id);
/* True once the step that was begun is over. */
bool actor_done(enum actor_id id);
/* Lets the actor's thread exit, whatever it holds, and starts a new one in its place. */
void actor_replace(enum actor_id id);
void actors_renew(void);
/* Cancels the actor's thread inside its step, and starts a new one. True: it ended by that. */
bool actor_cancel(enum actor_id id);
/* Gives every actor SCHED_FIFO with this priority, or SCHED_OTHER for 0. False: not permitted. */
bool actors_priority(int priority);
/* "subject", "other", "probe", "none" for 0, "self" for the caller, what glibc writes into robust
 * mutexes by its name, "gone" for anybody else. */
const char *actor_name(pid_t tid);
pthread_t actor_thread(enum actor_id id);
pid_t actor_tid(enum actor_id id);

/* --- watching tasks, also those of other processes */

/* True when the task is asleep in a futex system call. `task` is a directory of /proc. */
bool task_in_futex(const char *task);
/* The same for a call of the sleeping kind. */
bool task_in_sleep(const char *task);
/* Voluntary context switches of a task so far. */
long task_switches(const char *task);
/* A short pause between two looks. */
void look_again(void);

enum child_fate { CHILD_BLOCKED, CHILD_SPINS, CHILD_EXITED, CHILD_SIGNALLED };

struct child_end {
	enum child_fate fate;
	int value; /* exit status or signal */
};

/* Forks, runs `step` in the child, and waits until it is over or is seen never to end: asleep in a
 * futex where nobody is left to wake it, or burning time without end. The child is then killed. */
struct child_end child_run(step_fn step, void *arg);
/* "blocks", "spins", "exit:N", "signal:N". With `any_wait`, the first two are "never-returns". */
const char *child_end_name(struct child_end end, bool any_wait);

#endif
