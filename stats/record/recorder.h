/*
 * The recorder: the half of the statistics that runs inside the program. What the hooks call.
 *
 * Use: recorder_open() once; then, around each call of a lock,
 *
 *     acquired at once     thread_count…() below
 *     found taken          event_begin(), the policy's wait, event_end()
 *     before the release   hold_stop() when t->held_count is not 0, and after it hold_note()
 *
 * Contract: nothing here allocates, takes a lock of the program's, uses stdio, or changes errno,
 * and nothing is written to the program's streams. All of it may run in a signal handler that
 * interrupted any other part of it.
 */
#ifndef RELOCK_STATS_RECORD_RECORDER_H
#define RELOCK_STATS_RECORD_RECORDER_H

#include "policies/policy.h"
#include "stats/record/costs.h"
#include "stats/record/entry.h"

enum record_holds { RECORD_HOLDS_OFF, RECORD_HOLDS_SAMPLED, RECORD_HOLDS_ALL };

/* What the hooks tell the recorder at its start. Texts must stay valid. */
struct recorder_config {
	/* False: threads are known and nothing is recorded; where there are rules per lock, locks
	 * are known too, in memory that never becomes a file. */
	bool record;
	lock_rule_chooser *rule; /* NULL: there are no rules */
	enum record_holds holds;
	uint32_t hold_sample;
	bool stacks;
	uint32_t stack_depth;
	uint64_t max_memory, max_locks;
	uint32_t deflate_threshold; /* percent */
	uint64_t deflate_interval;  /* ns */
	int32_t (*tid)(
		void); /* the calling thread, as glibc writes it into a mutex's owner field */
	uint32_t fast_mutexes, fast_spin; /* see struct thread */
	void (*forked)(void); /* called first in a child, however it was made; may be NULL */
	bool delegate_all;
	uint32_t cpus_present, cpus_allowed, cpus_quota_milli;
	/* Name of the recording, absolute, for the process as it is now; the n-th try (from 0)
	 * where others were taken. */
	bool (*output)(unsigned n, char *path, size_t size);
	const char *program, *command, *host, *libc, *kernel, *config, *run_id;
	const char *policy[RLK_KINDS];
	bool report;                                       /* short text on stderr at the end */
	const struct cost_probe *probe_mutex, *probe_spin; /* NULL: what it costs is not known */
};

/* The part of it that is looked at while running. */
struct recorder {
	bool on; /* there is an arena to count in */
	bool stacks;
	enum record_holds holds;
	uint32_t hold_sample;
	uint32_t stack_depth;
	int32_t (*tid)(void);
	uint32_t fast_mutexes, fast_spin;
	uint32_t forks;      /* between this process and the one that began */
	uint64_t calibrated; /* ticks of the last calibration */
	uint64_t burst_gap; /* ticks between acquisitions, on average, up to which they are a run */
};

extern struct recorder recorder __attribute__((visibility("hidden")));

/* Comes up, in private memory. False: there was no memory; programs run unrecorded. Call while
 * there is one thread. */
bool recorder_open(const struct recorder_config *config);

/* Loads the unwinder. Before the second thread, and where the program can be in no lock of its own:
 * never from a lock's hook. */
void recorder_load_unwinder(void);

/*
 * Puts the recording's file under what was recorded; called before the second thread is made, and
 * by the first thread that has to wait. Idempotent. A failure is said once, in one line on stderr.
 */
void recorder_create(void);
extern atomic_bool recorder_created __attribute__((visibility("hidden")));

/* Whether this is a child of the process that opened the recorder; what it then has to do, before
 * anything else. */
bool recorder_forked(void);
void recorder_child(void);

/* Notes ticks against the monotonic clock: whatever ends the process, the last note tells the
 * length of a tick. */
void recorder_calibrate(void);

/* The same, where a clock was read anyway and the last note is old (about 25 to 70 ms at 1 to 3
 * GHz). */
static inline void recorder_calibrate_sometimes(uint64_t now)
{
	if (unlikely(now - load64(&recorder.calibrated) > 1u << 26))
		recorder_calibrate();
}

/* `ns` in ticks, as well as it is known by now. */
uint64_t recorder_ticks(uint64_t ns);

/* Process `pid` (0: this one) may have no more than `bytes` of address space from now on. */
void recorder_limit(pid_t pid, uint64_t bytes);

/* The clock that ticks are of, or what a look at it costs, is another now. */
void recorder_clock(void);

/* The process is about to lock its memory. */
void recorder_pin(void);

/* The process ends in order. */
void recorder_close(void);

/* --- counting */

uint32_t sample_step(struct thread *t);

/* Starts timing the hold of `e`'s lock, acquired at `now` (0: read the clock). Out of line. Always
 * 0. */
int hold_begin(struct thread *t, struct rlk_entry *e, uint64_t key, uint64_t now);
/* A hold that is over. */
struct hold {
	struct held held;
	uint64_t end; /* ticks */
};

/* The lock of `key` is about to be released: reads the clock. False: its hold is not timed. Call
 * only while t->held_count is not 0; what it returns is noted after the release. */
bool hold_stop(struct thread *t, uint64_t key, struct hold *hold);
void hold_note(struct thread *t, struct hold *hold);

/* Spread out. */
static inline bool hold_is_one_of_32(const struct thread *t)
{
	return t->acquired_before * 0x9e3779b97f4a7c15u >> 59 == 0;
}

/* Where every hold is timed some will do: the owner is in a cache line of the lock's record, and
 * often another thread's. */
static inline bool hold_is_looked_at(const struct thread *t)
{
	return recorder.holds != RECORD_HOLDS_ALL || hold_is_one_of_32(t);
}

/* Whether this hold is the only one under way, and nothing but its length is to be noted. If not:
 * hold_stop(). */
static inline bool hold_is_plain(const struct thread *t, uint64_t key)
{
	return t->held_count == 1 && load64(&t->held[0].key) == key &&
	       load32(&t->held[0].how) == HELD_PLAINLY && arch_clock_is_counter();
}

/*
 * The cell of such a hold, to be found before the release. NULL: it has none, or the entry is gone,
 * after a handler's fork. It is remembered from the last such hold: the loads that find it wait for
 * each other, where the processor guesses that a comparison will hold.
 */
static inline struct rlk_cell *hold_cell(struct thread *t)
{
	struct rlk_entry *e = atomic_load_explicit(
		(_Atomic(struct rlk_entry *) *)&t->held[0].entry, memory_order_relaxed);
	uint16_t state = likely(e) ? load16(&e->state) : 0;
	uint64_t last = load64(&t->last_cell);
	struct rlk_cell *cell;

	if (likely((uint16_t)last == state))
		return (struct rlk_cell *)(last >> LAST_CELL_SHIFT);
	cell = RLK_ENTRY_CELL(state) ? cell_at(t, RLK_ENTRY_CELL(state) - 1) : NULL;
	/* Not in the child of a handler's fork: the cell is its parent's. */
	if (likely(cell))
		shard_change64(&t->last_cell, last, (uint64_t)cell << LAST_CELL_SHIFT | state);
	return cell;
}

/* Its place is given up: the lock is about to be released. False: a handler has left another lock
 * taken, so that this takes more. */
static inline bool hold_leave(struct thread *t, uint64_t key)
{
	store64(&t->held[0].key, 0);
	if (likely(shard_change(&t->held_count, 1, 0)))
		return true;
	store64(&t->held[0].key, key);
	return false;
}

/*
 * The lock of `key` is about to be released: ends its hold where that takes little. False: take
 * hold_stop(). If true, hold_write() after the release.
 */
static inline bool hold_end_plainly(
	struct thread *t, uint64_t key, struct rlk_cell **cell, uint64_t *length)
{
	if (unlikely(!hold_is_plain(t, key)))
		return false;
	/* Before the entry is looked at: the clock waits for loads that wait for each other. */
	*length = arch_counter() - load64(&t->held[0].start);
	*cell = hold_cell(t);
	return likely(*cell != NULL) && likely(hold_leave(t, key));
}

static inline void hold_write(struct rlk_cell *cell, uint64_t length)
{
	shard_add(&cell->holds, 1);
	shard_add(&cell->hold_total, length);
	shard_max(&cell->hold_max, length);
	shard_add(&cell->hold_hist[rlk_hist_bucket(length)], 1);
}

/* One acquisition; `now` as in hold_begin(). Always 0: see mutex_count(). */
static inline int entry_count(
	struct thread *t, struct rlk_entry *e, uint64_t key, uint64_t site, uint64_t now)
{
	shard_add(&e->acquired, 1);
	store64(&e->site, site);
	/* Below 0 in a handler that came between this and hold_begin(). */
	if (unlikely((int32_t)--t->until_sample <= 0))
		return hold_begin(t, e, key, now);
	return 0;
}

/* --- waiting */

/* Where a thread stands when it has to wait. */
struct waiter {
	uint64_t key;
	struct lock_id id;
	uint64_t site;  /* return address of the hook */
	uint64_t frame; /* address of the hook's frame: the program's stack begins above */
	int32_t owner;  /* tid of the holder; 0: the lock word does not tell */
};

struct event {
	struct thread *thread; /* NULL: not recorded */
	uint32_t fork;         /* recorder.forks as it was */
	struct waiter at;
	uint64_t start;
	uint32_t context, holder;
	uint32_t record;
};

/* The wait begins. Takes the stack, notes the holder, reads the clock. */
void event_begin(struct event *event, struct thread *t, const struct waiter *waiter);
/* It is over, as `w` tells; w->result 0 or EOWNERDEAD: the lock was acquired, and is counted. */
void event_end(struct event *event, const struct wait *w);

/* Numbers that are not waits. */
void count_failed_try(struct thread *t, uint64_t key, const struct lock_id *id, uint64_t site);
void count_cond_wait(struct thread *t, struct rlk_entry *e, uint64_t ticks);
void count_yield_site(struct thread *t, uint64_t site, enum rlk_yield_kind kind, uint64_t asked_ns);
/* An acquisition by a thread without a shard: it is counted with the lock's class. */
void count_unrecorded(uint64_t key, const struct lock_id *id, uint64_t site);

#endif
