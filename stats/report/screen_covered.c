/* What of the program's locking the report covers, and what to be wary of. */
#include "stats/report/losses.h"
#include "stats/report/screen.h"

#include <inttypes.h>

#define SLOW_CLOCK_NS 50 /* for one look */

struct coverage {
	size_t locks, delegated;
	size_t shared, priority_inheriting, priority_ceiling, robust,
		other; /* of those delegated */
};

static void cover_lock(struct coverage *c, uint32_t flags)
{
	c->locks++;
	if (!(flags & RLK_LOCK_DELEGATED))
		return;
	c->delegated++;
	if (flags & RLK_LOCK_ROBUST)
		c->robust++;
	else if (flags & RLK_LOCK_PI)
		c->priority_inheriting++;
	else if (flags & RLK_LOCK_PP)
		c->priority_ceiling++;
	else if (flags & RLK_LOCK_SHARED)
		c->shared++;
	else
		c->other++;
}

static void put_reason(const struct report *r, size_t count, const char *what, const char **lead)
{
	if (count == 0)
		return;
	fprintf(r->out, "%s%zu %s", *lead, count, what);
	*lead = ", ";
}

static void put_delegated(const struct report *r, const struct coverage *c)
{
	const char *lead = " (";

	fprintf(r->out, "; %zu left to glibc", c->delegated);
	put_reason(r, c->robust, "robust", &lead);
	put_reason(r, c->priority_inheriting, "priority-inheriting", &lead);
	put_reason(r, c->priority_ceiling, "priority-ceiling", &lead);
	put_reason(r, c->shared, "process-shared", &lead);
	put_reason(r, c->other, "of another kind", &lead);
	fputc(')', r->out);
}

static uint64_t lost_in_all(const struct model *m, enum loss loss)
{
	uint64_t lost = 0;

	for (size_t i = 0; i < m->runs.count; i++)
		lost += loss_of(&m->runs.row[i].header, loss);
	return lost;
}

/* Ends the line that says what was covered; then one line a loss. */
static void put_losses(const struct report *r)
{
	bool any = false;

	for (enum loss loss = 0; loss < LOSSES; loss++)
		any = any || lost_in_all(r->model, loss) > 0;
	fputs(any ? "\n" : "; nothing dropped\n", r->out);
	for (enum loss loss = 0; loss < LOSSES; loss++) {
		uint64_t lost = lost_in_all(r->model, loss);

		if (lost == 0)
			continue;
		screen_margin(r, "in part", false);
		fprintf(r->out, "%" PRIu64 " %s\n", lost, loss_info[loss].description);
	}
}

/* Nothing is lost by it, but locks that people look for are not listed one by one. */
static void put_deflation(const struct report *r)
{
	uint64_t folded = 0, longest = 0;
	char text[32];

	for (size_t i = 0; i < r->model->runs.count; i++) {
		const struct run *run = &r->model->runs.row[i];
		uint64_t ns = clock_ns(&run->clock, run->header.deflation.longest);

		folded += run->header.deflation.folded;
		longest = longest < ns ? ns : longest;
	}
	if (folded == 0)
		return;
	screen_margin(r, "folded", false);
	fprintf(r->out,
		"%" PRIu64
		" idle or destroyed locks into the class they were made as; a look took at most ",
		folded);
	units_duration(longest, false, &r->style, text, sizeof text);
	fprintf(r->out, "%s\n", text);
}

/* Where reading the clock is a system call. */
static void put_slow_clock(const struct report *r)
{
	uint64_t slowest = 0;
	char text[UNITS_MAX];

	for (size_t i = 0; i < r->model->runs.count; i++) {
		const struct run *run = &r->model->runs.row[i];
		uint64_t read = clock_ns(&run->clock, run->header.cost_clock_1024) / 1024;

		if (run->header.clock >= CLOCK_IN_NS && read > slowest)
			slowest = read;
	}
	if (slowest < SLOW_CLOCK_NS)
		return;
	units_duration(slowest, false, &r->style, text, sizeof text);
	screen_margin(r, "clock", false);
	fprintf(r->out,
		"the kernel's, %s a read, for want of a counter of the processor's that can be "
		"trusted; shorter times say little\n",
		text);
}

static void put_warnings(const struct report *r)
{
	for (size_t i = 0; i < r->model->notes.count; i++) {
		screen_margin(r, "warning", true);
		screen_text(r, r->model->notes.text[i]);
		fputc('\n', r->out);
	}
}

static bool any_delegate_all(const struct model *m)
{
	for (size_t i = 0; i < m->runs.count; i++)
		if (m->runs.row[i].header.delegate_all)
			return true;
	return false;
}

void screen_covered(const struct report *r)
{
	const struct model *m = r->model;
	struct coverage c = {0};

	for (size_t i = 0; i < m->locks.count; i++)
		if (!(m->locks.row[i].flags & RLK_LOCK_IS_CLASS))
			cover_lock(&c, m->locks.row[i].flags);
	screen_margin(r, "covered", false);
	fprintf(r->out, "%zu of %zu lock%s", c.locks - c.delegated, c.locks,
		c.locks == 1 ? "" : "s");
	if (c.delegated > 0)
		put_delegated(r, &c);
	put_losses(r);
	put_deflation(r);
	put_slow_clock(r);
	if (any_delegate_all(m)) {
		screen_margin(r, "warning", true);
		fputs("this glibc's mutexes were not recognised, so every lock was left to it\n",
			r->out);
	}
	put_warnings(r);
}
