#include "cli/comparing.h"
#include "cli/install.h"
#include "stats/report/memory.h"
#include "stats/report/shell.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* --- saving */

/* "PROG-20240131-235959.compare.json", in the current directory or a private one. */
static bool own_file(struct comparison *c)
{
	char directory[PATH_MAX] = ".", stamp[32];
	time_t now = time(NULL);
	struct tm parts;

	if (access(".", W_OK | X_OK) != 0 &&
		!install_private_directory(false, directory, sizeof(directory)))
		return false;
	localtime_r(&now, &parts);
	strftime(stamp, sizeof(stamp), "%Y%m%d-%H%M%S", &parts);
	if ((size_t)snprintf(c->own_file, sizeof(c->own_file), "%s%s%s-%s.compare.json",
		    strcmp(directory, ".") == 0 ? "" : directory,
		    strcmp(directory, ".") == 0 ? "" : "/", basename(c->program.path),
		    stamp) >= sizeof(c->own_file))
		return false;
	c->saving[c->savings++] = (struct saving){c->own_file, EXPORT_JSON};
	return true;
}

/* That a file can be written is found out before hours have gone into it. */
static bool can_write(const char *path)
{
	char *directory = memory_copy(path), *slash = strrchr(directory, '/');
	bool can;

	if (slash)
		slash[slash == directory] = '\0';
	can = access(slash ? directory : ".", W_OK | X_OK) == 0;
	if (!can)
		cli_say("--export: '%s' cannot be written: %s; create the directory first, or name "
			"another",
			path, strerror(errno));
	free(directory);
	return can;
}

bool saving_choose(struct comparison *c)
{
	bool json = false;

	for (unsigned i = 0; i < c->args->given_count; i++) {
		const struct cli_given *given = &c->args->given[i];
		struct saving *saving = &c->saving[c->savings];

		if (strcmp(given->option->name, "export") != 0)
			continue;
		if (c->savings == SAVINGS_MAX - 1) {
			cli_say("--export: more than %d files", SAVINGS_MAX - 1);
			return false;
		}
		saving->path = given->value;
		if (!experiment_format_of(given->value, &saving->format)) {
			cli_say("--export: '%s' ends in none of .json, .csv, .md, .svg and .html, "
				"which "
				"tell the format",
				given->value);
			return false;
		}
		if (!can_write(given->value))
			return false;
		json = json || saving->format == EXPORT_JSON;
		c->savings++;
	}
	if (!json && !own_file(c))
		cli_say("no place for the results could be found; name one with -o FILE.json");
	return true;
}

void comparing_save(struct comparison *c, const struct experiment_results *results)
{
	for (size_t i = 0; i < c->savings; i++) {
		const struct saving *saving = &c->saving[i];

		if (experiment_save(c->experiment, results, saving->format, saving->path) ||
			c->save_failed)
			continue;
		c->save_failed = true;
		progress_clear(c);
		cli_say("'%s' could not be written: %s", saving->path, strerror(errno));
	}
}

/* --- progress */

void progress_clear(struct comparison *c)
{
	if (c->progress)
		fputs("\r\033[K", stderr);
	fflush(stderr);
}

static void show_progress(struct comparison *c, const struct experiment_progress *progress)
{
	static const struct style plain = {false, false};
	struct experiment_metric time = {.unit = UNIT_NS};
	char left[32] = "", round[48] = "warm-up";
	char *name = units_escape(experiment_name(c->experiment, progress->slot), &plain);

	units_cut(name, 32, &plain);
	if (progress->round)
		snprintf(round, sizeof(round), "round %u of %u", progress->round, c->plan.rounds);
	if (progress->left_ns >= 1000000000)
		experiment_value(&time, (double)(progress->left_ns / 1000000000 * 1000000000),
			&plain, left, sizeof(left));
	progress_clear(c);
	fprintf(stderr, "%s, run %zu of %zu: %s%s%s%s", round, progress->run, progress->runs, name,
		left[0] ? ", " : "", left, left[0] ? " left" : "");
	fflush(stderr);
	free(name);
}

/* --- hooks: the experiment's context is the measure, which lies in the comparison */

static struct comparison *comparison_of(void *measure)
{
	return (struct comparison *)((char *)measure - offsetof(struct comparison, measure));
}

static void starting(void *measure, const struct experiment_progress *progress)
{
	show_progress(comparison_of(measure), progress);
}

static void round_done(void *measure, const struct experiment *e)
{
	struct experiment_results *results = experiment_evaluate(e);

	comparing_save(comparison_of(measure), results);
	experiment_results_free(results);
}

void comparing_hooks(struct comparison *c, struct experiment_hooks *hooks)
{
	c->progress = isatty(STDERR_FILENO) && !c->measure.output.show;
	hooks->starting = c->progress ? starting : NULL;
	hooks->round_done = round_done;
}

/* --- the end */

static void put_shown(const char *text)
{
	const struct style style = {.utf8 = units_utf8()};
	char *shown = units_escape(text, &style);

	fputs(shown, stdout);
	free(shown);
}

static void put_quoted(const char *word)
{
	char *quoted = shell_quote(word);

	put_shown(quoted);
	free(quoted);
}

static void put_command(const struct comparison *c)
{
	fputs(" --", stdout);
	for (unsigned i = 0; i < c->args->operand_count; i++) {
		putchar(' ');
		put_quoted(c->args->operands[i]);
	}
	putchar('\n');
}

/* The candidate that is worth a look of its own: the best, else one that failed, else the
 * reference. */
static size_t interesting(const struct comparison *c, const struct experiment_results *results)
{
	size_t best = experiment_best(c->experiment, results, 0);

	if (best != c->plan.reference)
		return best;
	for (size_t slot = 0; slot < c->plan.candidates; slot++)
		if (experiment_cell(results, slot, 0)->verdict == VERDICT_FAILED)
			return slot;
	return c->plan.reference;
}

static void put_next(const struct comparison *c, const struct experiment_results *results)
{
	size_t chosen = interesting(c, results);
	const struct candidate *candidate = &c->candidates.candidate[chosen];
	const char *name = candidate->text, *kind = strchr(name, '=');
	const char *colon = strchr(name, ':');

	fputs("next     relock run", stdout);
	if (candidate->file) {
		fputs(" -c ", stdout);
		put_quoted(name);
	} else if (candidate->rules) {
		fputs(" -r ", stdout);
		put_quoted(name);
	} else if (kind && (!colon || kind < colon)) {
		printf(" --set %.*s.policy=", (int)(kind - name), name);
		put_quoted(kind + 1);
	} else if (!candidate->none) {
		fputs(" -p ", stdout);
		put_quoted(name);
	}
	put_command(c);
}

void comparing_print(struct comparison *c, const struct experiment_results *results)
{
	struct style style = {units_utf8(), cli_color(c->args, stdout)};

	experiment_print(c->experiment, results, &style, stdout);
	if (c->savings > 0 && !c->save_failed) {
		fputs("\nsaved   ", stdout);
		for (size_t i = 0; i < c->savings; i++) {
			putchar(' ');
			put_shown(c->saving[i].path);
		}
	}
	putchar('\n');
	put_next(c, results);
}
