/* relock reproduce: the published findings, measured on this machine. */
#include "cli/cli.h"
#include "cli/install.h"
#include "cli/reproduce/bench.h"
#include "cli/reproduce/on.h"
#include "cli/reproduce/print.h"
#include "policies/arch.h"
#include "stats/report/memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define FINDINGS_MAX 16
#define WIDTH 100

struct work {
	const struct cli_args *args;
	struct bench bench;
	const struct finding *wanted[FINDINGS_MAX];
	size_t count;
	struct outcome *outcome[FINDINGS_MAX]; /* of those that are done */
	size_t done;
	const struct outcome *running;
	char directory[PATH_MAX]; /* for results */
	bool save_failed;
	bool no_gnuplot;
};

/* --- what is wanted */

static int list_findings(void)
{
	for (unsigned i = 0; findings[i]; i++) {
		int width = printf("%u %-11s ", i + 1, findings[i]->name);

		cli_fold(stdout, findings[i]->title, (unsigned)width, WIDTH, true);
		printf("%*ssource: %s\n", width, "", findings[i]->source);
	}
	puts("next    relock reproduce --quick");
	return 0;
}

static bool refuse_finding(const char *word)
{
	const char *names[FINDINGS_MAX];
	char near[96];
	size_t count = 0;

	for (; findings[count]; count++)
		names[count] = findings[count]->name;
	cli_say("there is no finding '%s'%s; 'relock reproduce list' shows them", word,
		cli_nearest(word, names, count, near, sizeof(near)));
	return false;
}

/* Each once, in the order given; none given: all. */
static bool choose_findings(struct work *w)
{
	for (unsigned i = 0; i < w->args->operand_count; i++) {
		const struct finding *f = finding_find(w->args->operands[i]);
		bool there = false;

		if (!f)
			return refuse_finding(w->args->operands[i]);
		for (size_t j = 0; j < w->count; j++)
			there = there || w->wanted[j] == f;
		if (!there)
			w->wanted[w->count++] = f;
	}
	for (unsigned i = 0; w->args->operand_count == 0 && findings[i]; i++)
		w->wanted[w->count++] = findings[i];
	return true;
}

static bool read_options(struct work *w)
{
	unsigned seed = (unsigned)(arch_monotonic_ns() % 1000000);

	w->bench.quick = cli_has(w->args, "quick");
	w->bench.progress = isatty(STDERR_FILENO);
	if (!cli_count(w->args, "repetitions", 1, EXPERIMENT_ROUNDS_MAX, &w->bench.repetitions) ||
		!cli_count(w->args, "seed", 0, 4000000000u, &seed))
		return false;
	w->bench.seed = seed;
	return choose_findings(w);
}

/* --- where results go */

static bool choose_directory(struct work *w)
{
	const char *wanted = cli_value(w->args, "out");
	char parent[PATH_MAX / 2] = ".", stamp[32];
	time_t now = time(NULL);
	struct tm parts;

	if (wanted) {
		snprintf(w->directory, sizeof(w->directory), "%s", wanted);
	} else {
		localtime_r(&now, &parts);
		strftime(stamp, sizeof(stamp), "%Y%m%d-%H%M%S", &parts);
		if (access(".", W_OK | X_OK) != 0 &&
			!install_private_directory(false, parent, sizeof(parent)))
			snprintf(parent, sizeof(parent), ".");
		snprintf(w->directory, sizeof(w->directory), "%s%sreproduce-%s",
			strcmp(parent, ".") == 0 ? "" : parent, strcmp(parent, ".") == 0 ? "" : "/",
			stamp);
	}
	if ((mkdir(w->directory, 0777) == 0 || errno == EEXIST) &&
		access(w->directory, W_OK | X_OK) == 0)
		return true;
	cli_say("results cannot be written to '%s': %s; name another directory with --out",
		w->directory, strerror(errno));
	return false;
}

static void write_markdown(
	const struct work *w, FILE *out, struct outcome *const *outcomes, size_t count)
{
	struct print print = {.out = out, .style = {.utf8 = true}, .markdown = true};

	fprintf(out, "# Findings reproduced\n\nrelock %s, %u CPUs, %s run.\n", RELOCK_VERSION,
		w->bench.cpus, w->bench.quick ? "quick" : "full");
	print_summary(&print, outcomes, count);
	for (size_t i = 0; i < count; i++)
		print_outcome(&print, outcomes[i]);
}

/* Replaces a file as a whole, so that a reader never sees half of it. */
static bool write_file(
	struct work *w, const char *name, bool json, struct outcome *const *outcomes, size_t count)
{
	char *path = memory_format("%s/%s", w->directory, name);
	char *part = memory_format("%s.part", path);
	FILE *out = fopen(part, "we");
	bool done = out != NULL;

	if (out) {
		if (json)
			json_outcomes(out, &w->bench, outcomes, count);
		else
			write_markdown(w, out, outcomes, count);
		done = !ferror(out);
		done = fclose(out) == 0 && done && rename(part, path) == 0;
	}
	if (!done && !w->save_failed)
		cli_say("'%s' could not be written: %s", path, strerror(errno));
	w->save_failed = w->save_failed || !done;
	free(part);
	free(path);
	return done;
}

static void save(struct work *w, const struct outcome *running)
{
	struct outcome *all[FINDINGS_MAX + 1];
	size_t count = w->done;

	memcpy(all, w->outcome, w->done * sizeof(all[0]));
	if (running)
		all[count++] = (struct outcome *)running;
	write_file(w, "results.json", true, all, count);
	write_file(w, "results.md", false, all, count);
}

static void save_round(void *context, const struct outcome *running)
{
	save(context, running);
}

static void draw(struct work *w, const struct outcome *outcome)
{
	bool drawn;

	if (plot_outcome(w->directory, outcome, &drawn) && !drawn)
		w->no_gnuplot = true;
}

/* --- the run */

static void say_length(const struct work *w)
{
	double seconds = 0, load[1] = {0};

	for (size_t i = 0; i < w->count; i++)
		seconds += bench_seconds(&w->bench, w->wanted[i]);
	if (seconds < 100)
		printf("this takes about %.0f s on an idle machine", seconds);
	else
		printf("this takes about %.0f minutes on an idle machine", seconds / 60);
	puts("; Ctrl-C ends it and keeps what was measured");
	if (getloadavg(load, 1) == 1 && load[0] > w->bench.cpus * 0.5)
		cli_say("other programs are running (load average %.1f on %u CPUs): expect noise, "
			"and "
			"verdicts that are inconclusive",
			load[0], w->bench.cpus);
	fflush(stdout);
}

static void run_all(struct work *w)
{
	struct print print = {.out = stdout,
		.style = {.utf8 = units_utf8(), .color = cli_color(w->args, stdout)}};

	for (size_t i = 0; i < w->count && !w->bench.watch.interrupted; i++) {
		struct outcome *outcome = bench_run(&w->bench, w->wanted[i]);

		w->outcome[w->done++] = outcome;
		print_outcome(&print, outcome);
		fflush(stdout);
		save(w, NULL);
		draw(w, outcome);
	}
	print_summary(&print, w->outcome, w->done);
}

static void say_end(const struct work *w)
{
	if (w->bench.watch.interrupted)
		puts("\nstopped: this is what there was until then");
	printf("\nsaved    %s/results.md, results.json%s\n", w->directory,
		w->no_gnuplot ? "" : ", *.svg");
	if (w->no_gnuplot)
		printf("no plots: gnuplot is not installed, or failed; with it, 'cd %s && gnuplot "
		       "*.gp' draws them\n",
			w->directory);
	puts("next     relock reproduce --on -- PROG");
}

/* The answer is no when a criterion was contradicted. */
static int status_of(const struct work *w)
{
	for (size_t i = 0; i < w->done; i++)
		if (outcome_verdict(w->outcome[i]).verdict == CONTRADICTED)
			return CLI_NO;
	return 0;
}

int reproduce_main(const struct cli_args *args)
{
	static struct work w;
	int status;

	w = (struct work){.args = args};
	if (cli_has(args, "on"))
		return reproduce_on(args);
	if (args->operand_count == 1 && strcmp(args->operands[0], "list") == 0)
		return list_findings();
	if (!read_options(&w) || !choose_directory(&w) || !bench_begin(&w.bench))
		return CLI_OURS;
	w.bench.round_done = save_round;
	w.bench.context = &w;
	say_length(&w);
	run_all(&w);
	bench_end(&w.bench);
	say_end(&w);
	status = w.bench.watch.interrupted ? 128 + w.bench.watch.signal : status_of(&w);
	for (size_t i = 0; i < w.done; i++)
		outcome_free(w.outcome[i]);
	return w.save_failed ? CLI_OURS : status;
}
