/* Finding 2: one acquisition an item, or batches. */
#include "cli/reproduce/findings.h"

#define METRICS                                                                                    \
	{                                                                                          \
		{"max", "max_ns", "longest allocation", "shorter", "longer", UNIT_NS, false},      \
			{"average", "average_ns", "an allocation", "shorter", "longer", UNIT_NS,   \
				false},                                                            \
			{"item", "item_ns", "cleaning one item, all told", "shorter", "longer",    \
				UNIT_NS, false},                                                   \
			{"acquisitions", "acquisitions", "by the cleaner", "less", "more",         \
				UNIT_PLAIN, false},                                                \
			{"max-all", "max_with_preemption_ns",                                      \
				"longest, those included whose thread, or the cleaner, lost its "  \
				"CPU",                                                             \
				"shorter", "longer", UNIT_NS, false},                              \
	}

#define LENGTHS                                                                                    \
	.full = {"--settle 0.2 --seconds 3", 3.3, 3.3},                                            \
	.quick = {"--settle 0.05 --seconds 0.6", 0.75, 0.75}

const struct finding finding_batching = {
	.name = "batching",
	.title = "One acquisition an item, or batches",
	.source = "JDK-8335356, openjdk/jdk PR 20086, July 2024: recycle_trash; JDK-8341379",
	.said = "A cleaner that takes the heap lock for each of hundreds of items keeps an "
		"allocating "
		"thread waiting for most of the pass: it gives the lock back and has it again "
		"before "
		"anyone else gets there. Holding it for batches of 30 us, with a yield in between, "
		"cut the "
		"longest allocation by 5.7 and made cleaning cheaper, while the average stayed.",
	.here = "An allocator and a cleaner on a CPU each, 640 items of 600 ns every 20 ms. "
		"Allocations "
		"that were long because a thread lost its CPU are kept apart (max-all). The "
		"waiting is "
		"spin-yield's; with the C library's own mutex the effect is looked for separately, "
		"as "
		"there a thread that is woken up loses the race against the one that comes back. "
		"'idle' has one item a pass: what the machine alone does to the longest.",
	.repetitions = 10,
	.trial =
		{
			{
				.name = "spinning-waiter",
				.what = "the allocator waits by spin-yield, 255 spins",
				.workload = "timed_alloc",
				.arguments = "",
				.cpus_needed = 2,
				LENGTHS,
				.metric = METRICS,
				.candidate =
					{
						{"per-item", "spin-yield:spins=255",
							"--mode per-item",
							.published = {{"max", 461734},
								{"average", 854}, {"item", 2312},
								{0}}},
						{"deadline", "spin-yield:spins=255",
							"--mode deadline",
							.published = {{"max", 81435},
								{"average", 854}, {0}}},
						{"count", "spin-yield:spins=255", "--mode count"},
						{"hold", "spin-yield:spins=255", "--mode hold",
							.published = {{"item", 560}, {0}}},
						{"idle", "spin-yield:spins=255",
							"--mode deadline --items 1"},
						{0},
					},
			},
			{
				.name = "native-mutex",
				.what = "the allocator waits in the C library's mutex",
				.workload = "timed_alloc",
				.arguments = "",
				.cpus_needed = 2,
				LENGTHS,
				.metric = METRICS,
				.candidate =
					{
						{"per-item", "native", "--mode per-item"},
						{"deadline", "native", "--mode deadline"},
						{0},
					},
			},
			{0},
		},
	.criterion =
		{
			{"longest allocation: batching by deadline cuts it to 1/2.5 or less",
				"spinning-waiter", "max", "deadline", "per-item", {0, 0.4, false}},
			{"longest allocation with batching at most 6 deadlines, 180 us",
				"spinning-waiter", "max", "deadline", NULL, {0, 180000, true}},
			{"with batching at most 1.5 times as long as with next to nothing to clean",
				"spinning-waiter", "max", "deadline", "idle", {0, 1.5, false}},
			{"average within 3 %", "spinning-waiter", "average", "deadline", "per-item",
				{0.97, 1.03, false}},
			{"with the C library's mutex the effect is reversed", "native-mutex", "max",
				"deadline", "per-item", {1, INFINITY, false}},
			{0},
		},
};
