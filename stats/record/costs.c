#include "stats/record/costs.h"

#include "policies/arch.h"
#include "stats/record/recorder.h"

#include <string.h>

enum { ROUNDS = 64, BATCHES = 6 };

#define KEY 64

/* A shard and a lock that nobody else has. A program's stack may be small. */
static struct thread shard;
static struct {
	struct rlk_block head;
	struct rlk_cell row;
} cell;
static uint32_t word;

enum cost { BARE_SPIN, COUNTED_SPIN, BARE_MUTEX, COUNTED_MUTEX, CLOCK, HELD, COSTS };

/* What a lock and its release are to the processor: steps beside them are partly hidden by them. */
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

static void count(uint64_t site)
{
	struct rlk_entry *e = entry_ahead(&shard, KEY);
	struct hold hold;

	lock_word();
	if (likely(e && entry_is(e, KEY)))
		entry_count(&shard, e, KEY, site, 0);
	if (unlikely(shard.held_count) && hold_stop(&shard, KEY, &hold))
		hold_note(&shard, &hold);
}

static __attribute__((noinline)) void step(enum cost cost, uint64_t i)
{
	switch (cost) {
	case BARE_SPIN:
		lock_word();
		unlock_spin();
		break;
	case COUNTED_SPIN:
		count(i);
		unlock_spin();
		break;
	case BARE_MUTEX:
		lock_word();
		unlock_mutex();
		break;
	case HELD:
		shard.until_sample = 1; /* whatever the sample is */
					/* fall through */
	case COUNTED_MUTEX:
		count(i);
		unlock_mutex();
		break;
	case CLOCK:
		arch_ticks();
		break;
	case COSTS:
		break;
	}
}

static uint64_t time_batch(enum cost cost)
{
	uint64_t begin = arch_ticks();

	for (uint64_t i = 0; i < ROUNDS; i++)
		step(cost, i);
	return arch_ticks() - begin;
}

/* The quickest batch, the others having been cold or interrupted. */
static uint64_t quickest(enum cost cost)
{
	uint64_t best = UINT64_MAX;

	for (unsigned i = 0; i < BATCHES; i++) {
		uint64_t took = time_batch(cost);

		best = took < best ? took : best;
	}
	return best;
}

static uint64_t more(uint64_t than, uint64_t with)
{
	return (with > than ? with - than : 0) * (1024 / ROUNDS);
}

static void shard_make(struct rlk_entry *e)
{
	memset(&shard, 0, sizeof(shard));
	memset(&cell, 0, sizeof(cell));
	*e = (struct rlk_entry){.lock = KEY, .stamp = lock_stamp(KEY), .record = 1, .state = 1};
	shard.base = (char *)e;
	shard.directory = shard.first_directory;
	shard.shift = 64 - FIRST_SLOTS_BITS;
	shard.until_sample = INT32_MAX;
	shard.cell_chunk[0] = &cell.head;
}

void costs_measure(struct rlk_header *header)
{
	struct rlk_record before = *lock_row(0);
	struct rlk_entry e;
	uint64_t took[COSTS];

	shard_make(&e);
	for (enum cost cost = 0; cost < HELD; cost++)
		took[cost] = quickest(cost);
	header->cost_acquire_1024 = more(took[BARE_MUTEX], took[COUNTED_MUTEX]);
	header->cost_spin_1024 = more(took[BARE_SPIN], took[COUNTED_SPIN]);
	header->cost_clock_1024 = more(0, took[CLOCK]);
	if (recorder.holds == RECORD_HOLDS_OFF)
		return;
	took[HELD] = quickest(HELD);
	header->cost_hold_1024 = more(took[COUNTED_MUTEX], took[HELD]);
	store32(&lock_row(0)->last_owner, before.last_owner);
}
