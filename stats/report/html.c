/* The page: its order, and what its parts share. */
#include "stats/report/html.h"

#include "stats/report/memory.h"
#include "stats/report/rules.h"

#include <stdlib.h>
#include <string.h>

/* --- tables */

static void put_lines(const struct report *r, char *text)
{
	for (char *line; (line = html_line(&text));) {
		html_text(r->out, line + strspn(line, " "));
		fputc('\n', r->out);
	}
}

/* As the text has them, which indents frames below "… waits at". */
static void put_stacks(const struct report *r, char *text)
{
	for (char *line; (line = html_line(&text));) {
		size_t indent = strspn(line, " ");

		fprintf(r->out, "%s", indent > 6 ? "    " : "");
		html_text(r->out, line + indent);
		fputc('\n', r->out);
	}
}

static void put_rule(const struct report *r, size_t row)
{
	struct html_part part;
	char *text;

	html_part_begin(&part, r);
	rules_print(&part.report, row);
	text = html_part_end(&part);
	fputs("<p class=\"dim\">", r->out);
	put_lines(r, text);
	fputs("</p>", r->out);
	free(text);
}

void html_details(const struct report *r, const struct stacks *stacks, size_t row, size_t columns)
{
	struct html_part part;
	char *text;

	html_part_begin(&part, r);
	if (stacks)
		stacks_print(stacks, &part.report, row);
	text = html_part_end(&part);
	if (r->options->rules || *text) {
		fprintf(r->out, "<tr class=\"more\"><td></td><td colspan=\"%zu\">", columns - 1);
		if (r->options->rules)
			put_rule(r, row);
		if (*text) {
			fputs("<details><summary>stacks</summary><pre>", r->out);
			put_stacks(r, text);
			fputs("</pre></details>", r->out);
		}
		fputs("</td></tr>\n", r->out);
	}
	free(text);
}

/* --- other parts of the text report */

static void put_paragraph(const struct report *r, void (*print)(const struct report *))
{
	char *text = html_part(r, print);

	fputs("<p>", r->out);
	put_lines(r, text);
	fputs("</p>\n", r->out);
	free(text);
}

static void put_told(
	const struct report *r, const char *title, void (*print)(const struct report *))
{
	char *text = html_part(r, print);

	html_margin_lines(r->out, title, text);
	free(text);
}

static void put_next(const struct report *r)
{
	char *text = html_part(r, screen_next);

	if (*text) {
		text[strcspn(text, "\n")] = '\0';
		fputs("<section><h2>Next</h2>\n<pre><code>", r->out);
		html_text(r->out, text + strnlen(text, SCREEN_MARGIN));
		fputs("</code></pre></section>\n", r->out);
	}
	free(text);
}

/* --- the page */

static void put_header(const struct report *r, const char *subject)
{
	fputs("<header><h1>", r->out);
	html_text(r->out, subject);
	fputs("</h1>\n", r->out);
	put_paragraph(r, screen_ran);
	put_paragraph(r, screen_times);
	put_paragraph(r, screen_waited);
	fputs("</header>\n", r->out);
}

static void put_meanings(const struct report *r)
{
	if (r->view->count == 0 || r->view->by == REPORT_BY_SITE || r->view->by == REPORT_BY_THREAD)
		return;
	fputs("<details><summary>what the columns mean</summary>\n<dl>\n"
	      "<div><dt>contended</dt><dd>acquisitions that had to wait, of all</dd></div>\n"
	      "<div><dt>waited</dt><dd>by all threads together; p50, p99 and max are of single "
	      "waits</dd></div>\n"
	      "<div><dt>hold p99</dt><dd>99 of 100 holds were no longer</dd></div>\n"
	      "<div><dt>first/…</dt><dd>how acquisitions got in, in percent: at the first try, "
	      "while "
	      "spinning, after a yield, after a sleep, after blocking in the kernel</dd></div>\n"
	      "</dl></details>\n",
		r->out);
}

void html_print(struct report *r)
{
	char *subject = html_part(r, screen_subject), *title;

	title = memory_format("%s - relock", subject);
	html_begin(r->out, title);
	free(title);
	put_header(r, subject);
	free(subject);
	fputs("<main>\n", r->out);
	put_told(r, "Advice", screen_advice);
	screen_table(r);
	put_meanings(r);
	screen_pairs(r);
	screen_yields(r);
	put_told(r, "Coverage", screen_covered);
	put_next(r);
	html_recordings(r);
	fputs("</main>\n", r->out);
	html_end(r->out);
}
