#include "stats/report/keys.h"

#include "conf/conf.h"
#include "stats/report/units.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LOCKS (1u << REPORT_BY_LOCK | 1u << REPORT_BY_CLASS)
#define SITES (1u << REPORT_BY_SITE)
#define THREADS (1u << REPORT_BY_THREAD)

/* X(name, tables it sorts, value, help); `f` is a struct figures, `reference` the histograms' clock
 */
#define KEYS(X)                                                                                    \
	X(wait, LOCKS | SITES | THREADS, COUNT(wait_total), "time waited in all")                  \
	X(acquired, LOCKS | THREADS, f->acquired, "acquisitions")                                  \
	X(contended, LOCKS | SITES | THREADS, COUNT(contended), "acquisitions that had to wait")   \
	X(max, LOCKS | SITES, COUNT(wait_max), "longest wait")                                     \
	X(p50, LOCKS, PERCENTILE(OF_WAIT, 0.5), "median wait")                                     \
	X(p99, LOCKS, PERCENTILE(OF_WAIT, 0.99), "wait that 1 % of the waits exceed")              \
	X(hold, LOCKS, f->hold_total_estimated, "time held in all, estimated where sampled")       \
	X(hold_max, LOCKS, COUNT(hold_max), "longest hold")                                        \
	X(cpu, LOCKS, figures_spun_ns(f), "CPU time burnt waiting")                                \
	X(pauses, LOCKS, COUNT(pauses), "pauses while spinning")                                   \
	X(yields, LOCKS, COUNT(yields), "yields while waiting")                                    \
	X(sleeps, LOCKS, COUNT(sleeps), "sleeps while waiting")                                    \
	X(blocks, LOCKS, COUNT(blocks), "native blocking calls while waiting")                     \
	X(failed, LOCKS, f->failed, "tries by the program that found it taken")                    \
	X(timeouts, LOCKS, COUNT(timeouts), "waits that ended without the lock")                   \
	X(cond, LOCKS, COUNT(cond_waits), "condition waits that released it")

#define KEY_ID(name, tables, value, help) KEY_##name,
enum key { KEYS(KEY_ID) KEY_COUNT };

#define KEY_NAME(name, tables, value, help) #name,
const char *const report_key_names[] = {KEYS(KEY_NAME) NULL};

#define KEY_HELP(name, tables, value, help) help,
static const char *const key_help[] = {KEYS(KEY_HELP)};

#define KEY_TABLES(name, tables, value, help) tables,
static const unsigned key_tables[] = {KEYS(KEY_TABLES)};

const char *report_key_help(size_t index)
{
	return index < KEY_COUNT ? key_help[index] : NULL;
}

#define COUNT(name) f->counter[COUNT_##name]
#define PERCENTILE(what, share) figures_percentile_ns(f, what, share, reference)
#define KEY_VALUE(name, tables, value, help)                                                       \
	case KEY_##name:                                                                           \
		return (double)(value);

double keys_value(size_t key, const struct figures *f, const struct clock *reference)
{
	switch ((enum key)key) {
		KEYS(KEY_VALUE)
	case KEY_COUNT:
		break;
	}
	return 0;
}

static void list_keys(enum report_by by, char *out, size_t size)
{
	size_t length = 0;

	out[0] = '\0';
	for (size_t i = 0; i < KEY_COUNT; i++)
		if (key_tables[i] & 1u << by && length < size)
			length += (size_t)snprintf(out + length, size - length, "%s%s",
				length ? ", " : "", report_key_names[i]);
}

bool keys_find(const char *name, enum report_by by, size_t *key, char *message, size_t message_size)
{
	static const struct style ascii;
	char list[256], *shown;
	const char *near;

	for (*key = 0; *key < KEY_COUNT; (*key)++)
		if ((key_tables[*key] & 1u << by) &&
			(!name || strcmp(name, report_key_names[*key]) == 0))
			return true;
	list_keys(by, list, sizeof list);
	near = conf_nearest(name, report_key_names, KEY_COUNT);
	if (near && strcmp(near, name) == 0) /* a key, though of other tables */
		near = NULL;
	shown = units_escape(name, &ascii);
	snprintf(message, message_size,
		"a table by %s cannot be sorted by \"%s\"%s%s%s; it can by %s", report_by_names[by],
		shown, near ? "; did you mean \"" : "", near ? near : "", near ? "\"" : "", list);
	free(shown);
	return false;
}
