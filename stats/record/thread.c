#include "stats/record/thread.h"

#include "policies/arch.h"
#include "stats/record/entry.h"
#include "stats/record/holds.h"
#include "stats/record/quiet.h"
#include "stats/record/recorder.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define POOL_CHUNK 16
#define POOL_CHUNKS 4096
#define POOL_MOST (POOL_CHUNK * POOL_CHUNKS)
#define TID_SLOTS (1u << 16)
/* Values of keys below this live inside the thread itself; above, setting one allocates. A glibc
 * constant. */
#define INLINE_KEYS 32

TABLE(shards, RLK_SHARDS, struct rlk_shard, 64, 1024);
TABLE(thread_rows, RLK_THREADS, struct rlk_thread, 64, 16384);

struct thread thread_none = {.held_count = 1};
struct thread thread_ended = {.held_count = 1};
struct thread thread_passing = {.held_count = 1};
__thread struct thread *thread_self = &thread_none;

static struct thread *pool[POOL_CHUNKS];
static uint32_t pool_from; /* where number 0 is */
static _Atomic uint32_t pool_used;
static struct thread *free_threads;
static uint32_t tid_slots[TID_SLOTS]; /* 1 + number of the shard of tid % TID_SLOTS */
static pthread_key_t end_key;
static bool end_key_made;

static struct thread **pool_chunk(uint32_t number)
{
	return &pool[(pool_from + number) % POOL_MOST / POOL_CHUNK];
}

struct thread *thread_by_number(uint32_t number)
{
	struct thread *chunk = *pool_chunk(number);

	/* In the child of a handler's fork the number may be its parent's. */
	return likely(chunk) ? &chunk[(pool_from + number) % POOL_CHUNK] : &thread_none;
}

/* Of a thread that has ended, and whose shard another takes over meanwhile, perhaps. */
static int32_t tid_of(const struct thread *t)
{
	return atomic_load_explicit((const _Atomic int32_t *)&t->tid, memory_order_relaxed);
}

struct thread *thread_by_tid(int32_t tid)
{
	uint32_t number = load32_acquire(&tid_slots[(uint32_t)tid % TID_SLOTS]);
	struct thread *t = number ? thread_by_number(number - 1) : NULL;

	return t && tid_of(t) == tid ? t : NULL;
}

/* --- birth */

static struct thread *pool_take(void)
{
	uint32_t number = atomic_load_explicit(&pool_used, memory_order_relaxed);
	struct thread **chunk = pool_chunk(number);
	size_t bytes = sizeof(struct thread) * POOL_CHUNK;

	if (number >= POOL_MOST)
		return NULL;
	if (!*chunk) {
		*chunk = private_memory_wiped(bytes);
		if (!*chunk)
			return NULL;
	}
	atomic_store_explicit(&pool_used, number + 1, memory_order_relaxed);
	thread_by_number(number)->number = number;
	return thread_by_number(number);
}

static bool shard_open(struct thread *t)
{
	uint32_t index;

	if (t->row)
		return t->directory || entries_open(t);
	if (!recorder.on || !(t->row = table_new(&shards, &index, 0)))
		return false;
	t->row->index = t->number;
	return entries_open(t);
}

uint32_t sample_step(struct thread *t)
{
	uint64_t mean;

	if (likely(recorder.holds == RECORD_HOLDS_ALL))
		return 1;
	if (recorder.holds == RECORD_HOLDS_OFF)
		return INT32_MAX;
	/* xorshift: an even spread around the mean, so that no loop of the program's runs in step
	 * with us. */
	t->random ^= t->random << 13;
	t->random ^= t->random >> 7;
	t->random ^= t->random << 17;
	mean = (uint64_t)recorder.hold_sample << t->sample_stretch;
	return 1 + (uint32_t)((t->random >> 32) * (2 * mean - 1) >> 32);
}

static void thread_row_open(struct thread *t)
{
	struct rlk_thread *row = table_new(&thread_rows, &t->thread_row, 0);

	if (!row) {
		t->thread_row = TABLE_NONE;
		return;
	}
	row->tid = t->tid;
	row->shard = t->number;
	row->before_acquired = t->acquired_before + (t->sample_step - t->until_sample);
	row->before_contended = t->contended;
	row->before_wait_ticks = t->wait_total;
	prctl(PR_GET_NAME, row->name);
	store64_release(&row->birth_ticks, load64(&arena_header->used) ? arch_ticks() : 1);
}

static void shard_begin(struct thread *t)
{
	if (!shard_open(t)) {
		if (recorder.on)
			add64(&arena_header->lost.threads_unrecorded, 1);
		return;
	}
	if (!t->sample_step) {
		t->random = 0x9e3779b97f4a7c15u * (t->number + 1);
		t->until_sample = t->sample_step = sample_step(t);
	}
	thread_row_open(t);
	t->row->thread = t->thread_row;
	t->row->tid = t->tid;
	store32_release(&t->row->state, 1);
}

static struct thread *thread_birth(void)
{
	struct quiet quiet;
	struct thread *t;
	int saved = errno;

	quiet_begin(&quiet);
	/* A handler that came before the signals were blocked has done it. */
	if (thread_self->live) {
		quiet_end(&quiet);
		return thread_self;
	}
	t = free_threads;
	if (t)
		free_threads = t->next_free;
	else
		t = pool_take();
	if (t) {
		atomic_store_explicit(
			(_Atomic int32_t *)&t->tid, recorder.tid(), memory_order_relaxed);
		t->destructor_runs = 0;
		t->last_cell = (uint64_t)(uint32_t)t->tid << LAST_CELL_SHIFT | LAST_CELL_NONE;
		shard_begin(t);
		t->fast_mutexes = recorder.fast_mutexes;
		t->fast_spin = recorder.fast_spin;
		t->live = 1;
		store32_release(&tid_slots[(uint32_t)t->tid % TID_SLOTS], t->number + 1);
		thread_self = t;
	} else if (recorder.on) {
		add64(&arena_header->lost.threads_unrecorded, 1);
	}
	quiet_end(&quiet);
	if (t && end_key_made)
		pthread_setspecific(end_key, t);
	errno = saved;
	return t;
}

struct thread *thread_ready(void)
{
	struct thread *t = thread_self;

	if (likely(t->live))
		return t;
	if (t == &thread_passing)
		return NULL;
	if (t == &thread_ended)
		return t;
	if (recorder_forked())
		recorder_child();
	return thread_birth();
}

void thread_stack(struct thread *t, uint64_t low, uint64_t top)
{
	t->stack_low = low;
	t->stack_top = top;
}

static struct rlk_thread *thread_row_of(const struct thread *t)
{
	return t->row && t->thread_row != TABLE_NONE ? table_row(&thread_rows, t->thread_row)
						     : NULL;
}

void thread_note_name(struct thread *t)
{
	struct rlk_thread *row = thread_row_of(t);

	if (row)
		prctl(PR_GET_NAME, row->name);
}

/* --- end */

static void thread_retire(struct thread *t)
{
	struct rlk_thread *row = thread_row_of(t);
	struct quiet quiet;
	int saved = errno;

	quiet_begin(&quiet);
	thread_self = &thread_ended;
	thread_note_name(t);
	if (t->row)
		holds_flush(t);
	if (row)
		store64(&row->end_ticks, arch_ticks());
	if (t->row)
		store32(&t->row->state, 2);
	t->live = 0;
	t->fast_mutexes = 0;
	t->fast_spin = 0;
	if (t->held_count)
		memset(t->held, 0, sizeof(t->held));
	t->held_count = 0;
	t->stack_low = t->stack_top = 0;
	if (t->unwound)
		if (t->unwound)
			memset(t->memo, 0, sizeof(t->memo));
	t->next_free = free_threads;
	free_threads = t;
	quiet_end(&quiet);
	errno = saved;
}

/*
 * Runs as a destructor of thread-specific data. Others that run after it may still lock, so it asks
 * to be called again, and retires the shard in the last round there is.
 */
static void thread_end(void *data)
{
	struct thread *t = data;

	if (t != thread_self)
		return;
	recorder_calibrate();
	if (++t->destructor_runs < PTHREAD_DESTRUCTOR_ITERATIONS &&
		pthread_setspecific(end_key, t) == 0)
		return;
	thread_retire(t);
}

bool threads_open(void)
{
	if (!end_key_made && pthread_key_create(&end_key, thread_end) == 0) {
		end_key_made = end_key < INLINE_KEYS;
		if (!end_key_made)
			pthread_key_delete(end_key);
	}
	return true;
}

/*
 * Where a handler forked, what it interrupted goes on in the child, with what it knows of its
 * parent's shard. So that shard stays as it is, empty, and the child's first is the next one. How
 * many lie in between: all, where the thread is not known by its shard.
 */
static uint32_t pool_passed(const struct thread *interrupted, uint32_t used)
{
	for (uint32_t i = 0; i < used; i++) {
		if (thread_by_number(i) == interrupted)
			return i + 1;
	}
	return used;
}

void threads_reset(void)
{
	uint32_t used = atomic_load_explicit(&pool_used, memory_order_relaxed);

	table_reset(&shards);
	table_reset(&thread_rows);
	free_threads = NULL;
	memset(tid_slots, 0, sizeof(tid_slots));
	/* The pool is wiped by the kernel; after a fork() on a kernel that cannot, by hand. */
	for (uint32_t i = 0; i < used; i++) {
		struct thread *t = thread_by_number(i);

		if (t->directory)
			memset(t->directory, 0, sizeof(*t->directory) * directory_slots(t->hash));
		if (t->live || t->row)
			memset(t, 0, sizeof(*t));
	}
	pool_from += pool_passed(thread_self, used);
	/* Around, rather than into new memory for each of a chain of forks. */
	if (pool_from >= POOL_CHUNK && !*pool_chunk(used))
		pool_from = 0;
	atomic_store_explicit(&pool_used, 0, memory_order_relaxed);
	thread_self = &thread_none;
}
