/* Finding 1: how long to spin before giving the CPU away. */
#include "cli/reproduce/findings.h"

#define POLLS(n, mean, trimmed, max, min)                                                          \
	{                                                                                          \
		{"polls", n}, {"TTSP", mean}, {"TTSP-2%", trimmed}, {"TTSP-max", max},             \
			{"TTSP-min", min},                                                         \
		{                                                                                  \
			0                                                                          \
		}                                                                                  \
	}

#define METRICS                                                                                    \
	{                                                                                          \
		{"polls", "polls", "stops of the world, which follow the rate of allocation",      \
			"more", "less", UNIT_PLAIN, true},                                         \
			{"TTSP", "ttsp_mean_ns", "time to stop all threads, average", "shorter",   \
				"longer", UNIT_NS, false},                                         \
			{"TTSP-2%", "ttsp_trimmed_ns", "the same without the upper and lower 2 %", \
				"shorter", "longer", UNIT_NS, false},                              \
			{"TTSP-max", "ttsp_max_ns", "longest", "shorter", "longer", UNIT_NS,       \
				false},                                                            \
			{"TTSP-min", "ttsp_min_ns", "shortest", "shorter", "longer", UNIT_NS,      \
				false},                                                            \
			{"rate", "allocations_per_s", "allocations per second", "faster",          \
				"slower", UNIT_PLAIN, true},                                       \
	}

#define ALL_N "N=00 N=01 N=07 N=0F N=1F N=3F N=7F N=FF"

const struct finding finding_spinning = {
	.name = "spinning",
	.title = "How long to spin before giving the CPU away",
	.source = "JDK-8331411, openjdk/jdk PR 19570, June 2024: ShenandoahLock",
	.said = "With 32 threads a CPU, waiting for the heap lock by spinning for thousands of "
		"pauses "
		"between yields, and by sleeping for 1 ms later, keeps the threads that could make "
		"progress from their CPUs. Spinning N times once and yielding from then on let "
		"seven to "
		"nine times as many safepoints happen in the same time, and each was reached "
		"several "
		"times sooner; the fewer spins, the sooner. N = 0xFF was chosen.",
	.here = "The same loop on a mutex, 32 threads a CPU. A thread counts as stopped at its "
		"poll, or "
		"when it is off the CPU while it waits for the lock. A plain program cannot tell a "
		"waiter "
		"that was preempted while spinning from one that yielded, so long spinning shows "
		"less "
		"here than there, where such a thread had to run first.",
	.repetitions = 7,
	.trial =
		{
			{
				.name = "crowded",
				.what = "32 threads a CPU allocate 128 bytes at a time",
				.workload = "alloc",
				.arguments = "--threads 0",
				.cpus_needed = 2,
				.full = {"--settle 1 --seconds 10", 11.2, 11.2},
				.quick = {"--settle 0.15 --seconds 0.8", 1.1, 1.1},
				.metric = METRICS,
				.candidate =
					{
						{"baseline", "spin-sleep", "--urgent off",
							.published = POLLS(18, 3882361, 3882361,
								43310117, 49197)},
						{"N=00", "spin-yield:spins=0",
							.published = POLLS(168, 861677, 589036,
								46937732, 44005)},
						{"N=01", "spin-yield:spins=1", .full_only = true,
							.published = POLLS(164, 627056, 572697,
								10004767, 55472)},
						{"N=07", "spin-yield:spins=7", .full_only = true,
							.published = POLLS(163, 650578, 625329,
								5312631, 53734)},
						{"N=0F", "spin-yield:spins=15",
							.published = POLLS(164, 590398, 557325,
								6481761, 56794)},
						{"N=1F", "spin-yield:spins=31", .full_only = true,
							.published = POLLS(144, 814400, 790089,
								5024881, 56041)},
						{"N=3F", "spin-yield:spins=63", .full_only = true,
							.published = POLLS(137, 830288, 801192,
								5533538, 54982)},
						{"N=7F", "spin-yield:spins=127", .full_only = true,
							.published = POLLS(132, 1101625, 845626,
								35425614, 57492)},
						{"N=FF", "spin-yield:spins=255",
							.published = POLLS(125, 1005433, 970988,
								6193342, 54362)},
						{"yield-sleep", "spin-yield-sleep",
							.full_only = true},
						{"native", "native", .full_only = true},
						{0},
					},
			},
			{
				.name = "light",
				.what = "one thread a CPU",
				.workload = "alloc",
				.arguments = "--threads 2",
				.cpus_needed = 2,
				.full = {"--settle 0.5 --seconds 4", 4.6, 4.6},
				.quick = {"--settle 0.1 --seconds 0.5", 0.65, 0.65},
				.metric = METRICS,
				.candidate =
					{
						{"baseline", "spin-sleep", "--urgent off"},
						{"N=0F", "spin-yield:spins=15"},
						{"N=FF", "spin-yield:spins=255"},
						{0},
					},
			},
			{0},
		},
	.criterion =
		{
			{"at least 5 times as many polls as the baseline, for every N", "crowded",
				"polls", ALL_N, "baseline", {5, INFINITY, false}},
			{"average time to stop at most 0.7 of the baseline's, up to N = 0F",
				"crowded", "TTSP", "N=00 N=01 N=07 N=0F", "baseline",
				{0, 0.7, false}},
			{"more spinning, longer stops: FF above 0F", "crowded",
				"TTSP", "N=FF", "N=0F", {1, INFINITY, false}},
			{"one thread a CPU: no difference in polls beyond a third", "light",
				"polls", EACH_BUT_THE_BASELINE, "baseline", {0.75, 1.33, false}},
			{0},
		},
};
