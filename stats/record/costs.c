#include "stats/record/costs.h"

#include "policies/arch.h"
#include "stats/record/recorder.h"

#include <string.h>

enum { ROUNDS = 64, BATCHES = 6 };

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
	shard.last_cell_state = UINT32_MAX;
}

static uint64_t time_batch(void (*step)(void), bool held)
{
	uint64_t begin;

	/* Another thread's lock, born just now, may have taken it from ours. */
	entry.stamp = lock_stamp(entry.lock);
	begin = arch_ticks();
	for (unsigned i = 0; i < ROUNDS; i++) {
		if (held)
			hold_next();
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

/* Both as another thread, so that the program's own is not counted in. */
static void measure(const struct cost_probe *probe, uint64_t *count_1024, uint64_t *hold_1024)
{
	struct thread *self = thread_self;
	uint64_t native, counted, held;

	shard_make(probe);
	probe->reset();
	thread_self = &shard;
	native = quickest(probe->native, false);
	counted = quickest(probe->hooked, false);
	held = recorder.holds == RECORD_HOLDS_OFF ? counted : quickest(probe->hooked, true);
	thread_self = self;
	*count_1024 = more(native, counted);
	*hold_1024 = more(counted, held);
}

void costs_measure_clock(struct rlk_header *header)
{
	store64(&header->cost_clock_1024, more(0, quickest(read_clock, false)));
}

/*
 * Counting is measured with a spinlock. A mutex hides as much of it or more, and cannot tell: the C
 * library's has no locked instruction before there is a second thread.
 */
void costs_measure(
	struct rlk_header *header, const struct cost_probe *mutex, const struct cost_probe *spin)
{
	uint32_t before = load32(&lock_row(0)->last_owner);
	uint64_t unused;

	costs_measure_clock(header);
	if (!mutex || !spin)
		return;
	measure(mutex, &unused, &header->cost_hold_1024);
	measure(spin, &header->cost_acquire_1024, &header->cost_hold_spin_1024);
	store32(&lock_row(0)->last_owner, before);
}
