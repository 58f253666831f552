#include "policies/policy.h"

#include <stddef.h>
#include <string.h>

const struct tunable tunable_table[TUNABLE_IDS] = {
	[TUNE_SPINS] = {"spins", TUNABLE_COUNT, 0, 1000000000,
		"How many pauses to make before waiting another way. Always 0 where the process "
		"may "
		"use one CPU only."},
	[TUNE_YIELDS] = {"yields", TUNABLE_COUNT, 1, 1000000,
		"How many times to yield the CPU before sleeping."},
	[TUNE_SLEEP] = {"sleep", TUNABLE_DURATION, 1000, 1000000000,
		"How long one sleep is. The kernel's timers usually add some 50us."},
	[TUNE_HINT] = {"hint", TUNABLE_HINT, 0, HINT_COUNT - 1,
		"The instruction that makes up a pause: 'default' is what this processor's makers "
		"advise, 'none' is an empty loop."},
	[TUNE_HINT_COUNT] = {"hint_count", TUNABLE_COUNT, 1, 99,
		"How many hints make up one pause, that is how far apart the tests of the lock "
		"are."},
	[TUNE_BUDGET] = {"budget", TUNABLE_DURATION, 0, 1000000000,
		"How long to spin while nothing moves, before sleeping. 0 takes 5us for each CPU "
		"beyond the first, at most 100us."},
};

/* Where a tunable is kept, and how wide it is. */
struct field {
	size_t offset;
	size_t size;
};

#define FIELD(name)                                                                                \
	{                                                                                          \
		offsetof(struct tunables, name), sizeof(((struct tunables *)0)->name)              \
	}

static const struct field fields[TUNABLE_IDS] = {
	[TUNE_SPINS] = FIELD(spins),
	[TUNE_YIELDS] = FIELD(yields),
	[TUNE_SLEEP] = FIELD(sleep_ns),
	[TUNE_HINT] = FIELD(hint),
	[TUNE_HINT_COUNT] = FIELD(hint_count),
	[TUNE_BUDGET] = FIELD(budget_ns),
};

_Static_assert(sizeof(enum arch_hint) == sizeof(uint32_t), "hints are read as 32 bits");

uint64_t tunable_get(const struct tunables *t, enum tunable_id id)
{
	const char *field = (const char *)t + fields[id].offset;
	uint64_t wide;
	uint32_t narrow;

	if (fields[id].size == sizeof(wide)) {
		memcpy(&wide, field, sizeof(wide));
		return wide;
	}
	memcpy(&narrow, field, sizeof(narrow));
	return narrow;
}

void tunable_set(struct tunables *t, enum tunable_id id, uint64_t value)
{
	char *field = (char *)t + fields[id].offset;
	uint32_t narrow = (uint32_t)value;

	if (fields[id].size == sizeof(value))
		memcpy(field, &value, sizeof(value));
	else
		memcpy(field, &narrow, sizeof(narrow));
}
