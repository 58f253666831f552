/* Columns of who waited for whom, and of home-made waiting. */
#include "stats/report/columns_internal.h"

/* --- pairs */

static const struct pair_line *pair_of(const void *row)
{
	return row;
}

static void get_pair_rank(const void *row, uintptr_t unused, struct value *out)
{
	(void)unused;
	put_text(out, pair_of(row)->rank);
}

static void get_pair_text(const void *row, uintptr_t unused, struct value *out)
{
	(void)unused;
	put_text(out, pair_of(row)->text);
}

static void get_pair_lock_name(const void *row, uintptr_t unused, struct value *out)
{
	(void)unused;
	put_text(out, pair_of(row)->lock);
}

static void get_pair_lock(const void *row, uintptr_t unused, struct value *out)
{
	(void)unused;
	put_count(out, pair_of(row)->pair.lock);
}

static void get_pair_kind(const void *row, uintptr_t unused, struct value *out)
{
	static const char *const kinds[RLK_KINDS] = {"mutex", "spin", "rdlock", "wrlock"};

	(void)unused;
	put_text(out, kinds[pair_of(row)->pair.kind]);
}

static void get_pair_waiter(const void *row, uintptr_t unused, struct value *out)
{
	(void)unused;
	if (pair_of(row)->pair.waiter != 0)
		put_count(out, pair_of(row)->pair.waiter);
}

static void get_pair_holder(const void *row, uintptr_t unused, struct value *out)
{
	(void)unused;
	if (pair_of(row)->pair.holder != 0)
		put_count(out, pair_of(row)->pair.holder);
}

static void get_pair_count(const void *row, uintptr_t unused, struct value *out)
{
	(void)unused;
	put_count(out, pair_of(row)->pair.count);
}

static void get_pair_wait(const void *row, uintptr_t unused, struct value *out)
{
	(void)unused;
	put_ns(out, pair_of(row)->pair.wait_ns);
}

static void get_pair_max(const void *row, uintptr_t unused, struct value *out)
{
	(void)unused;
	put_ns(out, pair_of(row)->pair.max_ns);
}

static void get_pair_share(const void *row, uintptr_t unused, struct value *out)
{
	(void)unused;
	*out = (struct value){VALUE_SHARE, .share = pair_of(row)->share};
}

const struct column pair_columns[] = {
	{.heading = "#", .get = get_pair_rank},
	{.heading = "who waited for whom", .get = get_pair_text, .left = true},
	{.heading = "lock", .get = get_pair_lock_name, .left = true},
	{.key = "lock", .get = get_pair_lock},
	{.key = "kind", .get = get_pair_kind},
	{.key = "waiter", .get = get_pair_waiter},
	{.key = "holder", .get = get_pair_holder},
	{.key = "count", .heading = "waits", .get = get_pair_count},
	{.key = "wait_total_ns", .heading = "waited", .get = get_pair_wait},
	{.key = "wait_share", .heading = "", .get = get_pair_share, .wide = "of all waiting"},
	{.key = "wait_max_ns", .heading = "max", .get = get_pair_max},
};
const size_t pair_columns_count = sizeof pair_columns / sizeof pair_columns[0];

/* --- home-made waiting */

static const struct yield_line *yield_of(const void *row)
{
	return row;
}

static void get_yield_place(const void *row, uintptr_t unused, struct value *out)
{
	(void)unused;
	put_text(out, yield_of(row)->place);
}

static void get_yield_context(const void *row, uintptr_t unused, struct value *out)
{
	(void)unused;
	if (yield_of(row)->site->site != NONE)
		put_count(out, RLK_CONTEXT_SITE(yield_of(row)->site->site));
}

static void get_yield_call(const void *row, uintptr_t unused, struct value *out)
{
	(void)unused;
	put_text(out, yield_of(row)->site->kind == RLK_YIELD_SCHED ? "sched_yield" : "sleep");
}

static void get_yield_count(const void *row, uintptr_t unused, struct value *out)
{
	(void)unused;
	put_count(out, yield_of(row)->site->count);
}

static void get_yield_asked(const void *row, uintptr_t unused, struct value *out)
{
	(void)unused;
	if (yield_of(row)->site->kind == RLK_YIELD_SLEEP)
		put_ns(out, yield_of(row)->site->asked_ns);
}

const struct column yield_columns[] = {
	{.heading = "home-made waiting", .get = get_yield_place, .left = true},
	{.key = "context", .get = get_yield_context},
	{.key = "call", .heading = "call", .get = get_yield_call, .left = true},
	{.key = "count", .heading = "calls", .get = get_yield_count},
	{.key = "asked_ns", .heading = "asked to sleep", .get = get_yield_asked},
};
const size_t yield_columns_count = sizeof yield_columns / sizeof yield_columns[0];
