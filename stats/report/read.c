#include "stats/report/read.h"

#include "stats/report/find.h"
#include "stats/report/memory.h"
#include "stats/report/units.h"

#include <limits.h>
#include <stdlib.h>

void read_complain(FILE *err, const char *sentence)
{
	static const struct style ascii;
	char *shown = units_escape(sentence, &ascii);

	fprintf(err, "relock: %s\n", shown);
	free(shown);
}

static void read_one(struct model *m, const char *path, FILE *err)
{
	char message[PATH_MAX + 256];
	struct recording *recording = recording_open(path, &m->notes, message, sizeof message);

	if (!recording) {
		read_complain(err, message);
		return;
	}
	model_add(m, recording);
	recording_close(recording);
}

void read_path(struct model *m, const char *path, FILE *err)
{
	struct paths found;

	if (!find_is_directory(path)) {
		read_one(m, path, err);
		return;
	}
	found = find_recordings(path);
	for (size_t i = 0; i < found.count; i++)
		read_one(m, found.path[i], err);
	if (found.count == 0) {
		char message[PATH_MAX + 256];

		snprintf(message, sizeof message, "%s: no recording (*.rlk) in this directory",
			path);
		read_complain(err, message);
	}
	find_free(&found);
}
