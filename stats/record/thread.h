/*
 * One thread's part of the recording: its shard.
 *
 * A shard holds entries (a thread's counts for one lock, one cache line each), cells (what it
 * measured of a lock), pairs and yield sites. It has one writer. When its thread ends, the next
 * thread to start takes it over, counts and all, so there are never more shards than threads at one
 * time, and nothing has to be copied or folded.
 *
 * The hot path is thread_count(): one thread-local load, one probe, one compare, one add, one
 * store. Everything else is out of line.
 */
#ifndef RELOCK_STATS_RECORD_THREAD_H
#define RELOCK_STATS_RECORD_THREAD_H

#include "stats/record/locks.h"

#include <stddef.h>

#define HELD_MAX 16
#define CELL_ROWS 16
#define CELL_CHUNKS 256
#define STACK_MEMOS 16

/* A hold that is being timed. */
struct held {
	uint64_t key;
	uint64_t start; /* ticks */
	struct rlk_entry *entry;
};

/* A table of this shard's that grows by a bigger one beside it; rows stay where they are. */
struct shard_table {
	void *rows;
	uint32_t mask;
	uint32_t used;
};

/* A stack that was unwound once: valid again when the same words stand at the same places. */
struct stack_memo {
	uint64_t site, frame; /* return address and frame of the hook */
	uint32_t context;
	uint32_t depth;
	uint32_t at[RLK_STACK_FRAMES]; /* where the return addresses were found, in bytes above
					  `frame` */
	uint64_t word[RLK_STACK_FRAMES];
};

/*
 * Lives in private memory that a child of fork() finds wiped (MADV_WIPEONFORK), whatever made the
 * child: with entries == NULL and fast_mutexes == 0 every hook takes the slow path, which then
 * starts anew.
 */
struct thread {
	/* The hot line. */
	struct rlk_entry *entries; /* NULL: nothing is counted here */
	uint64_t mask;             /* entries - 1 */
	uint32_t shift;            /* 64 - log2 of entries */
	uint32_t until_sample;     /* acquisitions up to the next timed hold */
	int32_t tid;               /* as glibc has it in a mutex this thread owns */
	uint32_t
		fast_mutexes; /* kinds of mutex below it may be taken by our own compare-and-swap */
	uint32_t fast_spin;   /* 1: spinlocks too */
	uint32_t held_count; /* holds being timed; not 0 as well where unlocking needs the slow path
			      */
	uint32_t number;     /* of the shard */
	uint32_t entries_used;
	uint32_t leaves_number; /* 1: it has left its number as a holder, and takes it away when it
				   unlocks */
	uint32_t sample_step;   /* what until_sample began with */
	uint32_t live;
	uint32_t nesting; /* in the recorder's slow part: a handler that comes here must not enter
			     it again */

	struct held held[HELD_MAX] __attribute__((aligned(64)));
	struct rlk_entry
		*older; /* the table before this one: its counts stay, the rest is carried over */
	uint64_t older_mask;
	struct rlk_entry *second; /* used in turn with `entries`, see entries_compact() */
	uint64_t second_mask;
	uint64_t random;
	uint64_t acquired_before; /* acquisitions counted by finished sampling steps */
	uint64_t contended, wait_total;
	uint64_t stack_low, stack_top; /* where this thread's stack is; 0: not known */
	struct rlk_shard *row;
	uint32_t thread_row;
	uint32_t cells_used;
	uint32_t destructor_runs;
	struct thread *next_free;
	struct shard_table pairs, yields;
	struct rlk_block *cell_chunk[CELL_CHUNKS];
	uint64_t unwind_after; /* ticks: no unwinding before */
	uint32_t unwound;
	struct stack_memo memo[STACK_MEMOS];
	char scratch[1280]; /* the unwinder's cursor: a program's stack may be small */
};
_Static_assert(offsetof(struct thread, held) == 64, "the hot line is one cache line");

/* This thread's shard; one of the two below where it has none. Never NULL. */
extern __thread struct thread *thread_self
	__attribute__((tls_model("initial-exec"), visibility("hidden")));

/* A thread that was not seen yet, or one that is not recorded. `held_count` sends unlocks to the
 * slow path. */
extern struct thread thread_none __attribute__((visibility("hidden")));
/* While the recorder itself calls something that may lock: hooks go straight to glibc. */
extern struct thread thread_passing __attribute__((visibility("hidden")));

bool threads_open(void);
void threads_reset(void);

/* The calling thread's shard, made when it has none. NULL: this thread is not recorded. */
struct thread *thread_ready(void);

/* What the hooks know of the stack they run on: set once, at a thread's start. */
void thread_stack(struct thread *t, uint64_t low, uint64_t top);

/* The shard in which thread `tid` counts, or NULL. */
struct thread *thread_by_tid(int32_t tid);
struct thread *thread_by_number(uint32_t number);

/* The thread's name in the recording is what it is now. */
void thread_note_name(struct thread *t);

/* --- entries */

#define KEY_WRITE_SIDE 1u
#define KEY_REPLACED 2u
#define KEY_CLASS ((uint64_t)1 << 63)
#define KEY_CLASS_WRITE_SIDE ((uint64_t)1 << 62)

static inline uint64_t class_key(uint32_t record, uint32_t kind)
{
	return KEY_CLASS | (kind == RLK_KIND_WRLOCK ? KEY_CLASS_WRITE_SIDE : 0) | record;
}

/* A first table; one of the same size, where half of the rows can be merged; or one twice as big.
 * False: no room. */
bool entries_grow(struct thread *t);

/* Makes room in a full table by merging what only counts. False: there is too little of it. */
bool entries_compact(struct thread *t);

/* The entry for `key`, made when it is new. Never NULL. `id` says what the lock is, `site` who
 * acquires it. */
struct rlk_entry *entry_get(
	struct thread *t, uint64_t key, const struct lock_id *id, uint64_t site);

/* Publishes a row by its key `to`: the record of `e`, or the class's. Deflation goes over entries
 * first (refer_all()); what it has done to `e` by now is done to the row as well. */
static inline void entry_publish(uint32_t *to, uint32_t record, const struct rlk_entry *e)
{
	store32_release(to, record);
	atomic_thread_fence(memory_order_seq_cst);
	if (!(load32(&lock_row(record - 1)->flags) & RLK_LOCK_IS_CLASS))
		cas32(to, record, load32(&e->record));
}

/* The entry that another thread has for `key`, or NULL. For looking at its `site`. */
const struct rlk_entry *entry_peek(const struct thread *t, uint64_t key);

/* Where the probing for a key begins: multiplicative hashing, the top bits of the product. */
static inline uint64_t entry_home(uint64_t key, uint32_t shift)
{
	return key * 0x9e3779b97f4a7c15u >> shift;
}

/* The entry where it is at its home and current; NULL: take entry_get(). */
static inline struct rlk_entry *entry_fast(const struct thread *t, uint64_t key)
{
	uint64_t home = entry_home(key, load32(&t->shift));
	struct rlk_entry *e;

	/* In this order: a handler in between may put a bigger table there, never a smaller one. */
	atomic_signal_fence(memory_order_acquire);
	e = &t->entries[home];
	if (likely(e->lock == key && e->stamp == lock_stamp(key)))
		return e;
	return NULL;
}

/* This shard's cell for an entry; made when it has none. Its class's where the shard has too many.
 * Never NULL, unless there is no memory at all: then NULL, and the measurement is lost and counted
 * so. */
struct rlk_cell *entry_cell(struct thread *t, struct rlk_entry *e);

#endif
