/*
 * What the hooks of all families share: the state of the process, the way into a wait, what they
 * know of their caller.
 *
 * The life of a call: first try; acquired: count, return. Taken: is it ours already, or a kind that
 * is glibc's alone? Then native. Otherwise hook_wait(). Everything past the first try is out of
 * line.
 */
#ifndef RELOCK_PRELOAD_HOOKS_H
#define RELOCK_PRELOAD_HOOKS_H

#include "conf/conf.h"
#include "preload/real.h"
#include "preload/told.h"
#include "stats/record/recorder.h"

#include <errno.h>

/* An exported hook. Everything else in the library is hidden. */
#define HOOK __attribute__((visibility("default")))
#define RETURN_ADDRESS ((uint64_t)__builtin_return_address(0))
#define FRAME_ADDRESS ((uint64_t)__builtin_frame_address(0))

struct process {
	struct conf conf;
	struct policy_choice choice[RLK_KINDS];
	/* Those of the rules per lock, by rule - 1. */
	const struct policy_choice *rule[CONF_LOCK_RULES_MAX];
	size_t rules;       /* 0 when no rule has any effect */
	unsigned cpus;      /* the process may use */
	long scheduler;     /* of the process when it started */
	atomic_uint urgent; /* depth of relock_urgent_begin() */
	bool delegate_all;  /* the self-check failed */
	bool wrap_conditions;
};

extern struct process process __attribute__((visibility("hidden")));
/* The configuration knows no sides of a rwlock. */
extern const enum conf_lock process_lock_of[RLK_KINDS] __attribute__((visibility("hidden")));

/* Brings the library up when it is not; safe to call at any time, from anywhere. False: hooks go
 * straight to glibc. */
bool process_ready(void);

/* This thread, ready to be counted; NULL: pass through. */
static inline struct thread *hook_thread(void)
{
	struct thread *t = thread_self;

	if (likely(t->live))
		return t;
	return process_ready() ? thread_ready() : NULL;
}

/* One call that found its lock taken. */
struct call {
	void *lock;
	struct waiter at;
	enum rlk_kind kind;      /* whose policy waits */
	bool delegated;          /* wait natively, whatever the policy */
	const atomic_uint *word; /* as struct wait has it */
	unsigned mask, free;
	bool inverted;
	int (*try_lock)(struct wait *w);
	int (*block)(struct wait *w);
	bool cannot_block; /* only the native policy may use `block` */
	const struct timespec *deadline;
	clockid_t clock;
};

/* Waits under the policy, recorded. Returns what ended the wait: 0, EOWNERDEAD, ETIMEDOUT, … */
int hook_wait(struct thread *t, const struct call *call);

/* Deadlines that glibc would refuse, or may: those calls are left to it whole. */
static inline bool deadline_odd(clockid_t clock, const struct timespec *deadline)
{
	return !deadline || deadline->tv_nsec < 0 || deadline->tv_nsec >= 1000000000 ||
	       (clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC);
}

/* Counts an acquisition without a wait, where the inline probe did not find the entry. */
void hook_count_slow(struct thread *t, uint64_t key, const struct lock_id *id, uint64_t site);

/* --- mutexes, for condition variables and C11 too */

/* A lock call of any kind; deadline NULL: no limit. `clocked` says that it came with a clock. */
int mutex_acquire(pthread_mutex_t *m, uint64_t site, clockid_t clock,
	const struct timespec *deadline, bool timed);
int mutex_try(pthread_mutex_t *m, uint64_t site);
int mutex_release(pthread_mutex_t *m);
void mutex_born(pthread_mutex_t *m, uint64_t site);
void mutex_died(uint64_t address);
bool mutex_is_delegated(const pthread_mutex_t *m);
/* Whether the thread owns it, for kinds that are not delegated. */
bool mutex_is_ours(const pthread_mutex_t *m, const struct thread *t);
/* The owner's: one user of the mutex more or less, as glibc counts those it must not be destroyed
 * under. */
void mutex_count_user(pthread_mutex_t *m, int change);
/* The entry of the mutex this thread just took, or NULL. */
struct rlk_entry *mutex_entry(struct thread *t, pthread_mutex_t *m, uint64_t site);

extern const struct cost_probe mutex_probe __attribute__((visibility("hidden")));
extern const struct cost_probe spin_probe __attribute__((visibility("hidden")));

/* --- condition variables */

int cond_await(pthread_cond_t *c, pthread_mutex_t *m, uint64_t site, clockid_t clock,
	const struct timespec *deadline, bool clocked);
int cond_wake(pthread_cond_t *c, int (*wake)(pthread_cond_t *));
/* In a forked child. */
void cond_reset(void);

/* --- start-up */

/* Proves that the fields we read mean what we think, and how many of the mutex kinds, from 0 on,
 * and whether spinlocks, can be taken by our own first try. False: delegate everything. */
bool selfcheck(uint32_t *fast_mutexes, uint32_t *fast_spin);
/* The calling thread as glibc writes it into a mutex. */
int32_t selfcheck_tid(void);

/* Notes the rules per lock; `program` is the executable's path. NULL: none has any effect. */
lock_rule_chooser *rules_begin(const char *program);
/* There is no memory to know the locks in: says so. */
void rules_unknown_locks(void);

/* CPUs online, allowed by affinity, and allowed by the control group's quota in 1/1000 (0: none).
 */
void cpus_read(uint32_t *present, uint32_t *allowed, uint32_t *quota_milli);

#endif
