#include "stats/record/summary.h"

#include "policies/arch.h"
#include "stats/record/modules.h"
#include "stats/record/recorder.h"
#include "stats/record/tell.h"

#include <stdio.h>
#include <string.h>

#define ROWS_SHOWN 5

struct sums {
	uint64_t acquired, contended, wait, wait_max;
};

struct clock_scale {
	uint64_t ticks, ns; /* so many ticks are so many ns */
};

/* --- adding up */

static void add_entries(const struct rlk_block *block, struct sums *sums, uint32_t records)
{
	const struct rlk_entry *e = block_rows((struct rlk_block *)block);

	for (uint32_t i = 0; i < block->capacity; i++) {
		if (e[i].record && e[i].record <= records && !(e[i].lock & RLK_ENTRY_FAILED))
			sums[e[i].record - 1].acquired += load64(&e[i].acquired);
	}
}

static void add_cells(const struct rlk_block *block, struct sums *sums, uint32_t records)
{
	const struct rlk_cell *c = block_rows((struct rlk_block *)block);

	for (uint32_t i = 0; i < CELL_ROWS; i++) {
		bool there = load32_acquire(&block->touched) & 1u << i;
		uint32_t record = there ? load32(&c[i].record) : 0;
		struct sums *s = &sums[record - 1];

		if (!record || record > records)
			continue;
		s->contended += load64(&c[i].contended);
		s->wait += load64(&c[i].wait_total);
		if (load64(&c[i].wait_max) > s->wait_max)
			s->wait_max = load64(&c[i].wait_max);
	}
}

static void add_blocks(struct sums *sums, uint32_t records)
{
	const struct rlk_block *block = NULL;

	while ((block = arena_next(block))) {
		if (block->type == RLK_ENTRIES)
			add_entries(block, sums, records);
		else if (block->type == RLK_CELLS)
			add_cells(block, sums, records);
	}
}

/* --- telling */

/* A line as snprintf() left it. */
static void tell_line(const char *line, size_t size, int length)
{
	if (length > 0)
		tell(line, (size_t)length < size ? (size_t)length : size - 1);
}

static const char *format_time(
	uint64_t ticks, const struct clock_scale *scale, char *out, size_t size)
{
	static const struct {
		uint64_t ns;
		const char *unit;
	} units[] = {{1000000000, "s"}, {1000000, "ms"}, {1000, "µs"}, {1, "ns"}};
	uint64_t ns = (uint64_t)((unsigned __int128)ticks * scale->ns /
				 (scale->ticks ? scale->ticks : 1));
	unsigned i = 0;

	while (i < 3 && ns < units[i].ns)
		i++;
	if (i == 3)
		snprintf(out, size, "%lu ns", (unsigned long)ns);
	else
		snprintf(out, size, "%lu.%02lu %s", (unsigned long)(ns / units[i].ns),
			(unsigned long)(ns % units[i].ns * 100 / units[i].ns), units[i].unit);
	return out;
}

/* A static lock by its own address, others by the place where they were born. */
static void format_lock(const struct rlk_record *record, char *out, size_t size)
{
	uint64_t born = lock_birth(record);
	const struct rlk_module *module = born ? module_at(born) : NULL;
	const char *path = module ? (const char *)arena_header + module->path.offset : NULL,
		   *slash = path ? strrchr(path, '/') : NULL;

	if (!module)
		snprintf(out, size, "0x%lx", (unsigned long)record->lock);
	else
		snprintf(out, size, "%s+0x%lx",
			slash   ? slash + 1
			: *path ? path
				: "program",
			(unsigned long)(born - module->bias));
}

static void tell_row(
	const struct rlk_record *record, const struct sums *s, const struct clock_scale *scale)
{
	static const char *const kinds[] = {"mutex", "spin", "rwlock", "rwlock"};
	char line[320], name[128], waited[32], longest[32];
	int length;

	format_lock(record, name, sizeof(name));
	length = snprintf(line, sizeof(line),
		"relock:   %-32s %-6s %12lu acquired %10lu contended  waited %s, at most %s\n",
		name, kinds[record->kind % RLK_KINDS], (unsigned long)s->acquired,
		(unsigned long)s->contended, format_time(s->wait, scale, waited, sizeof(waited)),
		format_time(s->wait_max, scale, longest, sizeof(longest)));
	tell_line(line, sizeof(line), length);
}

static void tell_rows(struct sums *sums, uint32_t records, const struct clock_scale *scale)
{
	for (unsigned shown = 0; shown < ROWS_SHOWN; shown++) {
		uint32_t top = 0;

		for (uint32_t i = 1; i < records; i++) {
			if (sums[i].wait > sums[top].wait)
				top = i;
		}
		if (!sums[top].wait)
			return;
		tell_row(lock_row(top), &sums[top], scale);
		sums[top].wait = 0;
	}
}

static void tell_totals(const struct sums *sums, uint32_t records, const struct clock_scale *scale)
{
	struct sums all = {0};
	char line[256], waited[32];
	int length;

	for (uint32_t i = 0; i < records; i++) {
		all.acquired += sums[i].acquired;
		all.contended += sums[i].contended;
		all.wait += sums[i].wait;
	}
	length = snprintf(line, sizeof(line),
		"relock: pid %d: %lu acquisitions, %lu contended, waited %s\n", arena_header->pid,
		(unsigned long)all.acquired, (unsigned long)all.contended,
		format_time(all.wait, scale, waited, sizeof(waited)));
	tell_line(line, sizeof(line), length);
}

void summary_tell(const char *recording)
{
	uint32_t records = lock_records();
	struct sums *sums = private_memory((size_t)records * sizeof(*sums));
	struct clock_scale scale = {arch_ticks() - arena_header->start.ticks,
		arch_monotonic_ns() - arena_header->start.monotonic_ns};
	char line[1200];
	int length;

	if (!sums)
		return;
	add_blocks(sums, records);
	tell_totals(sums, records, &scale);
	tell_rows(sums, records, &scale);
	if (!recording)
		return;
	length = snprintf(line, sizeof(line), "relock: more: relock report %s\n", recording);
	tell_line(line, sizeof(line), length);
}
