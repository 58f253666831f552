/*
 * One thread's part of the recording: its shard.
 *
 * A shard holds entries (a thread's count for one lock each), cells (what it measured of a lock),
 * pairs and yield sites. It has one writer. When its thread ends, the next thread to start takes it
 * over, counts and all, so there are never more shards than threads at one time, and nothing has to
 * be copied or folded.
 *
 * The hot path is entry_ahead(), entry_is() and entry_count(): one thread-local load, one look into
 * the directory, one compare, one add, one store. Everything else is out of line.
 */
#ifndef RELOCK_STATS_RECORD_THREAD_H
#define RELOCK_STATS_RECORD_THREAD_H

#include "stats/record/locks.h"

#include <stddef.h>

#define HELD_MAX 16
#define CELL_ROWS 16 /* at most the bits of rlk_block.touched */
#define CELL_CHUNKS 256
#define STACK_MEMOS 16

/* Slots of a directory that a thread is born with; the rest is allocated. */
#define FIRST_SLOTS_BITS 6
/* Locks near each other share a cache line of the directory: so many slots. */
#define LINE_SLOTS_BITS 4
#define LINE_SLOTS (1u << LINE_SLOTS_BITS)

/* A hold that is being timed, or that began with a wait which is not written down yet. */
struct held {
	uint64_t key;
	uint64_t start; /* ticks; 0: it is not timed */
	struct rlk_entry *entry;
	uint32_t note; /* 1 + that of the wait; 0: none */
	uint32_t how;  /* enum held_how */
};

enum held_how {
	HELD,
	HELD_AFTER_WAIT,
	HELD_PLAINLY, /* timed, no wait to note, nothing else to look at */
};

/* A wait that is over (waits.h). Times are ticks. */
struct wait_note {
	uint64_t wait, yielded, parked;
	uint64_t tries, pauses, yields, sleeps, blocks;
	uint32_t context, holder; /* of the waiter, and of whom it waited for */
	uint32_t stage;           /* enum wait_stage */
	bool acquired;
};

#define NOTES_MAX 4

/* Addresses of a process have 48 bits. With a state that no entry is in: tid << LAST_CELL_SHIFT, so
 * that it is never the same in a parent and its child. */
#define LAST_CELL_SHIFT 16
#define LAST_CELL_NONE 0xffffu

/* A table of this shard's that grows by a bigger one beside it; rows stay where they are. */
struct shard_table {
	void *rows;
	uint32_t mask;
	uint32_t used;
};

/* Where entries come from: blocks of this shard's, taken in order, and rows that were given back.
 * Both are changed by one instruction: a handler may come between any two. */
struct rows {
	uint64_t fresh;       /* number of the next row << 32 | rows left in the block */
	uint64_t freed;       /* changes << 32 | number of the first of a list; linked by `site` */
	uint64_t block;       /* offset of the last block; 0: none */
	uint32_t made;        /* rows of all blocks */
	uint32_t taken;       /* since compaction was last thought of */
	uint64_t full_at;     /* bytes of the recording when growing failed; 0: it did not */
	uint32_t slots_limit; /* of the directory, used by locks */
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
 * child: with directory == NULL and fast_mutexes == 0 every hook takes the slow path, which then
 * starts anew.
 */
struct __attribute__((aligned(RLK_PAGE))) thread {
	/* The hot line. */
	uint32_t *directory;   /* where the entry of a key is, see entry.h; NULL: nothing is counted
				  here */
	char *base;            /* what is in the directory counts from here, in entries */
	uint32_t hash;         /* what the directory is hashed by, see entry.h */
	uint32_t until_sample; /* acquisitions up to the next timed hold */
	int32_t tid;           /* as glibc has it in a mutex this thread owns */
	uint32_t
		fast_mutexes; /* kinds of mutex below it may be taken by our own compare-and-swap */
	uint32_t fast_spin;   /* 1: spinlocks too */
	uint32_t held_count;  /* those in `held`; not 0 as well where unlocking needs the slow path
			       */
	uint32_t number;      /* of the shard */
	uint32_t slots_used;
	uint32_t leaves_number; /* 1: it has left its number as a holder, and takes it away when it
				   unlocks */
	uint32_t sample_step;   /* what until_sample began with */
	uint32_t live;
	uint32_t nesting; /* in the recorder's slow part: a handler that comes here must not enter
			     it again */

	struct held held[HELD_MAX] __attribute__((aligned(64)));
	uint64_t last_cell; /* address of a cell << LAST_CELL_SHIFT | state of its entry */
	struct wait_note note[NOTES_MAX];
	uint32_t notes_taken; /* bits */
	uint32_t first_directory[1u << FIRST_SLOTS_BITS] __attribute__((aligned(64)));
	struct rows rows;
	uint32_t looks;          /* before it took a rwlock for reading */
	uint32_t slow;           /* how often an entry was not found at its place at once */
	uint32_t displaced;      /* how often it was there, in another place, since the last look at
				    the directory */
	uint32_t displaced_most; /* that many are the next reason for one */
	struct rlk_entry *spill; /* counts what there is no row for, on its way to overflow.h */
	uint64_t random;
	uint64_t sampled;         /* ticks: when a hold was last timed */
	uint32_t sample_stretch;  /* log2 of how much rarer that is than configured */
	uint64_t acquired_before; /* acquisitions counted by finished sampling steps */
	uint64_t contended, wait_total;
	uint64_t stack_low, stack_top; /* where this thread's stack is; 0: not known */
	struct rlk_shard *row;
	uint32_t thread_row;
	uint32_t cells_used;
	uint32_t destructor_runs;
	struct thread *next_free;
	struct shard_table pairs, yields;
	uint64_t unwind_after; /* ticks: no unwinding before */
	uint32_t unwound;
	/* What many threads never touch. */
	struct rlk_block *cell_chunk[CELL_CHUNKS];
	struct stack_memo memo[STACK_MEMOS];
	char scratch[1280]; /* the unwinder's cursor: a program's stack may be small */
};
_Static_assert(offsetof(struct thread, held) == 64, "the hot line is one cache line");
_Static_assert(offsetof(struct thread, cell_chunk) < RLK_PAGE / 2, "most threads touch one page");

/* This thread's shard; one of those below where it has none. Never NULL. */
extern __thread struct thread *thread_self
	__attribute__((tls_model("initial-exec"), visibility("hidden")));

/* A thread that was not seen yet, or one that is not recorded. `held_count` sends unlocks to the
 * slow path. */
extern struct thread thread_none __attribute__((visibility("hidden")));
/* One whose shard was handed on: what its last destructors do is counted by class. */
extern struct thread thread_ended __attribute__((visibility("hidden")));
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

#endif
