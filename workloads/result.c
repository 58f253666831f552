/* Figures, and what is printed of them. */
#include "workloads/workload.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double mean_of(const double *values, size_t from, size_t to)
{
	double sum = 0;

	for (size_t i = from; i < to; i++)
		sum += values[i];
	return to > from ? sum / (double)(to - from) : 0;
}

struct figures figures_of(double *values, size_t count)
{
	struct figures f = {.count = count};
	size_t cut = count / 50;

	if (count == 0)
		return f;
	qsort(values, count, sizeof(*values), by_value);
	f.mean = mean_of(values, 0, count);
	f.trimmed = mean_of(values, cut, count - cut);
	f.min = values[0];
	f.max = values[count - 1];
	f.p50 = count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
	f.p99 = values[(count - 1) * 99 / 100];
	return f;
}

/* --- JSON: keys and texts are the workloads' own, without quotes or backslashes */

static char line[4096];
static size_t used;

static void add(const char *key, const char *value)
{
	int length = snprintf(
		line + used, sizeof(line) - used, "%s\"%s\": %s", used ? ", " : "{", key, value);

	if (length < 0 || used + (size_t)length + 2 >= sizeof(line))
		workload_fail("the result is too long");
	used += (size_t)length;
}

void result_text(const char *key, const char *value)
{
	char quoted[256];

	snprintf(quoted, sizeof(quoted), "\"%s\"", value);
	add(key, quoted);
}

void result_begin(const char *name)
{
	used = 0;
	result_text("workload", name);
}

void result_count(const char *key, uint64_t value)
{
	char text[32];

	snprintf(text, sizeof(text), "%llu", (unsigned long long)value);
	add(key, text);
}

void result_number(const char *key, double value)
{
	char text[32];

	snprintf(text, sizeof(text), "%.10g", value);
	add(key, isfinite(value) ? text : "null");
}

void result_end(void)
{
	if (workload_json)
		printf("%s}\n", line);
	if (fflush(stdout) != 0)
		workload_fail("the result could not be written");
}
