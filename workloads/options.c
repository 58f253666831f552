/* Arguments of the workloads. */
#include "workloads/workload.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool workload_json;
uint64_t workload_seed = 1;

static const char *name_of_workload = "workload";

static const struct option common[] = {
	{"seed", OPTION_COUNT, &workload_seed, NULL, "start of the random numbers"},
	{"json", OPTION_FLAG, &workload_json, NULL, "print JSON"},
	{0},
};

void workload_fail(const char *format, ...)
{
	va_list list;

	va_start(list, format);
	fprintf(stderr, "%s: ", name_of_workload);
	vfprintf(stderr, format, list);
	fputc('\n', stderr);
	va_end(list);
	exit(2);
}

static void print_option(const struct option *option)
{
	char initial[32] = "";

	printf("  --%s", option->name);
	if (option->kind == OPTION_COUNT)
		snprintf(initial, sizeof(initial), " (%llu)",
			(unsigned long long)*(const uint64_t *)option->value);
	else if (option->kind == OPTION_SECONDS)
		snprintf(initial, sizeof(initial), " (%g)", *(const double *)option->value);
	else if (option->kind == OPTION_CHOICE)
		snprintf(initial, sizeof(initial), " (%s)",
			option->choices[*(const unsigned *)option->value]);
	for (size_t i = 0; option->choices && option->choices[i]; i++)
		printf("%c%s", i ? '|' : ' ', option->choices[i]);
	printf(": %s%s\n", option->help, initial);
}

static void help(const struct workload *workload)
{
	printf("%s: %s\n", workload->name, workload->summary);
	for (const struct option *option = workload->options; option->name; option++)
		print_option(option);
	for (const struct option *option = common; option->name; option++)
		print_option(option);
	exit(0);
}

static const struct option *find(const struct option *table, const char *name, size_t length)
{
	for (; table->name; table++)
		if (strlen(table->name) == length && strncmp(table->name, name, length) == 0)
			return table;
	return NULL;
}

static void set_count(const struct option *option, const char *text)
{
	char *end;
	unsigned long long value;

	errno = 0;
	value = strtoull(text, &end, 10);
	if (text[0] < '0' || text[0] > '9' || *end || errno)
		workload_fail("--%s: '%s' is no number", option->name, text);
	*(uint64_t *)option->value = value;
}

static void set_seconds(const struct option *option, const char *text)
{
	char *end;
	double value = strtod(text, &end);

	if (end == text || *end || !(value >= 0 && value <= 86400))
		workload_fail("--%s: '%s' is no time in seconds", option->name, text);
	*(double *)option->value = value;
}

static void set_choice(const struct option *option, const char *text)
{
	for (unsigned i = 0; option->choices[i]; i++)
		if (strcmp(option->choices[i], text) == 0) {
			*(unsigned *)option->value = i;
			return;
		}
	workload_fail("--%s: there is no '%s'; --help lists what there is", option->name, text);
}

static void set(const struct option *option, const char *text)
{
	if (!text)
		workload_fail("--%s takes a value", option->name);
	if (option->kind == OPTION_COUNT)
		set_count(option, text);
	else if (option->kind == OPTION_SECONDS)
		set_seconds(option, text);
	else
		set_choice(option, text);
}

void workload_options(const struct workload *workload, int argc, char **argv)
{
	name_of_workload = workload->name;
	/* While there is one thread, which is not confined yet. */
	cpus_allowed();
	for (int i = 1; i < argc; i++) {
		const char *name = argv[i] + 2;
		size_t length = strcspn(argv[i], "=") - 2;
		const struct option *option;

		if (strcmp(argv[i], "--help") == 0)
			help(workload);
		if (strncmp(argv[i], "--", 2) != 0)
			workload_fail("'%s' is no option; --help lists them", argv[i]);
		option = find(workload->options, name, length);
		if (!option)
			option = find(common, name, length);
		if (!option)
			workload_fail("there is no option '%s'; --help lists them", argv[i]);
		if (option->kind == OPTION_FLAG)
			*(bool *)option->value = true;
		else if (name[length])
			set(option, name + length + 1);
		else
			set(option, i + 1 < argc ? argv[++i] : NULL);
	}
}
