/* relock report: prints what recordings say. */
#include "cli/reporting.h"

#include <limits.h>
#include <string.h>

/* Position of `value` in a list that the parser has checked it against. */
static int position(const char *const *names, const char *value)
{
	int index = 0;

	while (value && names[index] && strcmp(names[index], value) != 0)
		index++;
	return value ? index : 0;
}

bool reporting_options(const struct cli_args *args, FILE *out, struct report_options *options)
{
	unsigned rows = 0;

	if (!cli_count(args, "rows", 0, 1000000000, &rows))
		return false;
	if (cli_has(args, "rows") && rows == 0)
		rows = REPORT_ROWS_ALL;
	*options = (struct report_options){
		.format = position(report_format_names, cli_value(args, "format")),
		.by = position(report_by_names, cli_value(args, "by")),
		.key = cli_value(args, "key"),
		.rows = rows,
		.stacks = cli_has(args, "stacks"),
		.rules = cli_has(args, "rules"),
		.color = cli_color(args, out) ? REPORT_COLOR_ALWAYS : REPORT_COLOR_NEVER,
	};
	/* A report of nothing says what is wrong with the options, before a program has run for it.
	 */
	return report_run(NULL, 0, options, out, stderr) != REPORT_BAD_OPTION;
}

int report_main(const struct cli_args *args)
{
	struct report_options options;
	char newest[PATH_MAX];
	const char *paths[] = {newest};
	int status;

	if (!reporting_options(args, stdout, &options))
		return CLI_OURS;
	if (args->operand_count > 0) {
		status = report_run((const char *const *)args->operands, args->operand_count,
			&options, stdout, stderr);
		return status == REPORT_OK ? 0 : CLI_OURS;
	}
	if (!report_newest(".", newest, sizeof(newest)))
		return cli_fail("there is no recording (*.rlk) in this directory; make one with "
				"'relock run -- PROG', or name a file or directory");
	status = report_run(paths, 1, &options, stdout, stderr);
	return status == REPORT_OK ? 0 : CLI_OURS;
}
