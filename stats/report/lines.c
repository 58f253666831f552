#include "stats/report/lines.h"

#include "stats/report/memory.h"

#include <stdlib.h>
#include <string.h>

#define LABEL_WIDTH 44

static uint32_t row_kind(const struct view *v, size_t row)
{
	uint32_t subject = v->row[row].subject;

	return v->by == REPORT_BY_CLASS ? v->model->classes.row[subject].kind
					: v->model->locks.row[subject].kind;
}

static bool side_used(const struct view *v, size_t row, enum lock_side side)
{
	struct figures f;

	view_side_figures(v, row, side, &f);
	return f.acquired != 0 || f.failed != 0 || f.counter[COUNT_contended] != 0;
}

static bool sides_shown(const struct view *v, size_t row, enum line_sides sides)
{
	if (sides == SIDES_TOGETHER || !model_is_rwlock(row_kind(v, row)))
		return false;
	return sides == SIDES_INSTEAD ||
	       (side_used(v, row, SIDE_READ) && side_used(v, row, SIDE_WRITE));
}

static void entry_add(struct lines *l, size_t *capacity, uint32_t row, enum line_part part)
{
	l->entry = memory_grow(l->entry, l->count, capacity, sizeof *l->entry);
	l->entry[l->count++] = (struct line_entry){row, part};
}

void lines_new(struct lines *l, const struct view *view, const struct view *classes,
	enum line_sides sides, size_t limit, const struct style *style)
{
	size_t capacity = 0;
	uint32_t row;

	*l = (struct lines){.view = view, .classes = classes, .style = style};
	for (row = 0; row < view->count && row < limit; row++) {
		bool shown = sides_shown(view, row, sides);

		if (!shown || sides == SIDES_BELOW)
			entry_add(l, &capacity, row, PART_ALL);
		if (shown) {
			entry_add(l, &capacity, row, PART_READ);
			entry_add(l, &capacity, row, PART_WRITE);
		}
	}
	if (style && row < view->count)
		entry_add(l, &capacity, row, PART_REST);
}

static void line_free(struct lock_line *line)
{
	free(line->label);
	free(line->rule);
	free(line->policy);
}

void lines_free(struct lines *l)
{
	free(l->entry);
	line_free(&l->line);
	*l = (struct lines){0};
}

static const char *kind_name(uint32_t kind, enum line_part part, bool text)
{
	static const char *const kinds[RLK_KINDS] = {"mutex", "spin", "rwlock", "rwlock"};

	if (part == PART_READ)
		return text ? "read" : "rdlock";
	if (part == PART_WRITE)
		return text ? "write" : "wrlock";
	return kinds[kind];
}

static void sum_rest(const struct view *v, size_t from, struct figures *out)
{
	*out = (struct figures){0};
	for (; from < v->count; from++)
		view_figures_add(v, from, out);
}

static char *shown_label(const struct lines *l, size_t row)
{
	char *whole = view_label(l->view, row), *label;

	if (!l->style)
		return whole;
	label = units_escape(whole, l->style);
	units_cut(label, LABEL_WIDTH, l->style);
	free(whole);
	return label;
}

static void line_rest(struct lines *l, size_t row)
{
	struct lock_line *line = &l->line;
	size_t more = l->view->count - row;
	bool by_class = l->view->by == REPORT_BY_CLASS;

	snprintf(line->rank, sizeof line->rank, "%s", l->style->utf8 ? "…" : "...");
	line->label = memory_format("%zu more %s%s", more, by_class ? "class" : "lock",
		more == 1  ? ""
		: by_class ? "es"
			   : "s");
	line->kind = "";
	sum_rest(l->view, row, &line->figures);
}

static void line_part(struct lines *l, const struct line_entry *entry)
{
	struct lock_line *line = &l->line;
	bool side = entry->part != PART_ALL;

	line->row = &l->view->row[entry->row];
	line->kind = kind_name(row_kind(l->view, entry->row), entry->part, l->style != NULL);
	line->label = side && l->style ? memory_copy("") : shown_label(l, entry->row);
	if (!side)
		view_figures(l->view, entry->row, &line->figures);
	else
		view_side_figures(l->view, entry->row,
			entry->part == PART_READ ? SIDE_READ : SIDE_WRITE, &line->figures);
	if (!side)
		snprintf(line->rank, sizeof line->rank, "%u", entry->row + 1);
}

const void *lines_row(void *context, size_t index)
{
	struct lines *l = context;
	const struct line_entry *entry = &l->entry[index];
	uint64_t total = l->view->model->total.counter[COUNT_wait_total];

	line_free(&l->line);
	l->line = (struct lock_line){.view = l->view, .classes = l->classes};
	if (entry->part == PART_REST)
		line_rest(l, entry->row);
	else
		line_part(l, entry);
	if (total > 0)
		l->line.share = (double)l->line.figures.counter[COUNT_wait_total] / (double)total;
	return &l->line;
}
