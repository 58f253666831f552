#include "cli/recorded.h"
#include "stats/report/find.h"
#include "stats/report/model.h"

#include <limits.h>
#include <unistd.h>

static void add_file(struct model *model, const char *path)
{
	char message[PATH_MAX + 256];
	struct recording *recording = recording_open(path, &model->notes, message, sizeof(message));

	if (recording) {
		model_add(model, recording);
		recording_close(recording);
	}
	unlink(path);
}

bool recorded_take(const char *directory, struct recorded *out)
{
	struct paths paths = find_recordings(directory);
	struct model *model = model_new();
	bool any;

	for (size_t i = 0; i < paths.count; i++)
		add_file(model, paths.path[i]);
	any = model->runs.count > 0;
	if (any) {
		model_finish(model);
		*out = (struct recorded){
			.wait_ns = model->total.counter[COUNT_wait_total],
			.wait_p99_ns = figures_percentile_ns(
				&model->total, OF_WAIT, 0.99, &model->reference),
			.wait_max_ns = model->total.counter[COUNT_wait_max],
			.spun_ns = figures_spun_ns(&model->total),
		};
	}
	model_free(model);
	find_free(&paths);
	return any;
}
