/*
 * Births: one thread keeps and tidies, as deflation does, while others find, forget and keep; all
 * locks begin their searches at one place.
 */
#include "stats/record/births.h"

#include "tests/litmus/litmus.h"

/* As few as a search goes over, so that it comes round, and tidying meets it. */
#undef BIRTHS_SLOTS
#define BIRTHS_SLOTS 64u
#include "stats/record/births.c"

#include <string.h>

#define LOCKS 24
#define STAYING 4 /* the first so many are kept at the beginning, and never forgotten */
#define STEPS 60

/* Each lock in one of a few neighbouring places. */
#define LOCK(number) (((uint64_t)(number) + 1) << 16 | (uint64_t)((number) % 3) << 3)
/* A class tells its lock. */
#define CLASS(lock, life) ((uint32_t)(lock)*64 + (life))

/* The threads that may have a lock: its birth is kept and forgotten by one at a time, as its record
 * is folded and its end comes. */
static uint32_t owned[LOCKS];
static bool is_kept[LOCKS];

static void begin(void)
{
	if (!births_open())
		litmus_fail("no memory for births");
	births_reset();
	memset(owned, 0, sizeof(owned));
	memset(is_kept, 0, sizeof(is_kept));
	for (unsigned i = 0; i < STAYING; i++)
		births_keep(LOCK(i), CLASS(i, 0));
}

static void keep_or_forget(unsigned lock, unsigned life)
{
	if (__atomic_exchange_n(&owned[lock], 1, __ATOMIC_ACQUIRE))
		return;
	if (is_kept[lock]) {
		births_forget(LOCK(lock));
		is_kept[lock] = false;
		litmus_check(births_find(LOCK(lock)) == BIRTH_UNKNOWN,
			"lock %u is found, though it was forgotten", lock);
	} else if (births_keep(LOCK(lock), CLASS(lock, life % 64))) {
		is_kept[lock] = true;
		litmus_check(births_find(LOCK(lock)) == CLASS(lock, life % 64),
			"lock %u was kept, and is not found", lock);
	}
	__atomic_store_n(&owned[lock], 0, __ATOMIC_RELEASE);
}

static void find(unsigned lock)
{
	uint32_t class = births_find(LOCK(lock));

	litmus_check(class == BIRTH_UNKNOWN || class / 64 == lock, "lock %u has the class of %u",
		lock, class / 64);
	litmus_check(lock >= STAYING || class == CLASS(lock, 0), "lock %u is not found", lock);
}

static void body(unsigned self)
{
	for (unsigned i = 0; i < STEPS; i++) {
		find(litmus_random(LOCKS));
		if (self == 0 && i % 8 == 7)
			births_tidy();
		else
			keep_or_forget(STAYING + litmus_random(LOCKS - STAYING), i);
	}
}

static void end(void)
{
	uint32_t expected = STAYING;

	for (unsigned i = 0; i < LOCKS; i++) {
		find(i);
		expected += is_kept[i];
		litmus_check(!is_kept[i] || births_find(LOCK(i)) != BIRTH_UNKNOWN,
			"lock %u was kept, and is lost", i);
	}
	litmus_check(births_count() == expected, "%u births are kept, %u counted", expected,
		births_count());
}

static const struct litmus tests[] = {{"births", 800, 4, begin, body, end}};

int main(int argc, char **argv)
{
	return litmus_main(argc, argv, tests, sizeof(tests) / sizeof(*tests));
}
