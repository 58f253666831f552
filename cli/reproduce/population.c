#include "cli/reproduce/population.h"
#include "stats/report/find.h"
#include "stats/report/model.h"

#include <limits.h>
#include <math.h>
#include <unistd.h>

static uint64_t count_records(const struct recording *recording)
{
	const struct rlk_record *row;
	struct rows rows;
	uint64_t count = 0;

	rows_begin(&rows, recording, RLK_RECORDS);
	while ((row = rows_next(&rows)))
		count += row->generations != 0 && !(row->flags & RLK_LOCK_IS_CLASS);
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

bool population_take(const char *directory, struct population *out)
{
	struct paths paths = find_recordings(directory);
	struct model *model = model_new();
	bool any;

	*out = (struct population){.scans = NAN, .worst_scan_ns = NAN};
	for (size_t i = 0; i < paths.count; i++)
		add_file(model, paths.path[i], out);
	any = model->runs.count > 0;
	if (any)
		model_finish(model);
	for (size_t i = 0; i < model->runs.count; i++)
		out->acquired += model->runs.row[i].acquired;
	model_free(model);
	find_free(&paths);
	return any;
}
