/* The columns of a diff, each described once for text, JSON and CSV. */
#include "stats/report/diff_rows.h"

#include <string.h>

static const struct diff_row *row_of(const void *row)
{
	return row;
}

static void put_text(struct value *out, const char *text)
{
	*out = (struct value){VALUE_TEXT, .text = text};
}

static void get_rank(const void *row, uintptr_t unused, struct value *out)
{
	(void)unused;
	put_text(out, row_of(row)->rank);
}

static void get_label(const void *row, uintptr_t unused, struct value *out)
{
	(void)unused;
	put_text(out, row_of(row)->label);
}

static void get_name(const void *row, uintptr_t unused, struct value *out)
{
	(void)unused;
	put_text(out, row_of(row)->name);
}

static void get_kind(const void *row, uintptr_t unused, struct value *out)
{
	(void)unused;
	put_text(out, row_of(row)->kind);
}

static void get_status(const void *row, uintptr_t unused, struct value *out)
{
	const struct diff_row *r = row_of(row);

	(void)unused;
	put_text(out, !r->side[DIFF_A].there ? "new" : !r->side[DIFF_B].there ? "gone" : "both");
}

static void get_moved(const void *row, uintptr_t unused, struct value *out)
{
	static const char *const names[MOVED_KINDS] = {"wait", "contended", "p99", "acquired"};
	struct diff_row *r = (struct diff_row *)row;
	size_t used = 0;

	(void)unused;
	r->list[0] = '\0';
	for (int i = 0; i < MOVED_KINDS; i++)
		if (r->moved[i])
			used += (size_t)snprintf(r->list + used, sizeof r->list - used, "%s%s",
				used ? "|" : "", names[i]);
	*out = (struct value){VALUE_LIST, .text = r->list};
}

/* --- figures; the argument is a member of struct diff_figures and a side */

#define SIDE(member, side) (offsetof(struct diff_figures, member) * DIFF_SIDES + (side))

static bool get_number(const void *row, uintptr_t argument, uint64_t *number)
{
	const struct diff_figures *f = &row_of(row)->side[argument % DIFF_SIDES];

	memcpy(number, (const char *)f + argument / DIFF_SIDES, sizeof *number);
	return f->there;
}

static void get_count(const void *row, uintptr_t argument, struct value *out)
{
	uint64_t number;

	if (get_number(row, argument, &number))
		*out = (struct value){VALUE_COUNT, .number = number};
}

static void get_ns(const void *row, uintptr_t argument, struct value *out)
{
	uint64_t number;

	if (get_number(row, argument, &number))
		*out = (struct value){VALUE_NS, .number = number};
}

static void get_contended_share(const void *row, uintptr_t side, struct value *out)
{
	const struct diff_figures *f = &row_of(row)->side[side];

	if (f->there && f->acquired)
		*out = (struct value){
			VALUE_SHARE, .share = (double)f->contended / (double)f->acquired};
}

/* B to A; the argument is the member. */
static void get_ratio(const void *row, uintptr_t argument, struct value *out)
{
	uint64_t a, b;
	bool there = get_number(row, argument * DIFF_SIDES + DIFF_A, &a);

	there = get_number(row, argument * DIFF_SIDES + DIFF_B, &b) && there;
	if (there && a)
		*out = (struct value){VALUE_SHARE, .share = (double)b / (double)a};
}

/* --- the text's last column: what moved, and how far */

static void put_change(char *out, size_t size, size_t *used, const char *what, double a, double b)
{
	double ratio = a > 0 ? b / a : 0;
	const char *comma = *used ? ", " : "";

	if (*used >= size)
		return;
	if (a <= 0)
		*used += (size_t)snprintf(out + *used, size - *used, "%s%s from none", comma, what);
	else if (ratio >= 2)
		*used += (size_t)snprintf(
			out + *used, size - *used, "%s%s x%.3g", comma, what, ratio);
	else
		*used += (size_t)snprintf(
			out + *used, size - *used, "%s%s %+.0f%%", comma, what, (ratio - 1) * 100);
}

static double share_of(const struct diff_figures *f)
{
	return f->acquired ? (double)f->contended / (double)f->acquired : 0;
}

static void get_change(const void *row, uintptr_t unused, struct value *out)
{
	struct diff_row *r = (struct diff_row *)row;
	const struct diff_figures *a = &r->side[DIFF_A], *b = &r->side[DIFF_B];
	size_t used = 0, size = sizeof r->change;

	(void)unused;
	r->change[0] = '\0';
	if (!a->there || !b->there) {
		put_text(out, a->there ? "gone" : "new");
		return;
	}
	if (r->moved[MOVED_WAIT])
		put_change(
			r->change, size, &used, "waited", (double)a->wait_ns, (double)b->wait_ns);
	if (r->moved[MOVED_CONTENDED])
		put_change(r->change, size, &used, "contended", share_of(a), share_of(b));
	if (r->moved[MOVED_P99])
		put_change(r->change, size, &used, "p99", (double)a->p99_ns, (double)b->p99_ns);
	if (r->moved[MOVED_ACQUIRED])
		put_change(r->change, size, &used, "acquired", (double)a->acquired,
			(double)b->acquired);
	put_text(out, r->change);
}

#define FIGURE(name, unit_key, getter, member)                                                     \
	{.key = name "_a" unit_key, .get = getter, .argument = SIDE(member, DIFF_A)},              \
	{                                                                                          \
		.key = name "_b" unit_key, .get = getter, .argument = SIDE(member, DIFF_B)         \
	}

const struct column diff_columns[] = {
	{.heading = "#", .get = get_rank},
	{.heading = "lock", .get = get_label, .left = true},
	{.key = "name", .get = get_name},
	{.key = "kind", .heading = "kind", .get = get_kind, .left = true},
	{.key = "status", .get = get_status},
	{.key = "moved", .get = get_moved},
	{.heading = "acquired A", .get = get_count, .argument = SIDE(acquired, DIFF_A)},
	{.heading = "B", .get = get_count, .argument = SIDE(acquired, DIFF_B)},
	{.heading = "contended A", .get = get_contended_share, .argument = DIFF_A},
	{.heading = "B", .get = get_contended_share, .argument = DIFF_B},
	{.heading = "waited A", .get = get_ns, .argument = SIDE(wait_ns, DIFF_A)},
	{.heading = "B", .get = get_ns, .argument = SIDE(wait_ns, DIFF_B)},
	{.heading = "p99 A", .get = get_ns, .argument = SIDE(p99_ns, DIFF_A)},
	{.heading = "B", .get = get_ns, .argument = SIDE(p99_ns, DIFF_B)},
	{.heading = "what moved, from A to B", .get = get_change, .left = true},
	FIGURE("acquired", "", get_count, acquired),
	FIGURE("contended", "", get_count, contended),
	FIGURE("wait_total", "_ns", get_ns, wait_ns),
	FIGURE("wait_p99", "_ns", get_ns, p99_ns),
	FIGURE("wait_max", "_ns", get_ns, max_ns),
	{.key = "wait_ratio", .get = get_ratio, .argument = offsetof(struct diff_figures, wait_ns)},
	{.key = "acquired_ratio",
		.get = get_ratio,
		.argument = offsetof(struct diff_figures, acquired)},
};
const size_t diff_columns_count = sizeof diff_columns / sizeof diff_columns[0];
