/* Finding 4: yield only when nothing progresses. */
#include "cli/reproduce/findings.h"

#define METRICS                                                                                    \
	{                                                                                          \
		{"mean", "handshake_ns", "a handshake with all targets", "shorter", "longer",      \
			UNIT_NS, false},                                                           \
			{"p50", "handshake_p50_ns", "its median", "shorter", "longer", UNIT_NS,    \
				false},                                                            \
			{"max", "handshake_max_ns", "the longest", "shorter", "longer", UNIT_NS,   \
				false},                                                            \
	}

/* Published are start-ups, on a machine of 2 CPUs. */
#define START_UP(seconds) .published = {{"mean", (seconds)*1e9}, {0}}

#define OLD_AND_NEW                                                                                \
	{                                                                                          \
		{"old", NULL, "--wait spin"}, {"new", NULL, "--wait progress"},                    \
		{                                                                                  \
			0                                                                          \
		}                                                                                  \
	}

const struct finding finding_handshake = {
	.name = "handshake",
	.title = "Yield only when nothing progresses",
	.source = "JDK-8244340, May 2020: HandshakeSpinYield",
	.said = "A thread that spins until others have answered takes the CPU they need. Confined "
		"to one "
		"CPU, a start-up took 2.5 s instead of 0.3 s. Spinning as long as something "
		"changes, for "
		"at most 5 us per further CPU, and sleeping a little when nothing does, gave 0.3 s "
		"on one "
		"CPU and on two, and handshakes four times faster.",
	.here = "A requester and targets that answer at their next poll, by a flag (the document's "
		"own "
		"algorithm, no library), and the same by handing over a spinlock and a mutex, "
		"where the "
		"library's policy waits. On one CPU the library itself never lets a policy spin "
		"for "
		"long, when it knows: so the old way is the C library's own spinlock, and for "
		"mutexes the "
		"spin policy in a program that confines itself after the library has come up.",
	.repetitions = 7,
	.trial =
		{
			{
				.name = "flag-1cpu",
				.what = "one target, all on one CPU (published: a start-up)",
				.workload = "handshake",
				.arguments = "--by flag --cpus 1 --threads 1",
				.cpus_needed = 1,
				.full = {"--rounds 100", 1, 0.2},
				.quick = {"--rounds 30", 0.35, 0.1},
				.metric = METRICS,
				.candidate = {{"old", NULL, "--wait spin", START_UP(2.5)},
					{"new", NULL, "--wait progress", START_UP(0.3)}, {0}},
			},
			{
				.name = "flag-2cpus",
				.what = "one target, two CPUs (published: a start-up)",
				.workload = "handshake",
				.arguments = "--by flag --cpus 2 --threads 1",
				.cpus_needed = 2,
				.full = {"--rounds 500", 0.6, 0.6},
				.quick = {"--rounds 100", 0.15, 0.15},
				.metric = METRICS,
				.candidate = {{"old", NULL, "--wait spin", START_UP(0.3)},
					{"new", NULL, "--wait progress", START_UP(0.3)}, {0}},
			},
			{
				.name = "flag-4-targets-1cpu",
				.what = "four targets, all on one CPU",
				.workload = "handshake",
				.arguments = "--by flag --cpus 1 --threads 4",
				.cpus_needed = 1,
				.full_only = true,
				.full = {"--rounds 50", 1.5, 0.6},
				.metric = METRICS,
				.candidate = OLD_AND_NEW,
			},
			{
				.name = "flag-4-targets-2cpus",
				.what = "four targets, two CPUs",
				.workload = "handshake",
				.arguments = "--by flag --cpus 2 --threads 4",
				.cpus_needed = 2,
				.full_only = true,
				.full = {"--rounds 50", 0.8, 0.4},
				.metric = METRICS,
				.candidate = OLD_AND_NEW,
			},
			{
				.name = "spinlock-1cpu",
				.what = "by pthread_spin_lock, confined to one CPU from outside",
				.workload = "handshake",
				.arguments = "--by spin --threads 1",
				.cpus_needed = 1,
				.confine = 1,
				.full = {"--rounds 100", 1, 0.2},
				.quick = {"--rounds 30", 0.35, 0.1},
				.metric = METRICS,
				.candidate = {{"native", "native"}, {"progress", "progress"}, {0}},
			},
			{
				.name = "mutex-1cpu",
				.what = "by a mutex, the program confines itself to one CPU",
				.workload = "handshake",
				.arguments = "--by mutex --cpus 1 --threads 1",
				.cpus_needed = 2,
				.full = {"--rounds 100", 1, 0.2},
				.quick = {"--rounds 30", 0.35, 0.1},
				.metric = METRICS,
				.candidate = {{"spin", "spin"}, {"progress", "progress"},
					{"native", "native", .full_only = true}, {0}},
			},
			{
				.name = "spinlock-2cpus",
				.what = "by pthread_spin_lock, two CPUs",
				.workload = "handshake",
				.arguments = "--by spin --cpus 2 --threads 1",
				.cpus_needed = 2,
				.full = {"--rounds 500", 0.6, 0.6},
				.quick = {"--rounds 100", 0.15, 0.15},
				.metric = METRICS,
				.candidate = {{"native", "native"}, {"progress", "progress"}, {0}},
			},
			{
				.name = "mutex-2cpus",
				.what = "by a mutex, two CPUs",
				.workload = "handshake",
				.arguments = "--by mutex --cpus 2 --threads 1",
				.cpus_needed = 2,
				.full = {"--rounds 500", 0.6, 0.6},
				.quick = {"--rounds 100", 0.15, 0.15},
				.metric = METRICS,
				.candidate = {{"spin", "spin"}, {"progress", "progress"},
					{"native", "native", .full_only = true}, {0}},
			},
			{0},
		},
	.criterion =
		{
			{"one target on one CPU: an eighth or less", "flag-1cpu", "mean", "new",
				"old", {0, 0.125, false}},
			{"one target on two CPUs: p50 at most 1.1 times", "flag-2cpus", "p50",
				"new", "old", {0, 1.1, false}},
			{"the same by spinlock on one CPU: an eighth or less", "spinlock-1cpu",
				"mean", "progress", "native", {0, 0.125, false}},
			{"the same by mutex on one CPU: an eighth or less", "mutex-1cpu",
				"mean", "progress", "spin", {0, 0.125, false}},
			{"the same by spinlock on two CPUs: p50 at most 1.1 times",
				"spinlock-2cpus", "p50", "progress", "native", {0, 1.1, false}},
			{"the same by mutex on two CPUs: p50 at most 1.1 times", "mutex-2cpus",
				"p50", "progress", "spin", {0, 1.1, false}},
			{0},
		},
};
