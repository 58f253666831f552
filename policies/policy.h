/*
 * The policy interface: how a thread waits once its first try failed.
 *
 * A policy owns nothing. It is handed a `struct wait`: the lock word to peek at, a native try, a
 * native block (or NULL where the lock cannot block), a deadline, its tunables and counters. It
 * returns when wait_try() has said that the wait is over; the outcome is then in w->result. A
 * policy knows nothing of pthreads, the recorder or the configuration.
 *
 * To write one: a file policies/NAME.c with a `struct policy policy_NAME`, and one line in
 * policies/registry.c. It then has its options in INI, environment and command line, its row in
 * `relock policies`, its place in the conformance, stress and benchmark suites.
 *
 * What the primitives below guarantee, so that no policy has to think of it:
 *  - a deadline that passes ends the wait: wait_try() returns true with w->result == ETIMEDOUT;
 *  - a real-time thread (SCHED_FIFO, SCHED_RR, SCHED_DEADLINE) and a process allowed one CPU never
 * spin on: after a bounded number of pauses (and, for a real-time thread, before the first yield)
 * the next wait_try() blocks natively, or sleeps between tries where the lock cannot block;
 *  - no cancellation point, errno untouched: yields and sleeps are raw system calls;
 *  - everything that is done is counted.
 */
#ifndef RELOCK_POLICIES_POLICY_H
#define RELOCK_POLICIES_POLICY_H

#include "policies/arch.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/* Values a policy can be tuned by. One set per choice of policy; a policy reads only those it
 * declares. */
struct tunables {
	uint32_t spins;    /* pauses before the policy changes its way of waiting */
	uint32_t yields;   /* yields per waiting step */
	uint64_t sleep_ns; /* length of one sleep */
	enum arch_hint hint;
	uint32_t hint_count; /* hints per pause */
	uint64_t budget_ns;  /* time without progress before sleeping; 0: computed from the CPUs */
};

/* The tunables, each declared once: name in configuration, field, kind, smallest, largest, one
 * sentence of help. */
enum tunable_kind { TUNABLE_COUNT, TUNABLE_DURATION, TUNABLE_HINT };

struct tunable {
	const char *name;
	enum tunable_kind kind;
	uint64_t min, max; /* inclusive; durations in ns */
	const char *help;
};

enum tunable_id {
	TUNE_SPINS,
	TUNE_YIELDS,
	TUNE_SLEEP,
	TUNE_HINT,
	TUNE_HINT_COUNT,
	TUNE_BUDGET,
	TUNABLE_IDS
};

extern const struct tunable tunable_table[TUNABLE_IDS];

/* Reads or writes the field that belongs to `id`, whatever its width. Hints travel as their enum
 * value. */
uint64_t tunable_get(const struct tunables *t, enum tunable_id id);
void tunable_set(struct tunables *t, enum tunable_id id, uint64_t value);

/* How far a wait had to go: the last thing it did before the try that succeeded. */
enum wait_stage { STAGE_FIRST, STAGE_SPIN, STAGE_YIELD, STAGE_SLEEP, STAGE_BLOCK, STAGES };

struct wait {
	/* The lock. It looks free when ((*word & mask) == free) != inverted; that is a hint,
	 * `try_lock` decides. */
	const atomic_uint *word;
	unsigned mask, free;
	bool inverted;
	void *lock;
	int (*try_lock)(struct wait *w); /* 0; EBUSY: still taken; anything else ends the wait with
					    that result */
	int (*block)(struct wait
			*w); /* blocks natively, up to the deadline if there is one; NULL: cannot */

	const struct timespec *deadline; /* absolute, on `clock`; NULL: none */
	clockid_t clock;

	const struct tunables *t;
	unsigned cpus; /* CPUs the process may use: affinity and quota, at least 1 */
	const atomic_uint
		*urgent; /* non-zero while the program asked for no spinning; may be NULL */
	uint64_t began;  /* ticks, just before the policy was called; 0: not known */
	/* The thread's scheduling class, as sched_getscheduler() tells; NULL: that is called. */
	long (*scheduler)(void);

	/* Filled while waiting. */
	int result;
	enum wait_stage stage;
	bool must_block; /* real-time, or alone on one CPU: set by the primitives */
	bool rt_checked;
	bool expired; /* the deadline has passed: the next wait_try() is the last */
	uint64_t tries, pauses, yields, sleeps, blocks;
	uint64_t yielded_ticks; /* inside sched_yield */
	uint64_t parked_ticks;  /* asleep or blocked */
	uint64_t ended;         /* ticks, where the clock was read when the wait was over; else 0 */
};

struct policy {
	const char *name;
	const char *summary;     /* one line, for tables */
	const char *description; /* a paragraph: the algorithm, when it helps, when it hurts */
	const char *source;      /* where the algorithm and its constants come from */
	void (*wait)(struct wait *w);
	uint32_t uses; /* bit 1 << enum tunable_id for each tunable it reads */
	struct tunables defaults;
};

#define TUNES(id) (1u << (id))

/* Every policy, ended by NULL, in the order `relock policies` lists them. `native` is the first. */
extern const struct policy *const policy_registry[];

const struct policy *policy_find(const char *name); /* NULL: no such policy */

/* --- what policies are written with (policies/wait.c) */

/* Peeks, and tries when the lock looks free. True: the wait is over and w->result says how. */
bool wait_try(struct wait *w);
/* One pause: the tunable hint, hint_count times. */
void wait_pause(struct wait *w);
/* Up to `count` pauses without a test between them; fewer once the wait has to end or must not
 * spin. */
void wait_pauses(struct wait *w, uint32_t count);
void wait_yield(struct wait *w);
void wait_sleep(struct wait *w, uint64_t ns);
/* Blocks natively until the lock is ours or the wait is over; where the lock cannot block, tries
 * and sleeps. */
void wait_block(struct wait *w);
/* True while the program has asked waiters not to spin (relock_urgent_begin). */
bool wait_urgent(const struct wait *w);
/* Value of the lock word now, for policies that look for change. */
unsigned wait_peek(const struct wait *w);

#endif
