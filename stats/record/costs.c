#include "stats/record/costs.h"

#include "policies/arch.h"
#include "stats/record/recorder.h"

#include <string.h>

enum { ROUNDS = 64, BATCHES = 6 };

/* A shard that nobody else has, with one entry, for whatever lock it is asked. A program's stack
 * may be small. */
static struct thread shard;
static struct rlk_entry entry;
static struct {
	struct rlk_block head;
	struct rlk_cell row;
} cell;
static uint32_t word;

static void shard_make(const void *lock, enum rlk_kind kind)
{
	uint64_t key = (uint64_t)lock;

	memset(&shard, 0, sizeof(shard));
	memset(&cell, 0, sizeof(cell));
	entry = (struct rlk_entry){.lock = key,
		.stamp = lock_stamp(key),
		.record = 1,
		.state = (uint16_t)(kind << RLK_ENTRY_KIND_SHIFT | 1)};
	shard.base = (char *)&entry;
	shard.directory = shard.first_directory;
	shard.shift = 64 - FIRST_SLOTS_BITS;
	shard.until_sample = INT32_MAX;
	shard.cell_chunk[0] = &cell.head;
	shard.tid = thread_self->tid;
	shard.fast_mutexes = recorder.fast_mutexes;
	shard.fast_spin = recorder.fast_spin;
	shard.live = 1;
}

/* --- what is measured */

static void read_clock(void)
{
	arch_ticks();
}

/* What a lock and its release are to the processor: steps beside them are partly hidden by them.
 * Not the C library's: before there is a second thread those have no locked instruction. */
static void lock_word(void)
{
	cas32(&word, 0, 1);
}

static void unlock_spin(void)
{
	store32_release(&word, 0);
}

static void unlock_mutex(void)
{
	atomic_exchange_explicit((_Atomic uint32_t *)&word, 0, memory_order_release);
}

static inline void lock_counted(void)
{
	struct rlk_entry *e = entry_ahead(&shard, (uint64_t)&word);

	lock_word();
	if (likely(e && entry_is(e, (uint64_t)&word)))
		entry_count(&shard, e, (uint64_t)&word, (uint64_t)&shard, 0);
}

static void bare_mutex(void)
{
	lock_word();
	unlock_mutex();
}

static void counted_mutex(void)
{
	lock_counted();
	unlock_mutex();
}

static void bare_spin(void)
{
	lock_word();
	unlock_spin();
}

static void counted_spin(void)
{
	lock_counted();
	unlock_spin();
}

/* --- how */

static uint64_t time_batch(void (*step)(void), bool held)
{
	uint64_t begin = arch_ticks();

	for (unsigned i = 0; i < ROUNDS; i++) {
		if (held)
			shard.until_sample = 1; /* whatever the sample is */
		step();
	}
	return arch_ticks() - begin;
}

/* The quickest batch, the others having been cold or interrupted. */
static uint64_t quickest(void (*step)(void), bool held)
{
	uint64_t best = UINT64_MAX;

	for (unsigned i = 0; i < BATCHES; i++) {
		uint64_t took = time_batch(step, held);

		best = took < best ? took : best;
	}
	return best;
}

static uint64_t more(uint64_t than, uint64_t with)
{
	return (with > than ? with - than : 0) * (1024 / ROUNDS);
}

static uint64_t count_1024(enum rlk_kind kind, void (*bare)(void), void (*counted)(void))
{
	shard_make(&word, kind);
	return more(quickest(bare, false), quickest(counted, false));
}

/* As another thread, so that the program's own is not counted in. */
static uint64_t hold_1024(const struct cost_probe *probe)
{
	struct thread *self = thread_self;
	uint64_t counted, held;

	shard_make(probe->lock, probe->kind);
	thread_self = &shard;
	counted = quickest(probe->hooked, false);
	held = quickest(probe->hooked, true);
	thread_self = self;
	return more(counted, held);
}

void costs_measure_clock(struct rlk_header *header)
{
	store64(&header->cost_clock_1024, more(0, quickest(read_clock, false)));
}

void costs_measure(
	struct rlk_header *header, const struct cost_probe *mutex, const struct cost_probe *spin)
{
	uint32_t before = load32(&lock_row(0)->last_owner);

	costs_measure_clock(header);
	header->cost_acquire_1024 = count_1024(RLK_KIND_MUTEX, bare_mutex, counted_mutex);
	header->cost_spin_1024 = count_1024(RLK_KIND_SPIN, bare_spin, counted_spin);
	if (recorder.holds == RECORD_HOLDS_OFF || !mutex || !spin)
		return;
	header->cost_hold_1024 = hold_1024(mutex);
	header->cost_hold_spin_1024 = hold_1024(spin);
	store32(&lock_row(0)->last_owner, before);
}
