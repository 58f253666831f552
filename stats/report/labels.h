/*
 * What locks, classes and contexts are called in a report.
 *
 * A static lock is called like its variable ("table_lock", "table[3].lock"), another one like the
 * place it was born at ("DBImpl (db_impl.cc:150)"): the constructor's class, or the function. When
 * that place is only a wrapper ("port::Mutex"), the place that waits for it most is added. Several
 * locks of one class are told apart as "#1", "#2", by time waited.
 *
 * Names are worked out when asked for and kept until labels_free().
 */
#ifndef RELOCK_STATS_REPORT_LABELS_H
#define RELOCK_STATS_REPORT_LABELS_H

#include "stats/report/symbols.h"

struct labels;

struct labels *labels_new(struct model *model, struct symbols *symbols);
void labels_free(struct labels *labels);

const char *labels_class(struct labels *labels, uint32_t class);
/* For free(). */
char *labels_lock(struct labels *labels, uint32_t lock);
/* The headline of a context; "?" when nothing is known. */
const char *labels_context(struct labels *labels, uint32_t context);
/* Of a static class: what the locks in one array have in common, "table[].lock". NULL for others.
 */
const char *labels_family(struct labels *labels, uint32_t class);

#endif
