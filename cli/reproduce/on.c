#include "cli/reproduce/on.h"
#include "cli/subject.h"
#include "stats/report/memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct table {
	const char *name, *title;
	/* The first is the baseline; those from `full_only` on are left out by --quick. */
	const char *const *candidate, *const *full_only;
};

/* Ended by NULL each. */
static const char *const spinning[] = {"spin-sleep", "native", "spin-yield:spins=0",
	"spin-yield:spins=15", "spin-yield:spins=255", NULL};
static const char *const spinning_full[] = {"spin-yield:spins=1", "spin-yield:spins=7",
	"spin-yield:spins=31", "spin-yield:spins=63", "spin-yield:spins=127", NULL};
static const char *const hint[] = {
	"native", "spin-park:spins=125,hint=none", "spin-park:spins=125,hint=default", NULL};
static const char *const hint_full[] = {"spin-park:spins=125,hint=default,hint_count=10", NULL};

static const struct table tables[] = {
	{"spinning", "how long to spin before giving the CPU away (finding 1)", spinning,
		spinning_full},
	{"hint", "spinning with the processor's hint before blocking (finding 3)", hint, hint_full},
};
#define TABLES (sizeof(tables) / sizeof(tables[0]))

/* What compare is handed on as it is, by its own names. */
static const char *const passed[] = {"metric", "higher", "lower", "seed", "timeout"};

static const struct cli_verb *find_compare(void)
{
	const struct cli_verb *verb = cli_verbs;

	while (verb->name && strcmp(verb->name, "compare") != 0)
		verb++;
	return verb;
}

static void give(struct cli_args *to, const char *name, const char *value)
{
	const struct cli_option *option;

	for (unsigned i = 0; (option = cli_option_at(to->verb, i)); i++)
		if (strcmp(option->name, name) == 0 && to->given_count < CLI_GIVEN_MAX)
			to->given[to->given_count++] = (struct cli_given){option, value};
}

static void give_all(struct cli_args *to, const char *name, const char *const *values)
{
	for (; *values; values++)
		give(to, name, *values);
}

static void pass(const struct cli_args *from, struct cli_args *to)
{
	for (unsigned i = 0; i < from->given_count; i++)
		for (size_t j = 0; j < sizeof(passed) / sizeof(passed[0]); j++)
			if (strcmp(from->given[i].option->name, passed[j]) == 0)
				give(to, passed[j], from->given[i].value);
	if (!cli_has(from, "metric"))
		give(to, "metric", "wall,cpu");
	if (cli_has(from, "repetitions"))
		give(to, "runs", cli_value(from, "repetitions"));
	else if (cli_has(from, "quick"))
		give(to, "runs", "8");
}

static int apply(const struct cli_args *from, const struct table *table, const char *directory)
{
	struct cli_args to = {.verb = find_compare(),
		.operands = from->operands,
		.operand_count = from->operand_count};
	char *json = memory_format("%s/on-%s.json", directory, table->name);
	char *markdown = memory_format("%s/on-%s.md", directory, table->name);
	char *drawing = memory_format("%s/on-%s.svg", directory, table->name);
	int status;

	give_all(&to, "policy", table->candidate);
	if (!cli_has(from, "quick"))
		give_all(&to, "policy", table->full_only);
	pass(from, &to);
	give(&to, "export", json);
	give(&to, "export", markdown);
	give(&to, "export", drawing);
	printf("%s%s\n\n", table == tables ? "" : "\n", table->title);
	fflush(stdout);
	status = compare_main(&to);
	free(json);
	free(markdown);
	free(drawing);
	return status;
}

int reproduce_on(const struct cli_args *args)
{
	const char *directory = cli_value(args, "out");
	static struct program program;
	int status;

	if (args->operand_count == 0)
		return cli_fail("--on needs a program; for example: relock reproduce --on -- PROG");
	program_examine(&program, args->operands[0]);
	status = subject_check(&program, false);
	if (status)
		return status;
	if (directory && mkdir(directory, 0777) != 0 && errno != EEXIST)
		return cli_fail(
			"results cannot be written to '%s': %s; name another directory with "
			"--out",
			directory, strerror(errno));
	for (size_t i = 0; i < TABLES && status == 0; i++)
		status = apply(args, &tables[i], directory ? directory : ".");
	return status;
}
