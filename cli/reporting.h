/*
 * What `run` and `report` have in common: the options of a report.
 */
#ifndef RELOCK_CLI_REPORTING_H
#define RELOCK_CLI_REPORTING_H

#include "cli/cli.h"
#include "stats/report/report.h"

/* False: a message was printed. `out` is where the report goes. */
bool reporting_options(const struct cli_args *args, FILE *out, struct report_options *options);

#endif
