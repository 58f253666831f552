/* Parts of the text report, for the page. */
#include "stats/report/html.h"

#include "stats/report/memory.h"

void html_part_begin(struct html_part *part, const struct report *r)
{
	*part = (struct html_part){.report = *r};
	part->report.out = memory_stream(&part->text, &part->size);
}

char *html_part_end(struct html_part *part)
{
	fclose(part->report.out);
	return part->text;
}

char *html_part(const struct report *r, void (*print)(const struct report *))
{
	struct html_part part;

	html_part_begin(&part, r);
	print(&part.report);
	return html_part_end(&part);
}
