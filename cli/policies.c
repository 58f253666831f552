/* relock policies: what there is to choose from. */
#include "cli/cli.h"
#include "conf/conf.h"
#include "policies/policy.h"

#include <string.h>

#define WIDTH 100
#define NAMES_MAX 64

static void value_text(enum tunable_id id, uint64_t value, char *out, size_t size)
{
	switch (tunable_table[id].kind) {
	case TUNABLE_DURATION:
		conf_format_duration(value, out, size);
		break;
	case TUNABLE_HINT:
		snprintf(out, size, "%s", arch_hint_name((enum arch_hint)value));
		break;
	case TUNABLE_COUNT:
		snprintf(out, size, "%llu", (unsigned long long)value);
		break;
	}
}

/* "spins=15,hint=default", or "" */
static void defaults_text(const struct policy *policy, char *out, size_t size)
{
	char value[64];
	size_t used = 0;

	out[0] = '\0';
	for (int id = 0; id < TUNABLE_IDS && used < size; id++) {
		if (!(policy->uses & TUNES(id)))
			continue;
		value_text(id, tunable_get(&policy->defaults, id), value, sizeof(value));
		used += (size_t)snprintf(out + used, size - used, "%s%s=%s", used ? "," : "",
			tunable_table[id].name, value);
	}
}

static unsigned name_width(void)
{
	size_t width = 0;

	for (const struct policy *const *p = policy_registry; *p; p++)
		if (strlen((*p)->name) > width)
			width = strlen((*p)->name);
	return (unsigned)width + 2;
}

static void print_hints(void)
{
	char text[256];
	size_t used = 0;

	for (int hint = 0; hint < HINT_COUNT; hint++)
		if (arch_hint_available(hint) && used < sizeof(text))
			used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s",
				used ? ", " : "", arch_hint_name(hint));
	printf("\npause hints of this processor: %s\n", text);
}

static int print_all(void)
{
	unsigned width = name_width();
	char text[256];

	for (const struct policy *const *p = policy_registry; *p; p++) {
		printf("%-*s", (int)width, (*p)->name);
		cli_fold(stdout, (*p)->summary, width, WIDTH, true);
		defaults_text(*p, text, sizeof(text));
		if (text[0])
			printf("%*s%s\n", (int)width, "", text);
	}
	print_hints();
	puts("next    relock policies NAME");
	return 0;
}

static void print_tunable(const struct policy *policy, enum tunable_id id)
{
	const struct tunable *tunable = &tunable_table[id];
	char initial[64], min[64], max[64];

	value_text(id, tunable_get(&policy->defaults, id), initial, sizeof(initial));
	printf("\n  %s, default %s", tunable->name, initial);
	if (tunable->kind != TUNABLE_HINT) {
		value_text(id, tunable->min, min, sizeof(min));
		value_text(id, tunable->max, max, sizeof(max));
		printf(", from %s to %s", min, max);
	}
	putchar('\n');
	cli_fold(stdout, tunable->help, 6, WIDTH, false);
	printf("      -p %s:%s=%s\n", policy->name, tunable->name, initial);
	for (size_t i = 0; i < conf_table_size; i++) {
		const struct conf_option *option = &conf_table[i];

		if (option->type != TYPE_TUNABLE || option->tunable != id)
			continue;
		printf("      [%s] %s = %s    --set %s.%s=%s    %s=%s\n", option->section,
			option->key, initial, option->section, option->key, initial, option->env,
			initial);
	}
}

static int print_one(const struct policy *policy)
{
	char text[256];

	printf("%s: %s\n\n", policy->name, policy->summary);
	cli_fold(stdout, policy->description, 0, WIDTH, false);
	puts("\nsource");
	cli_fold(stdout, policy->source, 2, WIDTH, false);
	puts("\ntunables");
	if (policy->uses == 0)
		puts("  none");
	for (int id = 0; id < TUNABLE_IDS; id++)
		if (policy->uses & TUNES(id))
			print_tunable(policy, id);
	if (policy->uses & TUNES(TUNE_HINT))
		print_hints();
	defaults_text(policy, text, sizeof(text));
	printf("\nnext    relock run -p %s%s%s -- PROG\n", policy->name, text[0] ? ":" : "", text);
	return 0;
}

int policies_main(const struct cli_args *args)
{
	const char *names[NAMES_MAX];
	const char *wanted = args->operands[0];
	const struct policy *policy;
	unsigned count = 0;
	char near[96];

	if (!wanted)
		return print_all();
	policy = policy_find(wanted);
	if (policy)
		return print_one(policy);
	for (; policy_registry[count] && count < NAMES_MAX; count++)
		names[count] = policy_registry[count]->name;
	return cli_fail("there is no policy '%s'%s; 'relock policies' lists them", wanted,
		cli_nearest(wanted, names, count, near, sizeof(near)));
}
