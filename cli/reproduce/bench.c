#include "cli/reproduce/bench.h"
#include "cli/cli.h"
#include "cli/install.h"
#include "cli/reproduce/population.h"
#include "cli/subject.h"
#include "conf/conf.h"
#include "stats/report/memory.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define ARGUMENTS_MAX 32
#define INTERRUPTED_GRACE_NS 1000000000u
/* A run that takes so many times as long as it should, and some seconds, is ended. */
#define LATE_FACTOR 10
#define LATE_S 20

/* --- coming up and going down */

static bool make_directory(struct bench *bench)
{
	const char *parent = getenv("TMPDIR");

	snprintf(bench->directory, sizeof(bench->directory), "%s/relock-reproduce-XXXXXX",
		parent && parent[0] == '/' ? parent : "/tmp");
	if (mkdtemp(bench->directory))
		return true;
	cli_say("a directory for recordings could not be made as '%s': %s", bench->directory,
		strerror(errno));
	return false;
}

static unsigned count_cpus(void)
{
	cpu_set_t cpus;

	return sched_getaffinity(0, sizeof(cpus), &cpus) == 0 ? (unsigned)CPU_COUNT(&cpus) : 1;
}

bool bench_begin(struct bench *bench)
{
	char library[PATH_MAX];

	bench->cpus = count_cpus();
	if (!subject_library(library, bench->library) || !make_directory(bench))
		return false;
	if (watch_begin(&bench->watch))
		return true;
	rmdir(bench->directory);
	return false;
}

void bench_end(struct bench *bench)
{
	watch_end(&bench->watch);
	capture_free(&bench->output);
	rmdir(bench->directory);
}

/* --- one run */

struct job {
	struct bench *bench;
	struct trial_outcome *outcome;
	const struct trial *trial;
	struct outcome *all;
	const struct trial_candidate *candidate;
	struct experiment_run *run;
};

static void fail(struct job *job, const char *what, const char *why)
{
	job->run->outcome = RUN_FAILED;
	snprintf(job->run->failure, sizeof(job->run->failure), "%s%s", what, why);
}

static bool confine(unsigned count)
{
	cpu_set_t allowed, wanted;

	if (count == 0)
		return true;
	CPU_ZERO(&wanted);
	if (sched_getaffinity(0, sizeof(allowed), &allowed) != 0)
		return false;
	for (int cpu = 0; cpu < CPU_SETSIZE && count > 0; cpu++)
		if (CPU_ISSET(cpu, &allowed)) {
			CPU_SET(cpu, &wanted);
			count--;
		}
	return sched_setaffinity(0, sizeof(wanted), &wanted) == 0;
}

/* What the caller has set for other programs must not reach into a measurement. */
static void clear_environment(void)
{
	for (char **entry = environ; *entry;) {
		char name[128];

		if (strncmp(*entry, "RELOCK_", 7) != 0) {
			entry++;
			continue;
		}
		snprintf(name, sizeof(name), "%.*s", (int)strcspn(*entry, "="), *entry);
		unsetenv(name);
		entry = environ;
	}
}

static bool set_setting(const char *setting, const char *value)
{
	size_t index = setting ? conf_find(setting) : CONF_NONE;

	if (index == CONF_NONE || !conf_table[index].env)
		return true;
	return setenv(conf_table[index].env, value, 1) == 0;
}

static bool set_settings(const struct trial_setting *setting)
{
	for (; setting->name; setting++) {
		if (!set_setting(setting->name, setting->value))
			return false;
	}
	return true;
}

/* In the child. */
static bool set_environment(void *context)
{
	const struct job *job = context;
	const struct trial_candidate *candidate = job->candidate;
	char output[PATH_MAX + 32];

	clear_environment();
	unsetenv("LD_PRELOAD");
	if (!confine(job->trial->confine))
		return false;
	if (!candidate->policy)
		return true;
	snprintf(output, sizeof(output), "%s/%%e-%%p.rlk", job->bench->directory);
	return setenv("LD_PRELOAD", job->bench->library, 1) == 0 &&
	       setenv("RELOCK_POLICY", candidate->policy, 1) == 0 &&
	       setenv("RELOCK_RECORD", job->trial->recorded ? "on" : "off", 1) == 0 &&
	       setenv("RELOCK_OUTPUT", output, 1) == 0 && set_settings(job->trial->setting) &&
	       set_setting(candidate->setting, candidate->value);
}

/* The words of several texts, split at spaces, after `path`. For free(), words and list. */
static char *make_arguments(const struct job *job, const char *path, char **argv)
{
	const struct trial_length *length =
		job->bench->quick ? &job->trial->quick : &job->trial->full;
	const char *own = job->candidate->arguments;
	char *text = memory_format("%s %s %s --json --seed %llu", job->trial->arguments,
		own ? own : "", length->arguments, (unsigned long long)job->outcome->plan.seed);
	size_t count = 0;
	char *rest;

	argv[count++] = (char *)path;
	for (char *word = strtok_r(text, " ", &rest); word && count + 1 < ARGUMENTS_MAX;
		word = strtok_r(NULL, " ", &rest))
		argv[count++] = word;
	argv[count] = NULL;
	return text;
}

static void read_population(struct job *job, cJSON *result)
{
	const cJSON *acquired = cJSON_GetObjectItem(result, "acquired");
	struct population p;

	if (!population_take(job->bench->directory, &p))
		return;
	cJSON_AddNumberToObject(result, "population", (double)p.records);
	if (!isnan(p.scans))
		cJSON_AddNumberToObject(result, "scans", p.scans);
	if (!isnan(p.worst_scan_ns))
		cJSON_AddNumberToObject(result, "worst_scan_ns", p.worst_scan_ns);
	if (cJSON_IsNumber(acquired))
		cJSON_AddNumberToObject(
			result, "lost", fabs(acquired->valuedouble - (double)p.acquired));
}

/* The figures a workload printed as its one line of JSON. */
static void read_figures(struct job *job)
{
	const char *text = job->bench->output.text ? job->bench->output.text : "";
	const char *start = strchr(text, '{');
	cJSON *result = start ? cJSON_Parse(start) : NULL;

	if (!result) {
		fail(job, "it printed no figures", "");
		return;
	}
	if (job->trial->recorded)
		read_population(job, result);
	for (size_t i = 0; i < job->outcome->metrics; i++) {
		const cJSON *figure = cJSON_GetObjectItem(result, job->trial->metric[i].key);

		if (cJSON_IsNumber(figure))
			job->run->value[i] = figure->valuedouble;
	}
	cJSON_Delete(result);
}

static void judge_end(struct job *job, const struct process *process)
{
	const struct capture *output = &job->bench->output;
	char why[96];

	if (WIFEXITED(process->status) && WEXITSTATUS(process->status) == 0) {
		read_figures(job);
		return;
	}
	if (WIFSIGNALED(process->status))
		snprintf(why, sizeof(why), "signal %d", WTERMSIG(process->status));
	else if (output->used > 0)
		snprintf(why, sizeof(why), "%.*s", (int)strcspn(output->text, "\n"), output->text);
	else
		snprintf(why, sizeof(why), "exit status %d", WEXITSTATUS(process->status));
	fail(job, "", why);
}

/* CPU time that all programs have had since the machine came up, that of other machines on the same
 * hardware included: all of /proc/stat but idle times. */
static double cpu_used_s(void)
{
	unsigned long long ticks[8] = {0};
	FILE *file = fopen("/proc/stat", "re");
	int found = 0;

	if (file) {
		found = fscanf(file, "cpu %llu %llu %llu %llu %llu %llu %llu %llu", &ticks[0],
			&ticks[1], &ticks[2], &ticks[3], &ticks[4], &ticks[5], &ticks[6],
			&ticks[7]);
		fclose(file);
	}
	if (found != 8)
		return NAN;
	return (double)(ticks[0] + ticks[1] + ticks[2] + ticks[5] + ticks[6] + ticks[7]) /
	       (double)sysconf(_SC_CLK_TCK);
}

static double seconds_of(struct timeval time)
{
	return (double)time.tv_sec + (double)time.tv_usec * 1e-6;
}

static void note_others(struct job *job, const struct process *process, double used_s)
{
	double own = seconds_of(process->usage.ru_utime) + seconds_of(process->usage.ru_stime);
	double wall = (double)(process->ended_ns - process->started_ns) * 1e-9;

	if (isnan(used_s))
		return;
	job->outcome->cpu_s += wall * (double)sysconf(_SC_NPROCESSORS_ONLN);
	job->outcome->others_s += fmax(0, used_s - own);
}

static double run_seconds(const struct bench *bench, const struct trial *trial, bool baseline)
{
	const struct trial_length *length = bench->quick ? &trial->quick : &trial->full;

	return baseline ? length->baseline_s : length->other_s;
}

static void run_process(struct job *job, const char *path, char **argv)
{
	struct launch_plan plan = {
		.path = path, .argv = argv, .in = -1, .prepare = set_environment, .context = job};
	double limit_s = LATE_FACTOR * run_seconds(job->bench, job->trial, true) + LATE_S;
	struct process process, *list = &process;
	double used = cpu_used_s();
	enum process_event event;
	int error;

	capture_clear(&job->bench->output);
	error = process_start(&job->bench->watch, &plan, &job->bench->output, &process);
	if (error) {
		fail(job, "it could not be started: ", strerror(error));
		return;
	}
	event = process_wait(
		&job->bench->watch, &list, 1, arch_monotonic_ns() + (uint64_t)(limit_s * 1e9));
	process_stop(&job->bench->watch, &process, SIGTERM,
		event == PROCESS_ENDED ? 0 : INTERRUPTED_GRACE_NS);
	note_others(job, &process, cpu_used_s() - used);
	if (event == PROCESS_INTERRUPTED)
		job->run->outcome = RUN_INTERRUPTED;
	else if (event == PROCESS_LATE)
		fail(job, "it took ten times as long as it should", "");
	else
		judge_end(job, &process);
}

static void measure(void *context, size_t candidate, struct experiment_run *run)
{
	struct job *job = context;
	char path[PATH_MAX], *argv[ARGUMENTS_MAX], *words;
	struct population left;

	if (job->bench->watch.interrupted) {
		run->outcome = RUN_INTERRUPTED;
		return;
	}
	job->candidate = &job->outcome->candidate[candidate];
	job->run = run;
	if (!install_workload(job->trial->workload, path, sizeof(path))) {
		fail(job, "the workload was not found: ", job->trial->workload);
		return;
	}
	words = make_arguments(job, path, argv);
	run_process(job, path, argv);
	free(words);
	if (job->trial->recorded)
		population_take(job->bench->directory, &left);
}

/* --- progress */

static void clear_progress(const struct bench *bench)
{
	if (bench->progress)
		fputs("\r\033[K", stderr);
	fflush(stderr);
}

static void starting(void *context, const struct experiment_progress *progress)
{
	const struct job *job = context;

	if (!job->bench->progress)
		return;
	clear_progress(job->bench);
	fprintf(stderr, "%s, %s, run %zu of %zu: %s", job->all->finding->name, job->trial->name,
		progress->run, progress->runs,
		experiment_name(job->outcome->experiment, progress->slot));
	if (progress->left_ns > 1000000000)
		fprintf(stderr, ", %.0f s left", (double)progress->left_ns * 1e-9);
	fflush(stderr);
}

static void round_done(void *context, const struct experiment *experiment)
{
	struct job *job = context;

	(void)experiment;
	if (!job->bench->round_done)
		return;
	outcome_judge(job->all);
	job->bench->round_done(job->bench->context, job->all);
}

/* --- a trial */

static bool takes_part(const struct bench *bench, const struct trial_candidate *candidate)
{
	return !(bench->quick && candidate->full_only);
}

static unsigned repetitions_of(const struct bench *bench, const struct finding *finding)
{
	if (bench->repetitions)
		return bench->repetitions;
	return bench->quick ? JUDGE_REPETITIONS : finding->repetitions;
}

/* Why a trial cannot be run; false: it can. */
static bool is_impossible(const struct bench *bench, const struct trial *trial, char *reason)
{
	reason[0] = '\0';
	if (trial->cpus_needed > bench->cpus)
		snprintf(reason, JUDGE_REASON, "too few CPUs: %u are needed, %u allowed",
			trial->cpus_needed, bench->cpus);
	for (const struct trial_candidate *c = trial->candidate; c->name && !reason[0]; c++)
		if (c->setting && conf_find(c->setting) == CONF_NONE)
			snprintf(reason, JUDGE_REASON,
				"this recorder has no setting '%s', so there is nothing to compare",
				c->setting);
	return reason[0] != '\0';
}

static void plan_trial(
	const struct bench *bench, struct trial_outcome *t, const char *subject, unsigned rounds)
{
	for (const struct trial_candidate *c = t->trial->candidate; c->name; c++)
		if (takes_part(bench, c)) {
			t->named[t->candidates] = (struct experiment_candidate){c->name, c->policy};
			t->candidate[t->candidates++] = *c;
		}
	t->metrics = trial_metrics(t->trial);
	t->plan = (struct experiment_plan){.subject = subject,
		.candidate = t->named,
		.candidates = t->candidates,
		.metric = t->trial->metric,
		.metrics = t->metrics,
		.rounds = rounds,
		.seed = bench->seed};
}

static void run_trial(struct bench *bench, struct outcome *o, const struct trial *trial)
{
	struct trial_outcome *t = &o->trial[o->trials++];
	struct job job = {.bench = bench, .outcome = t, .trial = trial, .all = o};
	struct experiment_hooks hooks = {&job, measure, starting, round_done};

	t->trial = trial;
	plan_trial(bench, t, trial->what, o->repetitions);
	if (is_impossible(bench, trial, t->reason))
		return;
	if (bench->watch.interrupted) {
		snprintf(t->reason, sizeof(t->reason), "stopped before it was measured");
		return;
	}
	t->experiment = experiment_new(&t->plan);
	experiment_run(t->experiment, &hooks);
	clear_progress(bench);
}

/* --- a finding */

static bool is_wanted(const struct bench *bench, const struct trial *trial)
{
	return !(bench->quick && trial->full_only);
}

double bench_seconds(const struct bench *bench, const struct finding *finding)
{
	char reason[JUDGE_REASON];
	double sum = 0;

	for (const struct trial *t = finding->trial; t->name; t++) {
		double round = 2 * run_seconds(bench, t, true);

		if (!is_wanted(bench, t) || is_impossible(bench, t, reason))
			continue;
		for (const struct trial_candidate *c = t->candidate + 1; c->name; c++)
			round += takes_part(bench, c) ? run_seconds(bench, t, false) : 0;
		sum += round * repetitions_of(bench, finding);
	}
	return sum;
}

struct outcome *bench_run(struct bench *bench, const struct finding *finding)
{
	struct outcome *o = memory_get(1, sizeof(*o));

	o->finding = finding;
	o->repetitions = repetitions_of(bench, finding);
	for (const struct trial *trial = finding->trial; trial->name; trial++)
		if (is_wanted(bench, trial))
			run_trial(bench, o, trial);
	outcome_judge(o);
	return o;
}

void outcome_free(struct outcome *o)
{
	for (size_t i = 0; i < o->trials; i++)
		if (o->trial[i].experiment)
			experiment_free(o->trial[i].experiment);
	free(o);
}
