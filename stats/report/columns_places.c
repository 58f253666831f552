/* Columns of sites and threads. */
#include "stats/report/columns_internal.h"

/* --- sites */

static const struct site_line *site_of(const void *row)
{
	return row;
}

static void get_site_rank(const void *row, uintptr_t unused, struct value *out)
{
	(void)unused;
	put_text(out, site_of(row)->rank);
}

static void get_site_name(const void *row, uintptr_t unused, struct value *out)
{
	(void)unused;
	put_text(out, site_of(row)->label);
}

static void get_site_waits(const void *row, uintptr_t unused, struct value *out)
{
	(void)unused;
	put_count(out, site_of(row)->figures.waits);
}

static void get_site_wait(const void *row, uintptr_t unused, struct value *out)
{
	(void)unused;
	put_ns(out, site_of(row)->figures.wait_ns);
}

static void get_site_max(const void *row, uintptr_t unused, struct value *out)
{
	(void)unused;
	put_ns(out, site_of(row)->figures.max_ns);
}

static void get_site_share(const void *row, uintptr_t unused, struct value *out)
{
	(void)unused;
	*out = (struct value){VALUE_SHARE, .share = site_of(row)->share};
}

static void get_site_caused_waits(const void *row, uintptr_t unused, struct value *out)
{
	(void)unused;
	put_count(out, site_of(row)->figures.caused_waits);
}

static void get_site_caused(const void *row, uintptr_t unused, struct value *out)
{
	(void)unused;
	put_ns(out, site_of(row)->figures.caused_ns);
}

const struct column site_columns[] = {
	{.heading = "#", .get = get_site_rank},
	{.key = "name", .heading = "place", .get = get_site_name, .left = true},
	{.key = "waits", .heading = "waits", .get = get_site_waits},
	{.key = "wait_total_ns", .heading = "waited", .get = get_site_wait},
	{.key = "wait_share", .heading = "", .get = get_site_share, .wide = "of all waiting"},
	{.key = "wait_max_ns", .heading = "max", .get = get_site_max},
	{.key = "caused_waits", .get = get_site_caused_waits},
	{.key = "caused_total_ns", .heading = "made others wait", .get = get_site_caused},
};
const size_t site_columns_count = sizeof site_columns / sizeof site_columns[0];

/* --- threads */

static const struct thread *thread_of(const void *row)
{
	return ((const struct thread_line *)row)->thread;
}

static void get_thread_rank(const void *row, uintptr_t unused, struct value *out)
{
	(void)unused;
	put_text(out, ((const struct thread_line *)row)->rank);
}

static void get_thread_name(const void *row, uintptr_t unused, struct value *out)
{
	(void)unused;
	put_text(out, ((const struct thread_line *)row)->name);
}

/* A thread id is a name that is a number: it is never shortened to "12.3k". */
static void get_thread_tid_text(const void *row, uintptr_t unused, struct value *out)
{
	(void)unused;
	put_text(out, ((const struct thread_line *)row)->tid);
}

static void get_thread_tid(const void *row, uintptr_t unused, struct value *out)
{
	(void)unused;
	put_count(out, (uint64_t)(uint32_t)thread_of(row)->tid);
}

static void get_thread_run(const void *row, uintptr_t unused, struct value *out)
{
	(void)unused;
	put_count(out, thread_of(row)->run);
}

static void get_thread_birth(const void *row, uintptr_t unused, struct value *out)
{
	(void)unused;
	put_ns(out, thread_of(row)->birth_ns);
}

static void get_thread_lifetime(const void *row, uintptr_t unused, struct value *out)
{
	(void)unused;
	put_ns(out, thread_of(row)->lifetime_ns);
}

static void get_thread_ended(const void *row, uintptr_t unused, struct value *out)
{
	(void)unused;
	put_flag(out, thread_of(row)->ended);
}

static void get_thread_acquired(const void *row, uintptr_t unused, struct value *out)
{
	(void)unused;
	put_count(out, thread_of(row)->acquired);
}

static void get_thread_contended(const void *row, uintptr_t unused, struct value *out)
{
	(void)unused;
	put_count(out, thread_of(row)->contended);
}

static void get_thread_contended_share(const void *row, uintptr_t unused, struct value *out)
{
	(void)unused;
	put_share(out, thread_of(row)->contended, thread_of(row)->acquired);
}

static void get_thread_wait(const void *row, uintptr_t unused, struct value *out)
{
	(void)unused;
	put_ns(out, thread_of(row)->wait_ns);
}

static void get_thread_wait_text(const void *row, uintptr_t unused, struct value *out)
{
	if (thread_of(row)->wait_ns > 0)
		get_thread_wait(row, unused, out);
}

static void get_thread_share(const void *row, uintptr_t unused, struct value *out)
{
	(void)unused;
	put_share(out, thread_of(row)->wait_ns, thread_of(row)->lifetime_ns);
}

const struct column thread_columns[] = {
	{.heading = "#", .get = get_thread_rank},
	{.key = "name", .heading = "thread", .get = get_thread_name, .left = true},
	{.heading = "tid", .get = get_thread_tid_text},
	{.key = "tid", .get = get_thread_tid},
	{.key = "recording", .get = get_thread_run},
	{.key = "birth_ns", .get = get_thread_birth},
	{.key = "lifetime_ns", .heading = "lived", .get = get_thread_lifetime},
	{.key = "ended", .get = get_thread_ended},
	{.key = "acquired", .heading = "acquired", .get = get_thread_acquired},
	{.key = "contended", .get = get_thread_contended},
	{.heading = "contended", .get = get_thread_contended_share},
	{.key = "wait_total_ns", .get = get_thread_wait},
	{.heading = "waited", .get = get_thread_wait_text},
	{.key = "wait_share", .heading = "of its time", .get = get_thread_share},
};
const size_t thread_columns_count = sizeof thread_columns / sizeof thread_columns[0];
