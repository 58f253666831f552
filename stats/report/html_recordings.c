/* Where a page's figures come from: for whom it was sent to. */
#include "stats/report/html.h"

#include "stats/report/memory.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

static void put_fact(const struct report *r, const char *name, const char *text)
{
	if (!text || !*text)
		return;
	fprintf(r->out, "<div><dt>%s</dt><dd>", name);
	html_text(r->out, text);
	fputs("</dd></div>\n", r->out);
}

static void put_start(const struct report *r, uint64_t realtime_ns)
{
	time_t seconds = (time_t)(realtime_ns / 1000000000);
	char text[64] = "";
	struct tm utc;

	if (realtime_ns > 0 && gmtime_r(&seconds, &utc))
		strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S UTC", &utc);
	put_fact(r, "started", text);
}

/* What differs from the defaults. */
static void put_settings(const struct report *r, const char *config)
{
	static const char unchanged[] = " ; default";
	char *copy = memory_copy(config ? config : ""), *rest = copy;

	for (char *line; (line = html_line(&rest));) {
		size_t length = strlen(line), end = sizeof unchanged - 1;

		if (length < end || strcmp(line + length - end, unchanged) != 0)
			put_fact(r, "setting", line);
	}
	free(copy);
}

void html_recordings(const struct report *r)
{
	const struct model *m = r->model;

	fputs("<section><h2>Where this comes from</h2>\n", r->out);
	for (size_t i = 0; i < m->runs.count && i < r->rows; i++) {
		const struct run *run = &m->runs.row[i];

		fputs("<details><summary>", r->out);
		html_text(r->out, run->path);
		fputs("</summary><dl>\n", r->out);
		put_fact(r, "program", run->program);
		put_fact(r, "command", run->command);
		put_fact(r, "host", run->host);
		put_fact(r, "kernel", run->kernel);
		put_fact(r, "libc", run->libc);
		put_start(r, run->header.start_realtime_ns);
		put_settings(r, run->config);
		fputs("</dl></details>\n", r->out);
	}
	if (m->runs.count > r->rows)
		fprintf(r->out, "<p>… %zu more</p>\n", m->runs.count - r->rows);
	fputs("</section>\n", r->out);
}
