/*
 * The recording: the contract between the recorder, which writes it inside the program, and the
 * reader outside.
 *
 * A recording is one sparse file, mapped shared by the program, so that whatever ends the process
 * loses nothing. It is
 *
 *     rlk_header   at offset 0, RLK_PAGE bytes
 *     blocks       each starting on a RLK_PAGE boundary with a rlk_block, allocated in order up to
 * header.used
 *
 * A block holds rows of one type. Rows never move, so a reader may look at any time. The row of a
 * lock may be given back when its counts have gone over to its class, and become another lock's. A
 * process killed between allocating a block and describing it leaves a hole: pages without a valid
 * rlk_block (magic, and `self` equal to its own offset). A reader steps over such pages one at a
 * time.
 *
 * Contract for writers: a row is filled first and published last, by storing its key (documented
 * per row) with release order. Counters are only ever added to. An acquisition is counted at once;
 * how it was waited for and how long it was held is written when the lock is released, so that it
 * is not held longer for it: of a process that was killed, the waits for the locks it held are
 * missing. Per-thread rows (entries, cells, pairs, yield sites) have one writer. Contract for
 * readers: every offset, index and length may be wrong; a row whose key is 0 is empty; the sum over
 * all blocks of a type is the truth, several rows with one key are added up.
 *
 * Units: times are ticks of header.clock unless the name ends in _ns. The reader converts with the
 * calibration points. Byte order and word size are the writer's; header.byte_order tells.
 */
#ifndef RELOCK_STATS_FORMAT_H
#define RELOCK_STATS_FORMAT_H

#include <stdatomic.h>
#include <stdint.h>

#define RLK_MAGIC "relock\r\n"
#define RLK_VERSION 3
#define RLK_BYTE_ORDER 0x01020304u
#define RLK_PAGE 4096
#define RLK_BLOCK_MAGIC 0x4b4c4231u
#define RLK_BUILD_ID_MAX 20
#define RLK_NAME_MAX 16

enum rlk_block_type {
	RLK_STRINGS = 1, /* bytes, NUL-terminated texts that rlk_text points into */
	RLK_MODULES,
	RLK_THREADS,
	RLK_SHARDS,
	RLK_ENTRIES,
	RLK_CELLS,
	RLK_PAIRS,
	RLK_YIELD_SITES,
	RLK_RECORDS,
	RLK_CLASSES,
	RLK_SITES,
	RLK_STACKS,
};

/* A text in a RLK_STRINGS block: offset in the file, length without the NUL. {0, 0} is "not known".
 */
struct rlk_text {
	uint64_t offset;
	uint64_t length;
};

/* One moment on two clocks. Two of them give the length of a tick. */
struct rlk_calibration {
	uint64_t ticks;
	uint64_t monotonic_ns;
};

/* Looks for records that can be folded into their class (stats/record/deflate.h). */
struct rlk_deflation {
	uint64_t scans;
	uint64_t folded;         /* records, over all scans */
	uint64_t total, longest; /* ticks */
};

enum rlk_end {
	RLK_RUNNING, /* no end was written: still running, or ended by _exit, abort or a signal */
	RLK_EXITED,  /* destructors ran */
};

/* Things that were not recorded in full, each counted. X(name, description) */
#define RLK_LOSSES(X)                                                                              \
	X(locks_folded, "locks counted with their class only, because max_locks was reached")      \
	X(entries_folded,                                                                          \
		"first uses of a lock counted with its class, because max_memory was reached")     \
	X(cells_folded, "locks of a thread whose waits and holds are kept per class")              \
	X(waits_dropped, "waits not measured, because max_memory was reached")                     \
	X(pairs_dropped, "waits whose pair of sites was not kept")                                 \
	X(stacks_dropped, "stacks not kept, because the table was full")                           \
	X(sites_dropped, "code addresses not kept, because the table was full")                    \
	X(classes_dropped, "lock classes merged into one, because the table was full")             \
	X(holds_dropped,                                                                           \
		"hold times not measured: more timed locks held at once than a thread tracks")     \
	X(threads_unrecorded,                                                                      \
		"threads counted together, by class, because max_memory was reached")              \
	X(foreign_unlocks, "unlocks by a thread other than the owner, of a lock being timed")      \
	X(conds_delegated, "condition waits left to glibc whole (process-shared, delegated "       \
			   "mutex, or cond = native)")

#define RLK_LOSS_FIELD(name, description) uint64_t name;

struct rlk_header {
	char magic[8];
	uint32_t version;
	uint32_t byte_order;
	uint32_t word_bits; /* 64 */
	uint32_t clock; /* enum arch_clock: 0 TSC, 1 CNTVCT, 2 CLOCK_MONOTONIC (a tick is 1 ns), 3
			   the same in ticks of the TSC */
	uint64_t capacity; /* bytes the mapping may grow to */
	uint64_t used;     /* bytes handed out, header included; a multiple of RLK_PAGE */

	uint64_t start_realtime_ns;       /* when the process started recording, since the epoch */
	struct rlk_calibration start;     /* taken when the library came up */
	struct rlk_calibration latest[2]; /* refreshed now and then, alternately */
	uint32_t latest_index;            /* which of the two is whole */
	uint32_t end;                     /* enum rlk_end */
	struct rlk_calibration finish;    /* valid with RLK_EXITED */
	uint64_t cpu_user_ns, cpu_system_ns; /* of the process, valid with RLK_EXITED */

	int32_t pid, ppid;
	uint32_t cpus_present, cpus_allowed; /* online; by affinity */
	uint32_t cpus_quota_milli;           /* cgroup CPU quota in 1/1000 CPUs, 0: none */
	uint32_t holds;                      /* 0 off, 1 sampled, 2 all */
	uint32_t hold_sample;                /* one acquisition in so many is timed, on average */
	uint32_t delegate_all; /* the start-up self-check failed: everything was left to glibc */
	uint32_t fast_mutexes; /* mutex kinds below it were taken by our own first try */
	uint32_t fast_spin;    /* 1: spinlocks too */

	/* What the recorder itself costs, measured when the recording was created: ticks per 1024
	 * events. */
	uint64_t cost_acquire_1024;   /* counting one acquisition */
	uint64_t cost_clock_1024;     /* one read of the clock */
	uint64_t cost_hold_1024;      /* timing one hold, clock included */
	uint64_t cost_hold_spin_1024; /* the same of a spinlock */
	uint64_t cost_wait_1024;      /* recording one contended wait, without the clock */
	uint64_t cost_first_uses;     /* ticks, over all first uses of a lock by a thread */

	struct rlk_text program; /* executable's path */
	struct rlk_text command; /* command line, arguments separated by spaces, quoted like a shell
				    would need */
	struct rlk_text host, libc, kernel;
	struct rlk_text config;    /* one line an option: "section.key = value ; origin", and a rule
				      per lock: "lock.N = match=policy ; origin" */
	struct rlk_text run_id;    /* RELOCK_RUN_ID of the `relock run` that started it */
	struct rlk_text policy[4]; /* as configured "name:key=value,…", per enum rlk_kind: mutex,
				      spin, rdlock, wrlock */

	/* Written by `relock run` after the program ended. */
	uint32_t run_valid; /* 1 when the next fields count */
	int32_t run_status; /* as from waitpid */
	uint64_t run_wall_ns, run_user_ns, run_system_ns;
	uint64_t run_max_rss_kib;

	struct {
		RLK_LOSSES(RLK_LOSS_FIELD)
	} lost;

	struct rlk_deflation deflation;
};
_Static_assert(sizeof(struct rlk_header) <= RLK_PAGE, "the header is one page");

/* Head of every block; rows follow at offset sizeof(struct rlk_block). */
struct rlk_block {
	uint32_t magic;    /* RLK_BLOCK_MAGIC, stored last */
	uint16_t type;     /* enum rlk_block_type */
	uint16_t row_size; /* bytes */
	uint64_t self;     /* offset of this block in the file */
	uint64_t bytes;    /* whole block, a multiple of RLK_PAGE */
	uint32_t capacity; /* rows that fit */
	uint32_t first;    /* index of row 0 among all rows of this type (global tables); 0 in
			      per-thread ones */
	uint32_t shard;    /* 1 + index of the shard it belongs to; 0: the process's */
	uint32_t touched;  /* rows whose pages are known to exist, where they are made one by one:
			      from the first on so many; of cells a bit each */
	uint64_t previous; /* the recorder's own: offset of the block that was made before it */
	uint64_t sibling;  /* likewise: of the shard's block of the type before it */
	uint32_t reserved[2];
};
_Static_assert(sizeof(struct rlk_block) == 64, "a block head is one cache line");

/* --- global tables: rows numbered from 0 by `first` + position */

enum rlk_kind { RLK_KIND_MUTEX, RLK_KIND_SPIN, RLK_KIND_RDLOCK, RLK_KIND_WRLOCK, RLK_KINDS };

/* Key: end != 0. A file that was mapped when an address inside it was recorded. */
struct rlk_module {
	uint64_t start, end; /* mapped range, [start, end) */
	uint64_t bias;       /* subtract from an address to get the ELF file's own */
	struct rlk_text path;
	uint32_t build_id_length;
	uint8_t build_id[RLK_BUILD_ID_MAX];
	uint64_t link_map;        /* identity inside the process, meaningless outside */
	uint64_t eh_frame_header; /* likewise */
	uint64_t reserved[4];
};
_Static_assert(sizeof(struct rlk_module) == 112, "module row");

/* Key: address != 0. A code address, as a return address: the instruction before it made the call.
 */
struct rlk_site {
	uint64_t address;
	uint32_t module; /* 1 + module index; 0: in no known module (JIT) */
	uint32_t reserved;
};

#define RLK_STACK_FRAMES 24
/* Key: depth != 0. Innermost first; frame 0 is the acquiring site itself. */
struct rlk_stack {
	uint32_t depth;
	uint32_t truncated; /* 1: there were more frames, or no unwind data beyond the last */
	uint32_t site[RLK_STACK_FRAMES]; /* site indices */
};

/*
 * A context is what is known of the place where something happened: nothing, a site or a stack.
 * 0: unknown; otherwise (index << 1 | is_stack) + 1.
 */
#define RLK_CONTEXT_SITE(index) (((uint32_t)(index) << 1) + 1)
#define RLK_CONTEXT_STACK(index) (((uint32_t)(index) << 1 | 1) + 1)
#define RLK_CONTEXT_IS_STACK(context) ((((context)-1) & 1) != 0)
#define RLK_CONTEXT_INDEX(context) (((context)-1) >> 1)

enum rlk_birth {
	RLK_BORN_STATIC = 1, /* inside a module's data: `address` is the lock's own */
	RLK_BORN_INIT,       /* `address` is the return address of the *_init call */
	RLK_BORN_FIRST_USE,  /* never initialised by a call: `address` is the first acquirer's */
	RLK_BORN_UNKNOWN,    /* the class that collects what did not fit */
};

/* Key: birth != 0. All locks of one kind born at one place. */
struct rlk_class {
	uint64_t address;
	uint32_t birth;   /* enum rlk_birth */
	uint32_t kind;    /* enum rlk_kind; rwlocks have RLK_KIND_RDLOCK */
	uint32_t context; /* of the birth: the site or stack; for a static lock a site inside the
			     module's data */
	uint32_t module;  /* 1 + module of `address`; 0 unknown */
	/* Locks: *_init or first use, *_destroy. Modulo 2^64, as what its records say comes on top:
	 * RLK_RECORD_CREATED and _DESTROYED. */
	uint64_t created, destroyed;
};

enum rlk_record_flags {
	RLK_LOCK_SHARED = 1 << 0, /* process-shared */
	RLK_LOCK_DELEGATED =
		1 << 1, /* left to glibc: robust, priority protocol, or an unknown kind */
	RLK_LOCK_RECURSIVE = 1 << 2,
	RLK_LOCK_ERRORCHECK = 1 << 3,
	RLK_LOCK_ADAPTIVE = 1 << 4,
	RLK_LOCK_DESTROYED = 1 << 5,
	RLK_LOCK_IS_CLASS = 1 << 6, /* stands for many locks of a class, not one; `lock` is 0 */
	RLK_LOCK_ROBUST = 1 << 7,
	RLK_LOCK_PI = 1 << 8,
	RLK_LOCK_PP = 1 << 9,
	RLK_LOCK_REPLACED = 1 << 10, /* a lock born elsewhere has its address now */
	RLK_LOCK_FOLDED = 1 << 11,   /* its counts are its class's; the row is or will be free */
};

/*
 * Key: generations != 0. One lock, by address and class: locks born one after the other at one
 * address *and* one place share a record and count as generations of it; born at another place, the
 * same address gets a new record. A rwlock has one record; its entries and cells tell the two sides
 * apart by kind.
 */
struct rlk_record {
	uint64_t lock; /* address */
	uint32_t class_index;
	uint32_t kind;  /* enum rlk_kind; rwlocks have RLK_KIND_RDLOCK */
	uint32_t flags; /* enum rlk_record_flags; from bit 15 on the recorder's own */
	uint32_t generations;
	uint32_t waiters; /* threads waiting now */
	uint32_t waiters_max;
	uint32_t last_owner; /* 1 + shard of the owner last seen */
	uint32_t next;       /* 1 + next record in the recorder's hash chain */
	uint64_t holder; /* 1 + shard of a thread that holds it, left where the lock word does not
			    tell */
	uint32_t rule;   /* its number in the configuration, "lock.N", if one chose the policy; 0:
			    none did */
	uint32_t reserved32;
	uint64_t looked_at; /* 1 + acquisitions when deflation last looked; the recorder's own */
};
_Static_assert(sizeof(struct rlk_record) == 64, "a lock record is one cache line");

/* What a record adds to its class's counts: that a lock is born again is noted in its record alone,
 * and every life but the last is taken to have ended by *_destroy. */
#define RLK_RECORD_CREATED(generations) ((uint64_t)(generations)-1)
#define RLK_RECORD_DESTROYED(generations, flags)                                                   \
	((uint64_t)(generations)-1 + !!((flags)&RLK_LOCK_DESTROYED))

/* Key: birth_ticks != 0. */
struct rlk_thread {
	uint64_t birth_ticks;
	uint64_t end_ticks; /* 0: had not ended */
	int32_t tid;
	uint32_t
		shard; /* index of the shard it counted in; shards are handed on when threads end */
	char name[RLK_NAME_MAX]; /* as of the last time it was looked at */
	/* The shard's sums when this thread took it over; what this thread did is the difference to
	 * the next taker's. */
	uint64_t before_acquired, before_contended, before_wait_ticks;
	uint64_t reserved[1];
};

/* --- per-thread tables */

/*
 * One row a shard, in a block of its own. Key: state != 0.
 *
 * When a count goes from one entry to another, `move` says so for as long as it is in both or in
 * neither: then `from` counts nothing, and `to` what stands here.
 */
struct rlk_shard {
	uint32_t index;
	uint32_t state;  /* 1: a thread counts in it, 2: free */
	uint32_t thread; /* index of the thread row */
	int32_t tid;
	struct {
		uint64_t from, to; /* offsets of rlk_entry; from == 0: nothing is moved */
		uint64_t acquired;
	} move;
	uint64_t reserved[2];
};

/*
 * Key: lock != 0. One thread's count for one lock, or for one side of a rwlock: half a cache line,
 * and all of the recording that the hot path touches. Tries that found the lock taken (trylock and
 * kin, called by the program) have an entry of their own.
 */
struct rlk_entry {
	uint64_t lock;     /* RLK_ENTRY_ADDRESS with flags; for a class record << 4 instead of an
			      address */
	uint64_t acquired; /* successful acquisitions, contended ones and re-acquisitions after
			      condition waits included; with RLK_ENTRY_FAILED tries */
	uint64_t site;     /* where this thread last acquired it: return address, or 1 << 63 |
			      context */
	uint32_t record;   /* 1 + index of the lock record */
	uint16_t stamp;    /* generation stamp it was last checked against */
	uint16_t state;    /* RLK_ENTRY_CELL, _WAITED and _KIND */
};
_Static_assert(sizeof(struct rlk_entry) == 32, "an entry is half a cache line");

#define RLK_ENTRY_CLASS ((uint64_t)1 << 63) /* stands for a class, not for an address */
#define RLK_ENTRY_WRITE_SIDE ((uint64_t)1 << 62)
#define RLK_ENTRY_FAILED ((uint64_t)1 << 61)
#define RLK_ENTRY_REPLACED ((uint64_t)1 << 60) /* another lock has the address now */
#define RLK_ENTRY_ADDRESS(lock) ((lock) & (((uint64_t)1 << 60) - 1))

/* 1 + index of this shard's cell for it (or for its class); 0: none yet. */
#define RLK_ENTRY_CELL(state) ((uint32_t)(state)&0x1fff)
#define RLK_ENTRY_WAITED 0x2000u /* somebody had to wait for it once */
#define RLK_ENTRY_KIND_SHIFT 14
#define RLK_ENTRY_KIND(state) ((enum rlk_kind)((state) >> RLK_ENTRY_KIND_SHIFT))

/* How a wait ended, in the order of enum wait_stage; "first" acquisitions are acquired - contended.
 */
#define RLK_ENDINGS(X) X(spin) X(yield) X(sleep) X(block)

/*
 * The counters of a cell, each declared once: field, JSON key and description come from here.
 * X(name, unit, description): unit is count or ticks. _max fields are merged by maximum, all others
 * by addition.
 */
#define RLK_COUNTERS(X)                                                                            \
	X(contended, count, "acquisitions that had to wait")                                       \
	X(timeouts, count, "waits that ended without the lock: deadline, error")                   \
	X(wait_total, ticks, "time waited")                                                        \
	X(wait_max, ticks, "longest wait")                                                         \
	X(ended_first, count, "waits ended by the first test")                                     \
	X(ended_spin, count, "waits ended while spinning")                                         \
	X(ended_yield, count, "waits ended after a yield")                                         \
	X(ended_sleep, count, "waits ended after a sleep")                                         \
	X(ended_block, count, "waits ended by blocking")                                           \
	X(tries, count, "native tries made while waiting")                                         \
	X(pauses, count, "pauses made while waiting")                                              \
	X(yields, count, "yields made while waiting")                                              \
	X(sleeps, count, "sleeps made while waiting")                                              \
	X(blocks, count, "native blocking calls made while waiting")                               \
	X(yielded_total, ticks, "waiting time spent inside sched_yield")                           \
	X(parked_total, ticks, "waiting time spent asleep or blocked")                             \
	X(cond_waits, count, "condition waits that released this mutex")                           \
	X(cond_wait_total, ticks, "time between release and wake-up in condition waits")           \
	X(reacquired, count, "re-acquisitions after a condition wait")                             \
	X(holds, count, "holds that were timed")                                                   \
	X(hold_total, ticks, "length of the timed holds")                                          \
	X(hold_max, ticks, "longest timed hold")                                                   \
	X(burst_acquired, count, "acquisitions by a thread that did little else meanwhile")        \
	X(burst_total, ticks, "length of such runs of acquisitions")                               \
	X(owners_seen, count, "acquisitions at which the previous owner was looked at")            \
	X(owner_changes, count, "of these, how often it was another thread")

#define RLK_COUNTER_FIELD(name, unit, description) uint64_t name;

/* What burst_acquired counts: at least so many acquisitions of a lock by one thread, at most so far
 * apart on average. */
#define RLK_BURST_LEAST 32
#define RLK_BURST_GAP_NS 5000

/*
 * Log-linear histogram: four buckets to the power of two, so a value reported as its bucket's
 * middle is at most 12.5 % off. Values 0…3 have a bucket each; the last bucket also takes
 * everything above. Values are ticks.
 */
#define RLK_HIST_BUCKETS 160

static inline unsigned rlk_hist_bucket(uint64_t value)
{
	unsigned exponent, bucket;

	if (value < 4)
		return (unsigned)value;
	exponent = 63u ^ (unsigned)__builtin_clzll(value);
	bucket = exponent * 4 - 8 + (unsigned)(value >> (exponent - 2));
	return bucket < RLK_HIST_BUCKETS ? bucket : RLK_HIST_BUCKETS - 1;
}

/* Smallest value that falls into the bucket; that of bucket + 1 is where it ends. bucket <=
 * RLK_HIST_BUCKETS. */
static inline uint64_t rlk_hist_lower(unsigned bucket)
{
	if (bucket < 4)
		return bucket;
	return (uint64_t)(4 | (bucket & 3)) << ((bucket >> 2) - 1);
}

/* Key: record != 0. What one thread measured of one lock (or, with a class's record, of a class).
 */
struct rlk_cell {
	uint32_t record; /* 1 + index of the lock record */
	uint32_t kind;   /* enum rlk_kind: which side of a rwlock */
	/* The recorder's own: the run of acquisitions under way, of this lock, and the low bits of
	 * its count and when it began; 0: none is. */
	uint64_t burst_lock;
	uint64_t burst_at;
	uint32_t burst_from;
	uint32_t reserved;
	RLK_COUNTERS(RLK_COUNTER_FIELD)
	uint64_t wait_hist[RLK_HIST_BUCKETS];
	uint64_t hold_hist[RLK_HIST_BUCKETS];
};

/* Key: record != 0. Who waited for whom: one thread's waits for one lock, by place of the waiter
 * and of the holder. */
struct rlk_pair {
	uint32_t record; /* 1 + index of the lock record */
	uint32_t kind;   /* enum rlk_kind of the waiter */
	uint32_t waiter; /* context */
	uint32_t holder; /* context; 0: not known */
	uint64_t count;
	uint64_t wait_total; /* ticks */
	uint64_t wait_max;
};

enum rlk_yield_kind { RLK_YIELD_SCHED = 1, RLK_YIELD_SLEEP };

/* Key: kind != 0. Home-made waiting: calls of sched_yield and of sleeps of at most 1 ms, by call
 * site. */
struct rlk_yield_site {
	uint64_t address; /* return address of the call */
	uint32_t kind;    /* enum rlk_yield_kind */
	uint32_t site;    /* 1 + site index; 0 not known */
	uint64_t count;
	uint64_t asked_ns; /* sum of the sleeps asked for */
};

#endif
