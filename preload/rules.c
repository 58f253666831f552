/* Rules per lock: what the recorder asks when it sees the first lock of a class. */
#include "preload/hooks.h"

#include "stats/record/tell.h"

#include <stdio.h>
#include <string.h>

static const char *executable;

static uint32_t choose(enum rlk_kind kind, const char *path, uint64_t offset)
{
	struct lock_birth birth = {
		process_lock_of[kind], path && !*path ? executable : path, offset};

	return (uint32_t)conf_match_lock(&process.conf, &birth);
}

void rules_unknown_locks(void)
{
	static const char line[] =
		"relock: the rules per lock have no effect: no memory to know the locks in\n";

	process.rules = 0;
	tell(line, sizeof(line) - 1);
}

/* Symbols are for the command to look up: here that would need the heap, and time. */
static void say_unresolved(size_t first, size_t count)
{
	char line[CONF_MESSAGE_MAX], where[CONF_PATH_MAX];

	conf_format_lock_rule_origin(&process.conf, first, where, sizeof(where));
	snprintf(line, sizeof(line),
		"relock: %.200s: %zu rule%s left out: 'relock run' looks symbols up, "
		"this "
		"library does not; without the command, give the class\n",
		where, count, count == 1 ? " by symbol is" : "s by symbol are");
	tell(line, strlen(line));
}

lock_rule_chooser *rules_begin(const char *program)
{
	size_t unresolved = 0, first = 0, count = conf_lock_rules(&process.conf);

	executable = program;
	for (size_t i = 0; i < count; i++) {
		const struct lock_rule *rule = conf_lock_rule(&process.conf, i);

		process.rule[i] = &rule->choice;
		if (rule->symbol && unresolved++ == 0)
			first = i;
	}
	if (unresolved)
		say_unresolved(first, unresolved);
	if (count == unresolved || process.delegate_all)
		return NULL;
	process.rules = count;
	return choose;
}
