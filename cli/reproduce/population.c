#include "cli/reproduce/population.h"
#include "stats/report/find.h"
#include "stats/report/model.h"

#include <limits.h>
#include <math.h>
#include <unistd.h>

/* Rows that were ever in use: those given back since are part of the population. */
static uint64_t count_records(const struct recording *recording)
{
	const struct rlk_record *row;
	struct rows rows;
	uint64_t count = 0;

	rows_begin(&rows, recording, RLK_RECORDS);
	while ((row = rows_next(&rows)))
		count += row->lock != 0;
	return count;
}

static void add_file(struct model *model, const char *path, struct population *out)
{
	char message[PATH_MAX + 256];
	struct recording *recording = recording_open(path, &model->notes, message, sizeof(message));

	if (recording) {
		out->records += count_records(recording);
		model_add(model, recording);
		recording_close(recording);
	}
	unlink(path);
}

static void add_run(const struct run *run, struct population *out)
{
	const struct rlk_deflation *deflation = &run->header.deflation;
	double longest = (double)clock_ns(&run->clock, deflation->longest);

	out->acquired += run->acquired;
	out->scans += (double)deflation->scans;
	if (deflation->scans && !(out->worst_scan_ns >= longest))
		out->worst_scan_ns = longest;
}

bool population_take(const char *directory, struct population *out)
{
	struct paths paths = find_recordings(directory);
	struct model *model = model_new();
	bool any;

	*out = (struct population){.worst_scan_ns = NAN};
	for (size_t i = 0; i < paths.count; i++)
		add_file(model, paths.path[i], out);
	any = model->runs.count > 0;
	if (any)
		model_finish(model);
	for (size_t i = 0; i < model->runs.count; i++)
		add_run(&model->runs.row[i], out);
	model_free(model);
	find_free(&paths);
	return any;
}
