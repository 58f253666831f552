#include "cli/metrics.h"
#include "cli/numbers.h"
#include "conf/conf.h"
#include "stats/report/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- of the process and its recording */

static double get_wall(const struct measured *m)
{
	return (double)m->wall_ns;
}

static double microseconds_ns(struct timeval time)
{
	return ((double)time.tv_sec * 1e6 + (double)time.tv_usec) * 1e3;
}

static double get_cpu(const struct measured *m)
{
	return microseconds_ns(m->usage.ru_utime) + microseconds_ns(m->usage.ru_stime);
}

static double get_rss(const struct measured *m)
{
	return (double)m->usage.ru_maxrss;
}

static double get_switches(const struct measured *m)
{
	return (double)m->usage.ru_nvcsw + (double)m->usage.ru_nivcsw;
}

static double get_wait(const struct measured *m)
{
	return m->recorded ? (double)m->recording.wait_ns : NAN;
}

static double get_p99(const struct measured *m)
{
	return m->recorded ? (double)m->recording.wait_p99_ns : NAN;
}

static double get_max(const struct measured *m)
{
	return m->recorded ? (double)m->recording.wait_max_ns : NAN;
}

static double get_spun(const struct measured *m)
{
	return m->recorded ? (double)m->recording.spun_ns : NAN;
}

static const struct {
	struct experiment_metric metric;
	double (*get)(const struct measured *);
	bool recording;
} known[] = {
	{{"wall", "wall_ns", "time from start to end", "faster", "slower", UNIT_NS, false},
		get_wall, false},
	{{"cpu", "cpu_ns", "CPU time, user and system", "less", "more", UNIT_NS, false}, get_cpu,
		false},
	{{"rss", "rss_kib", "peak memory", "less", "more", UNIT_KIB, false}, get_rss, false},
	{{"ctxt", "ctxt", "context switches", "less", "more", UNIT_PLAIN, false}, get_switches,
		false},
	{{"wait", "wait_ns", "waited for locks, all threads", "less", "more", UNIT_NS, false},
		get_wait, true},
	{{"wait-p99", "wait_p99_ns", "99 of 100 waits are shorter", "less", "more", UNIT_NS, false},
		get_p99, true},
	{{"wait-max", "wait_max_ns", "longest wait", "less", "more", UNIT_NS, false}, get_max,
		true},
	{{"burnt", "burnt_ns", "CPU time burnt waiting", "less", "more", UNIT_NS, false}, get_spun,
		true},
};
#define KNOWN (sizeof(known) / sizeof(known[0]))

void metrics_read(const struct metrics *metrics, const struct measured *m, double *values)
{
	for (size_t i = 0; i < metrics->count; i++) {
		if (metrics->get[i]) {
			values[i] = metrics->get[i](m);
			continue;
		}
		for (size_t o = 0; m->output[o] && !(values[i] == values[i]); o++)
			values[i] = numbers_find(&metrics->pattern[i], m->output[o]);
	}
}

/* --- choosing */

static bool room_for(const struct metrics *metrics, const char *name)
{
	if (metrics->count == EXPERIMENT_METRICS_MAX) {
		cli_say("--metric: more than %d metrics", EXPERIMENT_METRICS_MAX);
		return false;
	}
	for (size_t i = 0; i < metrics->count; i++)
		if (strcmp(metrics->metric[i].name, name) == 0) {
			cli_say("--metric: '%s' is there twice; give each a name of its own, as in "
				"--metric 'reads=([0-9]+) reads'",
				name);
			return false;
		}
	return true;
}

static bool add_known(struct metrics *metrics, size_t index)
{
	if (!room_for(metrics, known[index].metric.name))
		return false;
	metrics->metric[metrics->count] = known[index].metric;
	metrics->get[metrics->count++] = known[index].get;
	metrics->recording = metrics->recording || known[index].recording;
	return true;
}

static bool add_name(struct metrics *metrics, const char *name, size_t length)
{
	const char *names[KNOWN];
	char word[64], near[96];

	snprintf(word, sizeof(word), "%.*s", (int)length, name);
	for (size_t i = 0; i < KNOWN; i++) {
		names[i] = known[i].metric.name;
		if (strcmp(word, names[i]) == 0)
			return add_known(metrics, i);
	}
	cli_say("--metric: there is no metric '%s'%s; there are wall, cpu, rss, ctxt, wait, "
		"wait-p99, wait-max, burnt, and NAME=REGEX for a number in the output",
		word, cli_nearest(word, names, KNOWN, near, sizeof(near)));
	return false;
}

/* 1: --higher names it, -1: --lower does, 0: neither. */
static int direction(const struct cli_args *args, const char *name)
{
	int found = 0;

	for (unsigned i = 0; i < args->given_count; i++) {
		const char *option = args->given[i].option->name;

		if (strcmp(option, "higher") == 0 && strcmp(args->given[i].value, name) == 0)
			found = 1;
		else if (strcmp(option, "lower") == 0 && strcmp(args->given[i].value, name) == 0)
			found = -1;
	}
	return found;
}

/* "NAME=REGEX" */
static bool add_pattern(struct metrics *metrics, const struct cli_args *args, const char *text)
{
	size_t length = strcspn(text, "="), at = metrics->count;
	char *name = memory_format("%.*s", (int)length, text);
	int higher = direction(args, name);

	if (length == 0 || !room_for(metrics, name)) {
		if (length == 0)
			cli_say("--metric: '%s' has no name before the '='", text);
	} else if (higher == 0) {
		cli_say("--metric %s: add --higher %s if more of it is better, --lower %s if less "
			"is",
			name, name, name);
	} else if (numbers_compile(&metrics->pattern[at], name, text + length + 1)) {
		metrics->name[at] = name;
		metrics->metric[at] = (struct experiment_metric){.name = name,
			.key = name,
			.better = "faster",
			.worse = "slower",
			.higher = higher > 0};
		metrics->count++;
		return true;
	}
	free(name);
	return false;
}

static bool add_given(struct metrics *metrics, const struct cli_args *args, const char *text)
{
	if (strchr(text, '='))
		return add_pattern(metrics, args, text);
	for (;;) {
		size_t length = strcspn(text, ",");

		if (!add_name(metrics, text, length))
			return false;
		if (!text[length])
			return true;
		text += length + 1;
	}
}

/* A direction for a metric that is not there is a mistake, most likely in its name. */
static bool check_directions(const struct metrics *metrics, const struct cli_args *args)
{
	for (unsigned i = 0; i < args->given_count; i++) {
		const struct cli_given *given = &args->given[i];
		bool found = false;

		if (strcmp(given->option->name, "higher") != 0 &&
			strcmp(given->option->name, "lower") != 0)
			continue;
		for (size_t m = 0; m < metrics->count; m++)
			found = found || (!metrics->get[m] && strcmp(metrics->metric[m].name,
								      given->value) == 0);
		if (!found) {
			cli_say("--%s: there is no --metric '%s=REGEX'", given->option->name,
				given->value);
			return false;
		}
	}
	return true;
}

bool metrics_choose(struct metrics *metrics, const struct cli_args *args, bool recording)
{
	bool done = true;

	*metrics = (struct metrics){0};
	for (unsigned i = 0; i < args->given_count && done; i++)
		if (strcmp(args->given[i].option->name, "metric") == 0)
			done = add_given(metrics, args, args->given[i].value);
	for (size_t i = 0; i < KNOWN && done && !cli_has(args, "metric"); i++)
		if (recording || !known[i].recording)
			done = add_known(metrics, i);
	done = done && check_directions(metrics, args);
	if (done && metrics->recording && !recording) {
		cli_say("--metric: wait, wait-p99, wait-max and burnt come from relock's "
			"recording, "
			"which is turned off");
		done = false;
	}
	if (!done)
		metrics_free(metrics);
	return done;
}

void metrics_free(struct metrics *metrics)
{
	for (size_t i = 0; i < metrics->count; i++)
		if (!metrics->get[i]) {
			regfree(&metrics->pattern[i]);
			free(metrics->name[i]);
		}
	metrics->count = 0;
}
