/* Results as files. */
#include "stats/experiment/internal.h"
#include "stats/report/memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *const experiment_extensions[] = {"json", "csv", "md", "svg", "html", NULL};

bool experiment_format_of(const char *path, enum experiment_format *format)
{
	const char *slash = strrchr(path, '/'), *dot = strrchr(path, '.');

	if (!dot || (slash && dot < slash))
		return false;
	for (int i = 0; experiment_extensions[i]; i++)
		if (strcmp(dot + 1, experiment_extensions[i]) == 0) {
			*format = (enum experiment_format)i;
			return true;
		}
	return false;
}

void experiment_write(const struct experiment *e, const struct experiment_results *r,
	enum experiment_format format, FILE *out)
{
	static void (*const write_as[])(
		const struct experiment *, const struct experiment_results *, FILE *) = {
		[EXPORT_JSON] = export_json,
		[EXPORT_CSV] = export_csv,
		[EXPORT_MARKDOWN] = export_markdown,
		[EXPORT_SVG] = export_svg,
		[EXPORT_HTML] = export_html,
	};

	write_as[format](e, r, out);
}

bool experiment_save(const struct experiment *e, const struct experiment_results *r,
	enum experiment_format format, const char *path)
{
	char *part = memory_format("%s.%d.part", path, (int)getpid());
	FILE *out = fopen(part, "we");
	bool done = out != NULL;
	int error = errno;

	if (out) {
		experiment_write(e, r, format, out);
		done = !ferror(out);
		done = fclose(out) == 0 && done;
		done = done && rename(part, path) == 0;
		error = errno;
		if (!done)
			unlink(part);
	}
	free(part);
	errno = error;
	return done;
}
