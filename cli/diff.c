/* relock diff: what moved between two recordings. */
#include "stats/report/diff.h"
#include "cli/reporting.h"

#define THRESHOLD_DEFAULT 0.2

int diff_main(const struct cli_args *args)
{
	struct diff_options options = {.threshold = THRESHOLD_DEFAULT};
	struct report_options shared;

	if (!reporting_options(args, stdout, &shared) ||
		!cli_share(args, "threshold", &options.threshold))
		return CLI_OURS;
	options.format = shared.format;
	options.rows = shared.rows;
	return diff_run(args->operands[0], args->operands[1], &options, stdout, stderr) == REPORT_OK
		       ? 0
		       : CLI_OURS;
}
