/* Finding 3: spinning with the processor's hint before a heavy lock. */
#include "cli/reproduce/findings.h"

#define METRICS                                                                                    \
	{                                                                                          \
		{"trial", "trial_ns", "100 items exchanged by two fresh threads", "shorter",       \
			"longer", UNIT_NS, false},                                                 \
			{"waits", "waits", "condition waits in a trial", "less", "more",           \
				UNIT_PLAIN, false},                                                \
			{"window", "window_ns", "how long the spinning lasts", "shorter",          \
				"longer", UNIT_NS, false},                                         \
	}

#define LENGTHS .full = {"--trials 600", 1.0, 0.8}, .quick = {"--trials 120", 0.25, 0.2}

const struct finding finding_hint = {
	.name = "hint",
	.title = "Spinning with the processor's hint before a heavy lock",
	.source = "Thread.onSpinWait micro-benchmark, openjdk/jdk PR 6338, November 2021",
	.said = "Two threads exchange 100 items through one monitor. Spinning 125 empty steps "
		"before "
		"taking it changes nothing; with the processor's pause hint at each step, the same "
		"125 "
		"steps last long enough for the other thread's work to end, and hardly anyone goes "
		"to "
		"sleep: 6.5 times faster on x86-64 (PAUSE), 2.5 times on ARM64 (ISB).",
	.here = "The same exchange through a mutex and a condition variable, 150 ns of work, each "
		"thread "
		"on a CPU of its own; published figures are those of x86-64. Whether one hint a "
		"step is "
		"enough depends on how long it lasts here (13 ns on some processors, 45 on others) "
		"and on "
		"how long waking a thread takes, so ten of them are tried too. With both threads "
		"on "
		"one "
		"CPU, spinning only keeps the other from running, and the longer window of the "
		"hint makes "
		"it worse.",
	.repetitions = 7,
	.trial =
		{
			{
				.name = "two-cpus",
				.what = "a CPU for each thread",
				.workload = "producer_consumer",
				.arguments = "--cpus 2",
				.cpus_needed = 2,
				LENGTHS,
				.metric = METRICS,
				.candidate =
					{
						{"no-spin", NULL, "--spin none",
							.published = {{"trial", 1417944}, {0}}},
						{"no-hint", NULL, "--spin no-hint",
							.published = {{"trial", 1410987}, {0}}},
						{"hint", NULL, "--spin hint",
							.published = {{"trial", 217054}, {0}}},
						{"hint-x10", NULL, "--spin hint --hint-count 10"},
						{0},
					},
			},
			{
				.name = "one-cpu",
				.what = "both threads on one CPU",
				.workload = "producer_consumer",
				.arguments = "--cpus 1",
				.cpus_needed = 1,
				LENGTHS,
				.metric = METRICS,
				.candidate =
					{
						{"no-spin", NULL, "--spin none"},
						{"no-hint", NULL, "--spin no-hint"},
						{"hint", NULL, "--spin hint"},
						{0},
					},
			},
			{0},
		},
	.criterion =
		{
			{"without the hint spinning changes nothing: 0.85 to 1.2", "two-cpus",
				"trial", "no-hint", "no-spin", {0.85, 1.2, false}},
			{"with the hint at most 0.6 of the time", "two-cpus", "trial", "hint",
				"no-spin", {0, 0.6, false}},
			{"it is the window: with ten hints a step at most 0.6 of the time",
				"two-cpus", "trial", "hint-x10", "no-spin", {0, 0.6, false}},
			{"with the hint at most half as many condition waits", "two-cpus", "waits",
				"hint", "no-spin", {0, 0.5, false}},
			{"on one CPU the hint makes it worse, by a tenth or more", "one-cpu",
				"trial", "hint", "no-spin", {1.1, INFINITY, false}},
			{0},
		},
};
