/* Finding 5: bound the population of idle lock records. */
#include "cli/reproduce/findings.h"

const struct finding finding_deflation = {
	.name = "deflation",
	.title = "Bound the population of idle lock records",
	.source = "JDK-8181859, June 2017: MonitorUsedDeflationThreshold",
	.said = "Records of locks that were contended once pile up when they are cleaned only if "
		"something else asks for it. Cleaning as soon as more than 90 % of them are in use "
		"halved "
		"their number and made the worst cleaning three times shorter, at 20 % still more "
		"so; the "
		"throughput stayed the same.",
	.here = "The records are those of relock's own recorder: mutexes in great number are made "
		"and contended once under it, on one CPU, where the pace is even. 'off' is the old "
		"way: they are cleaned when something else asks for it, which is that there are "
		"500 000 of them. That nothing is lost is checked by counting: the recording must "
		"have every acquisition the program made.",
	.repetitions = 7,
	.trial =
		{
			{
				.name = "one-shot",
				.what = "mutexes that are contended once",
				.workload = "population",
				.arguments = "--threads 1 --live 8192",
				.cpus_needed = 1,
				.confine = 1,
				.recorded = true,
				.setting = {{"record.deflate_interval", "200ms"},
					{"record.max_locks", "500000"}},
				.full = {"--seconds 6", 7.2, 7.2},
				.quick = {"--seconds 2.7", 3.5, 3.5},
				.metric =
					{
						{"population", "population",
							"lock records there are at the end", "less",
							"more", UNIT_PLAIN, false},
						{"worst-scan", "worst_scan_ns",
							"longest look for idle records", "shorter",
							"longer", UNIT_NS, false},
						{"scans", "scans", "looks for idle records", "less",
							"more", UNIT_PLAIN, false},
						{"rate", "locks_per_s", "mutexes made per second",
							"faster", "slower", UNIT_PLAIN, true},
						{"lost", "lost",
							"acquisitions that the recording does not "
							"have",
							"less", "more", UNIT_PLAIN, false},
					},
				.candidate =
					{
						{"off", "native",
							.setting = "record.deflate_threshold",
							.value = "0",
							.published = {{"population", 132334},
								{"worst-scan", 120000000}, {0}}},
						{"90", "native",
							.setting = "record.deflate_threshold",
							.value = "90",
							.published = {{"population", 63627},
								{"worst-scan", 35000000}, {0}}},
						{"20", "native",
							.setting = "record.deflate_threshold",
							.value = "20",
							.published = {{"population", 28448},
								{"worst-scan", 30000000}, {0}}},
						{0},
					},
			},
			{0},
		},
	.criterion =
		{
			{"population at 90 % at most 0.6 of that without", "one-shot", "population",
				"90", "off", {0, 0.6, false}},
			{"population at 20 % at most 0.35 of that without", "one-shot",
				"population", "20", "off", {0, 0.35, false}},
			{"worst scan at 90 % at most half", "one-shot", "worst-scan", "90", "off",
				{0, 0.5, false}},
			{"fewer scans at 90 % than at 20 %", "one-shot", "scans", "90", "20",
				{0, 1, false}},
			{"throughput within 3 %", "one-shot", "rate", EACH_BUT_THE_BASELINE, "off",
				{0.97, 1.03, false}},
			{"not one count lost", "one-shot", "lost", "off 90 20", NULL, {0, 0, true}},
			{0},
		},
};
