/* relock compare: which policy a program should run with, and whether it matters. */
#include "cli/comparing.h"
#include "cli/install.h"
#include "cli/measure.h"
#include "cli/resolve.h"
#include "cli/subject.h"
#include "stats/report/memory.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#define ROUNDS_MIN 1
#define WARMUP_DEFAULT 1
#define WARMUP_MAX 100
#define THRESHOLD_DEFAULT 0.01

/* --- the plan */

static bool read_seed(const struct cli_args *args, uint64_t *seed)
{
	const char *text = cli_value(args, "seed");
	char *end;

	if (!text) {
		/* Short enough to be typed again. */
		if (getrandom(seed, sizeof(*seed), GRND_NONBLOCK) != sizeof(*seed))
			*seed = arch_monotonic_ns();
		*seed %= 1000000;
		return true;
	}
	errno = 0;
	*seed = strtoull(text, &end, 10);
	if (text[0] >= '0' && text[0] <= '9' && !*end && !errno)
		return true;
	cli_say("--seed: '%s' is no number from 0 to 18446744073709551615", text);
	return false;
}

static bool read_numbers(struct comparison *c)
{
	struct experiment_plan *plan = &c->plan;
	unsigned needed = experiment_rounds_needed(c->candidates.count, c->metrics.count);

	plan->rounds = needed > EXPERIMENT_ROUNDS_DEFAULT ? needed : EXPERIMENT_ROUNDS_DEFAULT;
	plan->warmup = WARMUP_DEFAULT;
	plan->threshold = THRESHOLD_DEFAULT;
	if (!cli_count(c->args, "runs", ROUNDS_MIN, EXPERIMENT_ROUNDS_MAX, &plan->rounds) ||
		!cli_count(c->args, "warmup", 0, WARMUP_MAX, &plan->warmup) ||
		!cli_share(c->args, "threshold", &plan->threshold) ||
		!read_seed(c->args, &plan->seed))
		return false;
	if (plan->rounds < needed)
		cli_say("%u rounds are too few to tell every difference from chance among %zu "
			"candidates and %zu metrics; -n %u is the least",
			plan->rounds, c->candidates.count, c->metrics.count, needed);
	return true;
}

static bool read_timeout(const struct cli_args *args, uint64_t *out)
{
	const char *text = cli_value(args, "timeout");

	if (!text || (conf_parse_duration(text, out) && *out > 0))
		return true;
	cli_say("--timeout: '%s' is no duration; write it with a unit, as in --timeout 30s", text);
	return false;
}

static bool read_measure(struct comparison *c)
{
	struct measure *m = &c->measure;

	m->client = cli_value(c->args, "client");
	m->ready = cli_value(c->args, "ready");
	m->input = cli_value(c->args, "input");
	m->any_status = cli_has(c->args, "ignore-status");
	m->output.show = m->client_output.show = cli_has(c->args, "show-output");
	if (m->ready && !m->client) {
		cli_say("--ready tells when a server can be measured; add --client 'COMMAND', "
			"which "
			"measures it");
		return false;
	}
	if (m->input && access(m->input, R_OK) != 0) {
		cli_say("--input: '%s' cannot be read: %s", m->input, strerror(errno));
		return false;
	}
	return read_timeout(c->args, &m->timeout_ns);
}

static bool recording_wanted(const struct candidates *c)
{
	const struct candidate *reference = &c->candidate[c->reference];

	return !reference->none && reference->conf->settings.record;
}

static void name_subject(struct comparison *c)
{
	char *text = memory_copy("");

	for (unsigned i = 0; i < c->args->operand_count; i++) {
		char *longer = memory_format("%s%s%s", text, i ? " " : "", c->args->operands[i]);

		free(text);
		text = longer;
	}
	c->subject = text;
}

static void fill_plan(struct comparison *c)
{
	struct experiment_plan *plan = &c->plan;

	name_subject(c);
	plan->subject = c->subject;
	for (size_t i = 0; i < c->candidates.count; i++)
		c->named[i] = (struct experiment_candidate){
			c->candidates.candidate[i].name, c->candidates.candidate[i].settings};
	plan->candidate = c->named;
	plan->candidates = c->candidates.count;
	plan->reference = c->candidates.reference;
	plan->metric = c->metrics.metric;
	plan->metrics = c->metrics.count;
}

/* --- before the first run */

static bool make_directory(struct measure *m)
{
	char parent[PATH_MAX];

	if (!install_private_directory(true, parent, sizeof(parent))) {
		cli_say("no private directory for recordings could be made below TMPDIR or /tmp");
		return false;
	}
	if ((size_t)snprintf(m->directory, sizeof(m->directory), "%s/compare-XXXXXX", parent) >=
			sizeof(m->directory) ||
		!mkdtemp(m->directory)) {
		cli_say("no directory for recordings could be made in '%s': %s", parent,
			strerror(errno));
		return false;
	}
	return true;
}

/* What of the configurations depends on the program. */
static bool fit_program(struct comparison *c)
{
	for (size_t i = 0; i < c->candidates.count; i++) {
		struct conf *conf = c->candidates.candidate[i].conf;

		if (!subject_respect_sanitizer(&c->program, conf) ||
			!resolve_rules(&c->program, conf))
			return false;
	}
	return true;
}

/* Returns 0 or an exit status, after a message. */
static int prepare(struct comparison *c)
{
	struct measure *m = &c->measure;
	char process[PATH_MAX], library[PATH_MAX];
	int status;

	program_examine(&c->program, c->args->operands[0]);
	status = subject_check(&c->program, cli_has(c->args, "force"));
	if (status)
		return status;
	subject_process(&c->program, process, sizeof(process));
	if (!candidates_load(&c->candidates, c->args, process) ||
		!metrics_choose(&c->metrics, c->args, recording_wanted(&c->candidates)) ||
		!candidates_record(&c->candidates, c->metrics.recording) || !read_numbers(c) ||
		!read_measure(c) || !saving_choose(c) || !fit_program(c) ||
		!subject_library(library, c->preloaded))
		return CLI_OURS;
	fill_plan(c);
	m->program = &c->program;
	m->argv = c->args->operands;
	m->candidates = &c->candidates;
	m->metrics = &c->metrics;
	m->library = c->preloaded;
	subject_run_id(m->run_id, sizeof(m->run_id));
	return make_directory(m) ? 0 : CLI_OURS;
}

/* --- after the last */

static int finish(struct comparison *c)
{
	struct experiment_results *results;
	bool measured = experiment_rounds(c->experiment) > 0;
	size_t reference = c->plan.reference;

	if (experiment_given_up(c->experiment, reference) ||
		experiment_given_up(c->experiment, c->plan.candidates))
		cli_say("the reference '%s' failed %d times in a row, so there is nothing to "
			"compare with",
			c->named[reference].name, EXPERIMENT_GIVE_UP);
	if (!measured && c->measure.watch.interrupted)
		cli_say("stopped before the first run was over; there is nothing to report");
	if (!measured)
		return c->measure.watch.interrupted ? 128 + c->measure.watch.signal : CLI_OURS;
	results = experiment_evaluate(c->experiment);
	comparing_save(c, results);
	comparing_print(c, results);
	experiment_results_free(results);
	if (c->measure.watch.interrupted)
		return 128 + c->measure.watch.signal;
	return experiment_given_up(c->experiment, reference) ? CLI_OURS : 0;
}

int compare_main(const struct cli_args *args)
{
	static struct comparison c;
	struct experiment_hooks hooks = {&c.measure, measure_run, NULL, NULL};
	int status;

	c = (struct comparison){.args = args};
	status = prepare(&c);
	if (status)
		return status;
	if (!watch_begin(&c.measure.watch)) {
		rmdir(c.measure.directory);
		return CLI_OURS;
	}
	c.experiment = experiment_new(&c.plan);
	comparing_hooks(&c, &hooks);
	experiment_run(c.experiment, &hooks);
	progress_clear(&c);
	watch_end(&c.measure.watch);
	rmdir(c.measure.directory);
	status = finish(&c);
	experiment_free(c.experiment);
	candidates_free(&c.candidates);
	metrics_free(&c.metrics);
	capture_free(&c.measure.output);
	capture_free(&c.measure.client_output);
	free(c.subject);
	return status;
}
