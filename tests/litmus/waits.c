/*
 * Waits and holds as the hooks record them: cells, pairs and what a waiter reads of the holder's
 * thread, while deflation gives them other records and threads end and begin.
 */
#include "stats/record/entry.h"

#include "tests/litmus/world.h"

#include <string.h>

#define LOCKS 4
#define USERS 3
#define STEPS 20

static uint64_t waits[USERS], holds[USERS];
static int32_t owner[LOCKS]; /* tid of who was there last */

static void begin(void)
{
	world_begin(1000);
	recorder.holds = RECORD_HOLDS_ALL;
	/* There is no file to be made. */
	atomic_store(&recorder_created, true);
	memset(waits, 0, sizeof(waits));
	memset(holds, 0, sizeof(holds));
	memset(owner, 0, sizeof(owner));
}

static void wait_for(struct thread *t, unsigned self, unsigned lock)
{
	struct waiter waiter = {.key = world_address[lock],
		.id = world_lock(lock),
		.site = WORLD_SITE(self),
		.owner = __atomic_load_n(&owner[lock], __ATOMIC_RELAXED)};
	struct wait w = {.result = 0};
	struct event event;

	if (waiter.owner == t->tid)
		waiter.owner = 0;
	event_begin(&event, t, &waiter);
	litmus_yield();
	event_end(&event, &w);
	waits[self]++;
}

static void use(struct thread *t, unsigned self, unsigned lock)
{
	uint64_t key = world_address[lock];
	struct lock_id id = world_lock(lock);
	struct hold hold;

	if (litmus_random(2)) {
		wait_for(t, self, lock);
	} else {
		struct rlk_entry *e = entry_fast(t, key);

		if (!e)
			e = entry_get(t, key, &id, WORLD_SITE(self));
		entry_count(t, e, key, WORLD_SITE(self), 0);
	}
	__atomic_store_n(&owner[lock], t->tid, __ATOMIC_RELAXED);
	litmus_yield();
	if (t->held_count && hold_stop(t, key, &hold)) {
		litmus_yield();
		hold_note(t, &hold);
	}
	holds[self]++;
}

static void body(unsigned self)
{
	if (self < USERS) {
		struct thread *t = thread_ready();

		for (unsigned i = 0; i < STEPS; i++)
			use(t, self, litmus_random(LOCKS));
		world_leave();
	} else {
		for (unsigned i = 0; i < 6; i++)
			world_deflate(litmus_random(2));
	}
}

static bool is_kept(uint32_t record)
{
	return record && record <= lock_records() && lock_row(record - 1)->generations;
}

static void end(void)
{
	uint64_t waited = 0, held = 0, in_cells = 0, in_pairs = 0, in_holds = 0;
	const struct rlk_block *block = NULL;

	for (unsigned i = 0; i < USERS; i++) {
		waited += waits[i];
		held += holds[i];
	}
	while ((block = arena_next(block))) {
		const struct rlk_cell *cell = block_rows((struct rlk_block *)block);
		const struct rlk_pair *pair = block_rows((struct rlk_block *)block);

		for (uint32_t i = 0; block->type == RLK_CELLS && i < block->capacity; i++) {
			litmus_check(!cell[i].contended || is_kept(cell[i].record),
				"waits are of no lock's");
			in_cells += cell[i].contended;
			in_holds += cell[i].holds;
		}
		for (uint32_t i = 0; block->type == RLK_PAIRS && i < block->capacity; i++) {
			litmus_check(!pair[i].count || is_kept(pair[i].record),
				"a pair's waits are of no lock's");
			in_pairs += pair[i].count;
		}
	}
	litmus_check(in_cells == waited, "%llu waits are %llu", (unsigned long long)waited,
		(unsigned long long)in_cells);
	litmus_check(in_pairs + arena_header->lost.pairs_dropped == waited,
		"%llu waits are %llu in pairs", (unsigned long long)waited,
		(unsigned long long)in_pairs);
	litmus_check(in_holds == held, "%llu holds are %llu", (unsigned long long)held,
		(unsigned long long)in_holds);
	for (uint32_t i = 0; i < lock_records(); i++)
		litmus_check(lock_row(i)->waiters == 0, "record %u: %u threads wait still", i,
			lock_row(i)->waiters);
}

static const struct litmus tests[] = {{"waits", 800, USERS + 1, begin, body, end}};

int main(int argc, char **argv)
{
	return litmus_main(argc, argv, tests, sizeof(tests) / sizeof(*tests));
}
