/*
 * What tables can be sorted by.
 */
#ifndef RELOCK_STATS_REPORT_KEYS_H
#define RELOCK_STATS_REPORT_KEYS_H

#include "stats/report/figures.h"
#include "stats/report/report.h"

/* Finds a key for a kind of table; NULL is "wait". False: there is none, and `message` says which
 * there are and which one is near. */
bool keys_find(
	const char *name, enum report_by by, size_t *key, char *message, size_t message_size);

/* The value to sort by, the larger the earlier. */
double keys_value(size_t key, const struct figures *figures, const struct clock *reference);

#endif
