/* The commands that test advice. */
#include "stats/report/advice.h"
#include "stats/report/memory.h"
#include "stats/report/rules.h"
#include "stats/report/shell.h"

#include "conf/conf.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#define RULE_LONGEST 120 /* longer ones are not typed: the policy is tried on all locks */
#define MOST_WAITING 0.5 /* of all waiting: a policy for all locks shows what it does to these */

/* --- policies */

static bool is_default(const struct policy_choice *choice, const char *pair, size_t length)
{
	for (enum tunable_id id = 0; id < TUNABLE_IDS; id++) {
		const char *name = tunable_table[id].name;

		if (strlen(name) == length && strncmp(name, pair, length) == 0)
			return tunable_get(&choice->tunables, id) ==
			       tunable_get(&choice->policy->defaults, id);
	}
	return false;
}

/* As recorded every tunable is named; those at their defaults need not be. For free(). */
static char *brief_policy(const char *recorded)
{
	struct policy_choice choice;
	struct conf_error error;
	const char *pair, *separator = ":";
	char *text = NULL;
	size_t size;
	FILE *out;

	if (!recorded || !conf_parse_choice(recorded, &choice, &error) ||
		!(out = open_memstream(&text, &size)))
		return shell_quote(recorded ? recorded : "native");
	fputs(choice.policy->name, out);
	for (pair = strchr(recorded, ':'); pair; pair = strchr(pair, ',')) {
		pair++;
		if (is_default(&choice, pair, strcspn(pair, "=,")))
			continue;
		fprintf(out, "%s%.*s", separator, (int)strcspn(pair, ","), pair);
		separator = ",";
	}
	fclose(out);
	return text;
}

static bool policies_differ(const struct run *run)
{
	for (unsigned kind = 1; kind < RLK_KINDS; kind++)
		if (!run->policy[kind] || !run->policy[0] ||
			strcmp(run->policy[kind], run->policy[0]) != 0)
			return true;
	return false;
}

static bool is_policy(const char *brief, const char *name)
{
	size_t length = strlen(name);

	return strncmp(brief, name, length) == 0 && (brief[length] == '\0' || brief[length] == ':');
}

/* --- compare */

struct command {
	const struct advices *list;
	const struct advice *advice;
	const struct run *run;
	uint32_t kind;
	const char *prefix; /* "mutex=" where kinds of locks wait differently */
	char *reference;
	char *rule; /* what selects the locks; NULL: try it on all */
	FILE *out;
};

static void candidate(struct command *c, const char *policy)
{
	char *word, *quoted;

	if (strcmp(policy, c->reference) == 0)
		return;
	if (!c->rule) {
		fprintf(c->out, " -p %s%s", c->prefix, policy);
		return;
	}
	word = memory_format("%s=%s", c->rule, policy);
	quoted = shell_quote(word);
	fprintf(c->out, " -r %s", quoted);
	free(quoted);
	free(word);
}

/* 1, 2 or 5 times a power of ten, the nearest. */
static unsigned round_number(double value)
{
	unsigned power = 1;

	while (value >= power * 7.0 && power < 100000000)
		power *= 10;
	return value >= power * 3.2 ? power * 5 : value >= power * 1.4 ? power * 2 : power;
}

/* How long to spin is not known to within a factor of ten, not even the length of a pause. */
static void sweep(struct command *c)
{
	static const unsigned times[] = {1, 5, 20};
	unsigned spins = round_number(c->advice->number[NUMBER_spins]);

	if (!c->rule) {
		fprintf(c->out, " --sweep %sspin-park:spins=%u,%u,%u", c->prefix, spins * times[0],
			spins * times[1], spins * times[2]);
		return;
	}
	for (size_t i = 0; i < sizeof times / sizeof times[0]; i++) {
		char *policy = memory_format("spin-park:spins=%u", spins * times[i]);

		candidate(c, policy);
		free(policy);
	}
}

static void fewer_spins(struct command *c)
{
	struct policy_choice choice;
	struct conf_error error;
	char *policy;

	candidate(c, "native");
	if (!conf_parse_choice(c->reference, &choice, &error) ||
		strcmp(choice.policy->name, "spin-park") != 0 || choice.tunables.spins < 10)
		policy = memory_copy("spin-park");
	else
		policy = memory_format("spin-park:spins=%u", choice.tunables.spins / 10);
	candidate(c, policy);
	free(policy);
}

static void candidates(struct command *c)
{
	switch (c->advice->kind) {
	case ADVICE_VAIN_SPINS:
		fewer_spins(c);
		break;
	case ADVICE_SHORT_HOLDS:
		sweep(c);
		break;
	case ADVICE_DESCHEDULED:
		candidate(c, "native");
		candidate(c, "spin-yield");
		candidate(c, "spin-yield-sleep");
		break;
	case ADVICE_CPU_BURNT:
		candidate(c, "native");
		candidate(c, "spin-park");
		break;
	default:
		candidate(c, "spin-park");
		if (is_policy(c->reference, "spin-park"))
			candidate(c, "native");
	}
}

/* Which locks the policy is tried on. */
static char *rule_for(const struct advices *list, const struct advice *advice)
{
	double all = (double)list->model->total.counter[COUNT_wait_total];
	char *rule;

	if (advice->class_row == NONE || advice->number[NUMBER_wait_total] >= all * MOST_WAITING)
		return NULL;
	rule = rules_match(list->classes, advice->class_row);
	if (rule && strlen(rule) <= RULE_LONGEST)
		return rule;
	free(rule);
	return NULL;
}

/* A server does not end by itself. */
static bool was_ended(const struct run *run)
{
	return run->header.run_valid == 1 && WIFSIGNALED(run->header.run_status) &&
	       (WTERMSIG(run->header.run_status) == SIGTERM ||
		       WTERMSIG(run->header.run_status) == SIGINT ||
		       WTERMSIG(run->header.run_status) == SIGKILL);
}

static char *compare(const struct advices *list, const struct advice *advice)
{
	static const char *const prefixes[RLK_KINDS] = {"mutex=", "spin=", "rwlock=", "rwlock="};
	const struct run *run = &list->model->runs.row[advice->run];
	struct command c = {.list = list, .advice = advice, .run = run, .prefix = ""};
	char *text = NULL;
	size_t size;

	if (advice->class_row != NONE) {
		uint32_t class = list->classes->row[advice->class_row].subject;

		c.kind = list->model->classes.row[class].kind;
		if (policies_differ(run))
			c.prefix = prefixes[c.kind];
	}
	c.out = open_memstream(&text, &size);
	if (!c.out)
		return NULL;
	c.reference = brief_policy(run->policy[c.kind]);
	c.rule = rule_for(list, advice);
	fprintf(c.out, "relock compare -p %s%s", c.prefix, c.reference);
	candidates(&c);
	if (was_ended(run))
		fputs(" --client CLIENT", c.out);
	fprintf(c.out, " -- %s", run->command);
	fclose(c.out);
	free(c.reference);
	free(c.rule);
	return text;
}

/* --- */

bool advice_needs_change(const struct advice *advice)
{
	switch (advice->kind) {
	case ADVICE_BURSTS:
	case ADVICE_CHURN:
	case ADVICE_ONLY_WRITTEN:
	case ADVICE_HOME_MADE:
		return true;
	default:
		return false;
	}
}

static char *on_recording(const char *verb, const struct run *run, const char *more)
{
	char *path = shell_quote(run->path), *text;

	text = memory_format("relock %s %s%s", verb, path, more);
	free(path);
	return text;
}

char *advice_command(const struct advice_words *words, const struct advice *advice)
{
	const struct run *run = &words->list->model->runs.row[advice->run];

	if (advice_needs_change(advice))
		return on_recording("diff", run, " AFTER.rlk");
	if (advice->kind == ADVICE_LONG_HOLDER)
		return on_recording("report --stacks", run, "");
	return run->command && shell_is_words(run->command) ? compare(words->list, advice) : NULL;
}
