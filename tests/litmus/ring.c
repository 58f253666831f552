/*
 * The ring of rows given back: one thread gives, several take. No row is handed out twice or lost,
 * and each taker sees them in the order in which they came, also where the ring begins anew.
 */
#include "stats/record/deflate.h"
#include "tests/litmus/world.h"

#include <string.h>

#define ROWS 40
#define RING_ROWS (1u << 20)

static uint32_t times_taken[ROWS];
static uint32_t all_given;

static void begin(void)
{
	world_begin(1000);
	world_ring_at(litmus_scheduled() ? RING_ROWS - ROWS / 2 : UINT64_MAX - ROWS / 2);
	memset(times_taken, 0, sizeof(times_taken));
	all_given = 0;
}

static void give(void)
{
	for (uint32_t i = 0; i < ROWS; i++)
		world_give_back(i);
	__atomic_store_n(&all_given, 1, __ATOMIC_RELEASE);
}

static void take(void)
{
	uint32_t row, last = 0;

	for (;;) {
		bool was_all = __atomic_load_n(&all_given, __ATOMIC_ACQUIRE);

		if (!deflate_take(&row)) {
			if (was_all)
				return;
			litmus_yield();
			continue;
		}
		litmus_check(row < ROWS, "row %u was never given back", row);
		litmus_check(row >= last, "row %u after row %u", row, last);
		last = row;
		__atomic_fetch_add(&times_taken[row], 1, __ATOMIC_RELAXED);
	}
}

static void body(unsigned self)
{
	if (self == 0)
		give();
	else
		take();
}

static void end(void)
{
	for (unsigned i = 0; i < ROWS; i++)
		litmus_check(
			times_taken[i] == 1, "row %u was handed out %u times", i, times_taken[i]);
	litmus_check(world_free_rows() == 0, "rows are left");
}

static const struct litmus tests[] = {{"ring", 3000, 4, begin, body, end}};

int main(int argc, char **argv)
{
	return litmus_main(argc, argv, tests, sizeof(tests) / sizeof(*tests));
}
