/*
 * The model: what one or several recordings say, added up.
 *
 * Use:
 *	struct model *m = model_new();
 *	recording = recording_open(path, &m->notes, …);  model_add(m, recording);  … once a
 *recording model_finish(m); …read the tables… model_free(m);
 *
 * Tables are arrays; rows refer to each other by index. Modules, sites, stacks and classes of
 * several recordings are one when they are the same place in the same file (build-id, else path).
 * Locks are those of one process, except static ones: the same variable of the same file is one
 *row. Times are ns, histograms count in ticks of `reference`, the first recording's clock.
 *
 * Contexts are encoded as in stats/format.h, with the model's own site and stack indices.
 *
 * What a recording can make it keep is bounded: rows beyond model_bytes_max are left out, which a
 * warning says; counts of locks that are left out are added to a row that stands for them all, so
 * that sums stay whole.
 */
#ifndef RELOCK_STATS_REPORT_MODEL_H
#define RELOCK_STATS_REPORT_MODEL_H

#include "stats/report/clock.h"
#include "stats/report/figures.h"
#include "stats/report/index.h"
#include "stats/report/notes.h"
#include "stats/report/reader.h"

#include <stdbool.h>

#define NONE UINT32_MAX

/* What there is room for apart from each other, so that none takes it all. X(NAME, 1/16 of it) */
#define MODEL_SHARES(X)                                                                            \
	X(PLACES, 2)                                                                               \
	X(CLASSES, 1)                                                                              \
	X(LOCKS, 5)                                                                                \
	X(WAITS, 4)                                                                                \
	X(THREADS, 2)                                                                              \
	X(READING, 2) /* needed until a recording is read */
#define MODEL_SHARE_ID(name, sixteenths) SHARE_##name,
enum model_share { MODEL_SHARES(MODEL_SHARE_ID) SHARES };

/* Rows and texts of all tables, as model_room() counts them: 1 GiB. Arrays that grow, and what is
 * made of the rows for a report, take up to four times as much. Tests make it smaller. */
extern uint64_t model_bytes_max;

#define RUN_RULES_MAX 64

/* One recording's own facts. Texts may be NULL. */
struct run {
	char *path;
	struct rlk_header header;
	struct clock clock;
	char *policy_of_rule[RUN_RULES_MAX + 1]; /* by number in `config`; may be NULL */
	char *program, *command, *host, *libc, *kernel, *config, *run_id, *policy[RLK_KINDS];
	uint64_t wall_ns;
	bool wall_is_least; /* no end was noted: it ran at least so long */
	uint64_t cpu_user_ns, cpu_system_ns;
	bool cpu_known;
	uint64_t acquired, counter[COUNTERS]; /* of all its locks */
	uint64_t holds_spin;                  /* timed holds of spinlocks, of these */
	uint32_t threads, threads_peak;       /* all, and at one moment */
	uint64_t thread_time_ns;              /* lifetimes together */
	uint64_t overhead_ns;                 /* estimated from header.cost_*; 0: not known */
};

struct module {
	char *path; /* may be NULL */
	uint32_t build_id_length;
	uint8_t build_id[RLK_BUILD_ID_MAX];
};

struct site {
	uint32_t module; /* NONE: in no known module */
	uint32_t run;    /* for those in no module, whose address means something in one process */
	uint64_t offset; /* address in the ELF file, or in memory without a module */
};

struct stack {
	uint32_t first, depth; /* in stack_sites */
	bool truncated;
};

struct class
{
	uint32_t birth; /* enum rlk_birth; 0: made up for locks that are not described */
	uint32_t kind;  /* enum rlk_kind; rwlocks have RLK_KIND_RDLOCK */
	uint32_t context;
	struct site place; /* of the address: a static lock's own, or the birth call's */
	uint64_t created, destroyed;
	uint32_t locks; /* rows in the table of locks */
};

struct side {
	uint64_t acquired, failed;
	struct detail *detail; /* NULL: no wait, no timed hold */
};

enum lock_side { SIDE_READ, SIDE_WRITE, SIDES }; /* mutexes and spinlocks use the first */

struct lock {
	uint64_t address;
	uint32_t class;
	uint32_t run;   /* the first recording it was seen in */
	uint32_t kind;  /* as in struct class */
	uint32_t flags; /* enum rlk_record_flags */
	uint32_t generations;
	uint32_t waiters_max;
	uint32_t rule; /* "lock.N" of the run's configuration; 0: none chose the policy */
	struct side side[SIDES];
};

struct thread {
	char name[RLK_NAME_MAX + 1];
	int32_t tid;
	uint32_t run;
	uint32_t shard; /* that it counted in, as in rlk_block; others may have before or after */
	uint64_t birth_ns; /* since the start of the recording */
	uint64_t lifetime_ns;
	bool ended;
	uint64_t acquired, contended, wait_ns;
};

struct pair {
	uint32_t lock;
	uint32_t kind;           /* of the waiter */
	uint32_t waiter, holder; /* contexts */
	uint64_t count, wait_ns, max_ns;
};

struct yield_site {
	uint32_t site; /* NONE: not known */
	uint32_t kind; /* enum rlk_yield_kind */
	uint64_t count, asked_ns;
};

/* Runs of acquisitions of one lock by one shard's thread (stats/format.h, burst_acquired), and what
 * else it measured of it. Only where there were some. */
struct burst {
	uint32_t lock, kind;
	uint32_t run, shard;
	uint64_t acquired, total_ns; /* in runs */
	uint64_t holds, hold_ns;     /* those timed that can have been in runs */
	uint64_t wait_ns;            /* likewise */
};

/* An array that grows, and an index by content where rows are kept once. */
#define TABLE(type)                                                                                \
	struct {                                                                                   \
		struct type *row;                                                                  \
		size_t count, capacity;                                                            \
		struct index index;                                                                \
	}

struct model {
	struct notes notes;
	struct clock reference;
	TABLE(run) runs;
	TABLE(module) modules;
	TABLE(site) sites;
	TABLE(stack) stacks;
	uint32_t *stack_sites;
	size_t stack_sites_count, stack_sites_capacity;
	TABLE(class) classes;
	TABLE(lock) locks;
	TABLE(thread) threads;
	TABLE(pair) pairs;
	TABLE(yield_site) yield_sites;
	TABLE(burst) bursts;
	uint64_t bytes[SHARES]; /* of rows kept */
	bool full;              /* there was no room for some */
	struct figures total;
	size_t locks_shown; /* rows of locks that are not empty */
	uint32_t threads_peak;
	uint64_t thread_time_ns, wall_ns, cpu_ns, overhead_ns;
	bool cpu_known; /* of every run */
};

struct model *model_new(void);
void model_add(struct model *model, const struct recording *recording);
/* Computes what needs all recordings: totals, checks; gives every lock a class. Call once, after
 * the last model_add(). */
void model_finish(struct model *model);
void model_free(struct model *model);

/* Whether there is room for a row of so many bytes, which it is counted as then. */
bool model_room(struct model *model, enum model_share share, size_t bytes);

/* All of a lock's sides together. */
void model_lock_figures(const struct lock *lock, struct figures *out);
bool model_is_rwlock(uint32_t kind);
/* A row that stands for what did not get one of its own, when there was none such. Not shown. */
bool model_lock_is_empty(const struct lock *lock);

#endif
