#include "stats/record/costs.h"

#include "policies/arch.h"
#include "stats/record/recorder.h"

#include <string.h>

enum { ROUNDS = 64, BATCHES = 6, PLACES_APART = 160 };

/* A shard that nobody else has, in cache lines of its own, with one entry, for whatever lock it is
 * asked. A program's stack may be small. */
static struct thread shard;
static struct rlk_entry entry __attribute__((aligned(64)));
static struct {
	struct rlk_block head;
	struct rlk_cell row;
} cell;

static void shard_make(const struct cost_probe *probe)
{
	uint64_t key = (uint64_t)probe->lock;

	memset(&shard, 0, sizeof(shard));
	memset(&cell, 0, sizeof(cell));
	entry = (struct rlk_entry){.lock = key,
		.stamp = lock_stamp(key),
		.record = 1,
		.state = (uint16_t)(probe->kind << RLK_ENTRY_KIND_SHIFT | 1)};
	shard.base = (char *)&entry;
	shard.directory = shard.first_directory;
	shard.hash = HASH_FIRST;
	shard.until_sample = INT32_MAX;
	shard.cell_chunk[0] = &cell.head;
	shard.tid = thread_self->tid;
	shard.fast_mutexes = recorder.fast_mutexes;
	shard.fast_spin = recorder.fast_spin;
	shard.live = 1;
}

static void read_clock(void)
{
	arch_ticks();
}

/* Whatever the sample is, and as after the hold of another lock. */
static void hold_next(void)
{
	shard.until_sample = 1;
	shard.last_cell = LAST_CELL_NONE;
}

/* What is timed, with holds or without, and its quickest batch so far, the others having been cold
 * or interrupted. */
struct timed {
	void (*step)(void); /* NULL: it is not asked for */
	bool held;
	uint64_t best;
};

static void time_batch(struct timed *timed)
{
	void (*step)(void) = timed->step;
	bool held = timed->held;
	uint64_t begin, took;

	/* Another thread's lock, born just now, may have taken it from ours. */
	entry.stamp = lock_stamp(entry.lock);
	shard.until_sample = INT32_MAX;
	begin = arch_ticks();
	for (unsigned i = 0; i < ROUNDS; i++) {
		if (held)
			hold_next();
		step();
	}
	took = arch_ticks() - begin;
	timed->best = took < timed->best ? took : timed->best;
}

/* Elsewhere on the stack each time: where it stands a multiple of 4 KiB away from the lock or the
 * shard, the processor takes the one for the other, and each step for 3 to 10 ns longer. */
static __attribute__((noinline)) void time_batch_at(struct timed *timed, unsigned place)
{
	volatile char *room = __builtin_alloca(16 + place * PLACES_APART);

	*room = 0;
	time_batch(timed);
}

/* In turns: where the machine is slow for a while, it is so for all. */
static void time_all(struct timed *timed, unsigned count)
{
	for (unsigned i = 0; i < BATCHES; i++) {
		for (unsigned j = 0; j < count; j++) {
			if (timed[j].step)
				time_batch_at(&timed[j], i);
		}
	}
}

static uint64_t more(uint64_t than, uint64_t with)
{
	return (with > than ? with - than : 0) * (1024 / ROUNDS);
}

/* As another thread, so that the program's own is not counted in. `count_1024` may be NULL. */
static void measure(const struct cost_probe *probe, uint64_t *count_1024, uint64_t *hold_1024)
{
	struct thread *self = thread_self;
	bool holds = recorder.holds != RECORD_HOLDS_OFF;
	struct timed timed[] = {{probe->hooked, false, UINT64_MAX},
		{holds ? probe->hooked : NULL, true, holds ? UINT64_MAX : 0},
		{count_1024 ? probe->native : NULL, false, UINT64_MAX}};
	struct timed *counted = &timed[0], *held = &timed[1], *native = &timed[2];

	shard_make(probe);
	probe->reset();
	thread_self = &shard;
	time_all(timed, 3);
	thread_self = self;
	if (count_1024)
		*count_1024 = more(native->best, counted->best);
	*hold_1024 = more(counted->best, held->best);
}

void costs_measure_clock(struct rlk_header *header)
{
	struct timed clock = {read_clock, false, UINT64_MAX};

	time_all(&clock, 1);
	store64(&header->cost_clock_1024, more(0, clock.best));
}

/*
 * Counting is measured with a spinlock. A mutex hides as much of it or more, and cannot tell: the C
 * library's has no locked instruction before there is a second thread.
 */
void costs_measure(
	struct rlk_header *header, const struct cost_probe *mutex, const struct cost_probe *spin)
{
	uint32_t before = load32(&lock_row(0)->last_owner);

	costs_measure_clock(header);
	if (!mutex || !spin)
		return;
	measure(mutex, NULL, &header->cost_hold_1024);
	measure(spin, &header->cost_acquire_1024, &header->cost_hold_spin_1024);
	store32(&lock_row(0)->last_owner, before);
}
