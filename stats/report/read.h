/*
 * Paths a user gave, as recordings in a model.
 */
#ifndef RELOCK_STATS_REPORT_READ_H
#define RELOCK_STATS_REPORT_READ_H

#include "stats/report/model.h"

#include <stdio.h>

/* Adds a recording, or every *.rlk of a directory. What is wrong is said on `err`;
 * model->runs.count tells what was added. */
void read_path(struct model *model, const char *path, FILE *err);

/* "relock: " and a sentence, which may quote anything. */
void read_complain(FILE *err, const char *sentence);

#endif
