/* Drawings of what was published beside what was measured, by gnuplot. */
#include "cli/cli.h"
#include "cli/program.h"
#include "cli/reproduce/print.h"
#include "stats/report/memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* A text inside a gnuplot string in double quotes; names of findings hold nothing special. */
static void put_point(FILE *out, size_t x, const char *name, double value, double low, double high)
{
	if (isfinite(value) && value > 0)
		fprintf(out, "%zu \"%s\" %.6g %.6g %.6g\n", x, name, value,
			isfinite(low) && low > 0 ? low : value, isfinite(high) ? high : value);
}

static void put_published(FILE *out, const struct trial_outcome *t, size_t metric)
{
	const char *name = t->trial->metric[metric].name;
	double baseline = published_of(&t->candidate[0], name);

	fputs("$published << EOD\n", out);
	for (size_t slot = 0; slot < t->candidates; slot++)
		put_point(out, slot, t->candidate[slot].name,
			published_of(&t->candidate[slot], name) / baseline, NAN, NAN);
	fputs("EOD\n", out);
}

struct drawn {
	size_t points;
	double low, high;
};

static struct drawn put_measured(FILE *out, const struct trial_outcome *t, size_t metric)
{
	struct drawn d = {0, INFINITY, 0};

	fputs("$measured << EOD\n", out);
	for (size_t slot = 0; slot < t->candidates; slot++) {
		struct evidence e = outcome_ratio(t, slot, 0, metric);

		if (isfinite(e.median) && e.median > 0) {
			d.points++;
			d.low = fmin(d.low, e.median);
			d.high = fmax(d.high, e.median);
		}
		put_point(out, slot, t->candidate[slot].name, e.median, e.low, e.high);
	}
	fputs("EOD\n", out);
	return d;
}

static bool is_published(const struct trial_outcome *t, size_t metric)
{
	const char *name = t->trial->metric[metric].name;
	size_t count = 0;

	for (size_t slot = 0; slot < t->candidates; slot++)
		count += !isnan(published_of(&t->candidate[slot], name));
	return count > 1 && !isnan(published_of(&t->candidate[0], name));
}

static void put_plot(
	FILE *out, const struct finding *f, const struct trial_outcome *t, size_t metric)
{
	const struct experiment_metric *m = &t->trial->metric[metric];
	struct drawn d;

	if (is_published(t, metric))
		put_published(out, t, metric);
	d = put_measured(out, t, metric);
	if (d.points < 2)
		return;
	/* Where nothing differs gnuplot has no scale to choose. */
	fputs(d.low < d.high ? "set yrange [*:*]\n" : "set yrange [0.5:2]\n", out);
	fprintf(out, "set output \"%s-%s-%s.svg\"\n", f->name, t->trial->name, m->name);
	fprintf(out, "set title \"%s, %s: %s\"\n", f->name, t->trial->name, m->meaning);
	fprintf(out, "set ylabel \"ratio to %s\"\n", t->candidate[0].name);
	fprintf(out, "set xrange [-0.5:%zu.5]\nplot 1 lc rgb \"#999999\" notitle",
		t->candidates - 1);
	if (is_published(t, metric))
		fputs(", $published using 1:3:xtic(2) with linespoints lw 2 pt 7 lc rgb "
		      "\"#c0392b\" "
		      "title \"published\"",
			out);
	fputs(", $measured using 1:3:4:5:xtic(2) with yerrorbars lw 1 pt 0 lc rgb \"#1f5f9f\" "
	      "notitle, $measured using 1:3:xtic(2) with linespoints lw 2 pt 5 lc rgb \"#1f5f9f\" "
	      "title \"measured\"\n\n",
		out);
}

static void write_script(FILE *out, const struct outcome *o)
{
	fputs("# gnuplot FILE, in this directory\n"
	      "set terminal svg size 900,500 background \"white\"\n"
	      "set encoding utf8\nset logscale y\nset grid y\nset key outside right top\n"
	      "set xtics rotate by -30\nunset mouse\n\n",
		out);
	for (size_t i = 0; i < o->trials; i++) {
		const struct trial_outcome *t = &o->trial[i];

		if (!t->experiment)
			continue;
		for (size_t metric = 0; metric < t->metrics; metric++)
			put_plot(out, o->finding, t, metric);
	}
}

/* Lets gnuplot work in the directory, quietly. */
static bool run_gnuplot(const char *gnuplot, const char *directory, const char *script)
{
	pid_t pid = fork();
	int status = 0;

	if (pid == 0) {
		if (chdir(directory) != 0)
			_exit(127);
		execl(gnuplot, "gnuplot", script, (char *)NULL);
		_exit(127);
	}
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return pid > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

bool plot_outcome(const char *directory, const struct outcome *o, bool *drawn)
{
	char *script = memory_format("%s.gp", o->finding->name);
	char *path = memory_format("%s/%s", directory, script);
	char gnuplot[PATH_MAX];
	FILE *out = fopen(path, "we");
	bool done = out != NULL;

	*drawn = false;
	if (out) {
		write_script(out, o);
		done = !ferror(out);
		done = fclose(out) == 0 && done;
	}
	if (!done)
		cli_say("'%s' could not be written: %s", path, strerror(errno));
	else if (program_find("gnuplot", gnuplot, sizeof(gnuplot)) == 0)
		*drawn = run_gnuplot(gnuplot, directory, script);
	free(path);
	free(script);
	return done;
}
