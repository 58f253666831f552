/* Columns of locks and classes. */
#include "stats/report/columns_internal.h"
#include "stats/report/rules.h"

#include <inttypes.h>
#include <string.h>

/* --- what only texts show */

static void get_rank(const void *row, uintptr_t unused, struct value *out)
{
	(void)unused;
	put_text(out, line_of(row)->rank);
}

static void get_label(const void *row, uintptr_t unused, struct value *out)
{
	(void)unused;
	put_text(out, line_of(row)->label);
}

static void get_kind(const void *row, uintptr_t unused, struct value *out)
{
	(void)unused;
	put_text(out, line_of(row)->kind);
}

static void get_contended_share(const void *row, uintptr_t unused, struct value *out)
{
	(void)unused;
	put_share(out, counter_of(row, COUNT_contended), line_of(row)->figures.acquired);
}

/* Nothing rather than "0 ns" where there was no wait. */
static void get_wait_text(const void *row, uintptr_t counter, struct value *out)
{
	if (counter_of(row, COUNT_contended) + counter_of(row, COUNT_timeouts) > 0)
		put_ns(out, counter_of(row, (enum counter)counter));
}

/* Percentages that add up to what they should: each is cut where the sum so far rounds to. */
static void get_endings(const void *row, uintptr_t unused, struct value *out)
{
	struct lock_line *line = (struct lock_line *)row;
	const struct figures *f = &line->figures;
#define ENDING(name) f->counter[COUNT_ended_##name],
	const uint64_t part[] = {figures_first(f), RLK_ENDINGS(ENDING)};
	double whole = 0, sum = 0;
	int printed = 0;
	size_t length = 0;

	(void)unused;
	for (size_t i = 0; i < sizeof part / sizeof part[0]; i++)
		whole += (double)part[i];
	if (whole == 0)
		return;
	for (size_t i = 0; i < sizeof part / sizeof part[0]; i++) {
		int upto;

		sum += (double)part[i];
		upto = (int)(sum / whole * 100 + 0.5);
		length += (size_t)snprintf(line->endings + length, sizeof line->endings - length,
			"%s%d", i > 0 ? "/" : "", upto - printed);
		printed = upto;
	}
	put_text(out, line->endings);
}

static void get_bar(const void *row, uintptr_t unused, struct value *out)
{
	(void)unused;
	if (line_of(row)->row)
		*out = (struct value){VALUE_BAR, .share = line_of(row)->share};
}

/* The columns of a text that come after the name. */
#define TEXT_COLUMNS                                                                               \
	{.heading = "kind", .get = get_kind, .left = true},                                        \
		{.heading = "acquired", .get = get_acquired},                                      \
		{.heading = "contended", .get = get_contended_share},                              \
		{.heading = "waited", .get = get_wait_text, .argument = COUNT_wait_total},         \
		{.heading = "p50", .get = get_percentile, .argument = WAIT_AT(500)},               \
		{.heading = "p99", .get = get_percentile, .argument = WAIT_AT(990)},               \
		{.heading = "max", .get = get_wait_text, .argument = COUNT_wait_max},              \
		{.heading = "hold p99", .get = get_percentile, .argument = HOLD_AT(990)},          \
		{.heading = "first/spin/yield/sleep/block", .get = get_endings, .parts = true},    \
	{                                                                                          \
		.heading = "", .get = get_bar, .left = true, .wide = "of all waiting"              \
	}

/* --- what only machine formats have */

static const struct lock *lock_of(const void *row)
{
	const struct lock_line *line = row;

	return &line->view->model->locks.row[line->row->subject];
}

static const struct class *class_of(const void *row)
{
	const struct lock_line *line = row;

	return &line->view->model->classes.row[line->row->subject];
}

static void get_index(const void *row, uintptr_t unused, struct value *out)
{
	(void)unused;
	put_count(out, line_of(row)->row->number);
}

static void get_address(const void *row, uintptr_t unused, struct value *out)
{
	struct lock_line *line = (struct lock_line *)row;

	(void)unused;
	if (lock_of(row)->address == 0)
		return;
	snprintf(line->address, sizeof line->address, "0x%" PRIx64, lock_of(row)->address);
	put_text(out, line->address);
}

static void get_class(const void *row, uintptr_t unused, struct value *out)
{
	const struct lock_line *line = row;

	(void)unused;
	if (line->classes)
		put_count(out, line->classes->class_row[lock_of(row)->class]);
}

static void get_recording(const void *row, uintptr_t unused, struct value *out)
{
	(void)unused;
	put_count(out, lock_of(row)->run);
}

struct flag_name {
	uint32_t flag;
	const char *name;
};

static const struct flag_name flag_names[] = {{RLK_LOCK_SHARED, "shared"},
	{RLK_LOCK_DELEGATED, "delegated"}, {RLK_LOCK_RECURSIVE, "recursive"},
	{RLK_LOCK_ERRORCHECK, "errorcheck"}, {RLK_LOCK_ADAPTIVE, "adaptive"},
	{RLK_LOCK_DESTROYED, "destroyed"}, {RLK_LOCK_ROBUST, "robust"},
	{RLK_LOCK_PI, "priority-inheriting"}, {RLK_LOCK_PP, "priority-ceiling"},
	{RLK_LOCK_REPLACED, "replaced"}};

static void get_flags(const void *row, uintptr_t unused, struct value *out)
{
	struct lock_line *line = (struct lock_line *)row;
	size_t length = 0;

	(void)unused;
	line->flags[0] = '\0';
	for (size_t i = 0; i < sizeof flag_names / sizeof flag_names[0]; i++)
		if (lock_of(row)->flags & flag_names[i].flag)
			length +=
				(size_t)snprintf(line->flags + length, sizeof line->flags - length,
					"%s%s", length ? "|" : "", flag_names[i].name);
	*out = (struct value){VALUE_LIST, .text = line->flags};
}

static void get_generations(const void *row, uintptr_t unused, struct value *out)
{
	(void)unused;
	put_count(out, lock_of(row)->generations);
}

static void get_waiters_max(const void *row, uintptr_t unused, struct value *out)
{
	(void)unused;
	put_count(out, lock_of(row)->waiters_max);
}

static void get_stands_for_many(const void *row, uintptr_t unused, struct value *out)
{
	(void)unused;
	put_flag(out, (lock_of(row)->flags & RLK_LOCK_IS_CLASS) != 0);
}

static void get_rule(const void *row, uintptr_t unused, struct value *out)
{
	struct lock_line *line = (struct lock_line *)row;

	(void)unused;
	if (!line->rule)
		line->rule = rules_match(line->view, (size_t)(line->row - line->view->row));
	put_text(out, line->rule);
}

static void get_rule_policy(const void *row, uintptr_t unused, struct value *out)
{
	struct lock_line *line = (struct lock_line *)row;

	(void)unused;
	if (!line->policy)
		line->policy = rules_policy(line->view->model, lock_of(row));
	put_text(out, line->policy);
}

static void get_birth(const void *row, uintptr_t unused, struct value *out)
{
	static const char *const births[] = {"unknown", "static", "init", "first-use", "unknown"};

	(void)unused;
	put_text(out, births[class_of(row)->birth]);
}

static void get_birth_context(const void *row, uintptr_t unused, struct value *out)
{
	(void)unused;
	if (class_of(row)->context != 0)
		put_count(out, class_of(row)->context);
}

static void get_created(const void *row, uintptr_t unused, struct value *out)
{
	(void)unused;
	put_count(out, line_of(row)->view->lifetimes[line_of(row)->row->number].created);
}

static void get_destroyed(const void *row, uintptr_t unused, struct value *out)
{
	(void)unused;
	put_count(out, line_of(row)->view->lifetimes[line_of(row)->row->number].destroyed);
}

static void get_locks(const void *row, uintptr_t unused, struct value *out)
{
	(void)unused;
	if (line_of(row)->row)
		put_count(out, line_of(row)->row->count);
}

static cJSON *side_tree(const struct lock_line *line, enum lock_side side)
{
	struct lock_line one = {.view = line->view, .row = line->row};
	cJSON *object = cJSON_CreateObject();

	view_side_figures(line->view, (size_t)(line->row - line->view->row), side, &one.figures);
	table_row_json(side_columns, side_columns_count, &one, object);
	return object;
}

static void get_sides(const void *row, uintptr_t unused, struct value *out)
{
	const struct lock_line *line = row;
	cJSON *sides;

	(void)unused;
	if (strcmp(line->kind, "rwlock") != 0)
		return;
	sides = cJSON_CreateObject();
	cJSON_AddItemToObjectCS(sides, "read", side_tree(line, SIDE_READ));
	cJSON_AddItemToObjectCS(sides, "write", side_tree(line, SIDE_WRITE));
	*out = (struct value){VALUE_TREE, .tree = sides};
}

const struct column lock_columns[] = {
	{.heading = "#", .get = get_rank},
	{.heading = "lock", .get = get_label, .left = true},
	TEXT_COLUMNS,
	{.key = "index", .get = get_index},
	{.key = "name", .get = get_label},
	{.key = "address", .get = get_address},
	{.key = "kind", .get = get_kind},
	{.key = "class", .get = get_class},
	{.key = "recording", .get = get_recording},
	{.key = "flags", .get = get_flags},
	{.key = "generations", .get = get_generations},
	{.key = "waiters_max", .get = get_waiters_max},
	{.key = "stands_for_many", .get = get_stands_for_many},
	{.key = "rule", .get = get_rule},
	{.key = "policy", .get = get_rule_policy},
	FIGURE_COLUMNS,
	{.key = "sides", .get = get_sides, .tree = true},
};
const size_t lock_columns_count = sizeof lock_columns / sizeof lock_columns[0];

const struct column class_columns[] = {
	{.heading = "#", .get = get_rank},
	{.heading = "class", .get = get_label, .left = true},
	{.heading = "locks", .get = get_locks},
	TEXT_COLUMNS,
	{.key = "index", .get = get_index},
	{.key = "name", .get = get_label},
	{.key = "kind", .get = get_kind},
	{.key = "birth", .get = get_birth},
	{.key = "context", .get = get_birth_context},
	{.key = "created", .get = get_created},
	{.key = "destroyed", .get = get_destroyed},
	{.key = "locks", .get = get_locks},
	{.key = "rule", .get = get_rule},
	FIGURE_COLUMNS,
	{.key = "sides", .get = get_sides, .tree = true},
};
const size_t class_columns_count = sizeof class_columns / sizeof class_columns[0];
