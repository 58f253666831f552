/*
 * Prints a recording as JSON, row by row, straight from stats/format.h.
 *
 * Purpose: the checkers compare a program's own counts with what the recorder wrote, and must not
 * depend on the report's code for that. So this knows only the format, adds nothing up beyond what
 * is said below, and names nothing.
 *
 * Use: rlkdump FILE. Times are in ns, converted with the header's calibration. A context is printed
 * as the address of its innermost frame, 0 when it is not known. Histograms are printed as their
 * sums.
 */
#include "stats/format.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *base;
static uint64_t size;
static const struct rlk_header *header;
static double ns_per_tick;

static void die(const char *what)
{
	fprintf(stderr, "rlkdump: %s\n", what);
	exit(1);
}

static void map_file(const char *path)
{
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0 || fstat(fd, &st) != 0)
		die("cannot open the recording");
	size = (uint64_t)st.st_size;
	if (size < RLK_PAGE)
		die("shorter than a header");
	base = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);
	if (base == MAP_FAILED)
		die("cannot map the recording");
	close(fd);
	header = (const struct rlk_header *)base;
	if (memcmp(header->magic, RLK_MAGIC, sizeof(header->magic)) != 0)
		die("not a recording");
}

static double measure_tick(void)
{
	const struct rlk_calibration *from = &header->start;
	const struct rlk_calibration *to = &header->latest[header->latest_index & 1];

	if (header->clock == 2)
		return 1.0;
	if (header->end == RLK_EXITED)
		to = &header->finish;
	if (to->ticks <= from->ticks)
		return 0.0;
	return (double)(to->monotonic_ns - from->monotonic_ns) / (double)(to->ticks - from->ticks);
}

static const struct rlk_block *block_at(uint64_t at)
{
	const struct rlk_block *b = (const struct rlk_block *)(base + at);

	if (b->magic != RLK_BLOCK_MAGIC || b->self != at || b->bytes < RLK_PAGE ||
		b->bytes % RLK_PAGE != 0 || b->bytes > size - at || b->row_size == 0 ||
		(uint64_t)b->capacity * b->row_size > b->bytes - sizeof(*b))
		return NULL;
	return b;
}

/* The next block of `type` after `b` (NULL: the first), or NULL. */
static const struct rlk_block *block_next(const struct rlk_block *b, enum rlk_block_type type)
{
	uint64_t end = header->used < size ? header->used : size;
	uint64_t at = b ? b->self + b->bytes : RLK_PAGE;

	while (at + RLK_PAGE <= end) {
		const struct rlk_block *here = block_at(at);

		if (here && here->type == type)
			return here;
		at += here ? here->bytes : RLK_PAGE;
	}
	return NULL;
}

static const void *row_at(const struct rlk_block *b, uint32_t i)
{
	return (const char *)(b + 1) + (uint64_t)i * b->row_size;
}

static const void *global_row(enum rlk_block_type type, uint32_t index)
{
	const struct rlk_block *b = NULL;

	while ((b = block_next(b, type)))
		if (index >= b->first && index - b->first < b->capacity)
			return row_at(b, index - b->first);
	return NULL;
}

static uint64_t context_address(uint32_t context)
{
	const struct rlk_site *site;
	uint32_t index;

	if (context == 0)
		return 0;
	index = RLK_CONTEXT_INDEX(context);
	if (RLK_CONTEXT_IS_STACK(context)) {
		const struct rlk_stack *stack = global_row(RLK_STACKS, index);

		if (!stack || stack->depth == 0)
			return 0;
		index = stack->site[0];
	}
	site = global_row(RLK_SITES, index);
	return site ? site->address : 0;
}

static uint64_t to_ns(uint64_t ticks)
{
	return (uint64_t)((double)ticks * ns_per_tick);
}

static uint64_t hist_sum(const uint64_t *hist)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < RLK_HIST_BUCKETS; i++)
		sum += hist[i];
	return sum;
}

static bool row_first;

static void row_begin(void)
{
	if (!row_first)
		printf(",\n");
	row_first = false;
}

static void print_text(const char *key, struct rlk_text text)
{
	printf(",\"%s\":\"", key);
	if (text.offset <= size && text.length <= size - text.offset)
		for (uint64_t i = 0; i < text.length; i++) {
			unsigned char c = (unsigned char)base[text.offset + i];

			if (c == '"' || c == '\\' || c < ' ')
				printf("\\u%04x", c);
			else
				putchar(c);
		}
	putchar('"');
}

static void print_header(void)
{
	printf("{\"version\":%u,\"pid\":%d,\"ppid\":%d,\"end\":%u,\"clock\":%u,\"holds\":%u,"
	       "\"hold_sample\":%u,\"delegate_all\":%u,\"fast_mutexes\":%u,\"fast_spin\":%u,"
	       "\"used\":%" PRIu64 ",\"capacity\":%" PRIu64 ",\"ns_per_tick\":%.9f",
		header->version, header->pid, header->ppid, header->end, header->clock,
		header->holds, header->hold_sample, header->delegate_all, header->fast_mutexes,
		header->fast_spin, header->used, header->capacity, ns_per_tick);
	print_text("program", header->program);
	print_text("config", header->config);
	print_text("mutex_policy", header->policy[RLK_KIND_MUTEX]);
	printf(",\"lost\":{\"\":0");
#define PRINT_LOSS(name, description) printf(",\"%s\":%" PRIu64, #name, header->lost.name);
	RLK_LOSSES(PRINT_LOSS)
#undef PRINT_LOSS
	printf("},\"deflation\":{\"scans\":%" PRIu64 ",\"folded\":%" PRIu64 ",\"longest\":%" PRIu64
	       "}}",
		header->deflation.scans, header->deflation.folded,
		to_ns(header->deflation.longest));
}

static void print_record(const void *row, const struct rlk_block *b, uint32_t i)
{
	const struct rlk_record *r = row;

	if (r->generations == 0)
		return;
	row_begin();
	printf("{\"index\":%u,\"lock\":%" PRIu64 ",\"class\":%u,\"kind\":%u,\"flags\":%u,"
	       "\"generations\":%u,\"waiters\":%u,\"waiters_max\":%u}",
		b->first + i, r->lock, r->class_index, r->kind, r->flags, r->generations,
		r->waiters, r->waiters_max);
}

static void print_class(const void *row, const struct rlk_block *b, uint32_t i)
{
	const struct rlk_class *c = row;

	if (c->birth == 0)
		return;
	row_begin();
	printf("{\"index\":%u,\"address\":%" PRIu64 ",\"birth\":%u,\"kind\":%u,\"created\":%" PRIu64
	       ",\"destroyed\":%" PRIu64 "}",
		b->first + i, c->address, c->birth, c->kind, c->created, c->destroyed);
}

static void print_thread(const void *row, const struct rlk_block *b, uint32_t i)
{
	const struct rlk_thread *t = row;

	(void)b;
	(void)i;
	if (t->birth_ticks == 0)
		return;
	row_begin();
	printf("{\"tid\":%d,\"shard\":%u,\"birth\":%" PRIu64 ",\"end\":%" PRIu64
	       ",\"before_acquired\":%" PRIu64 ",\"before_contended\":%" PRIu64 "}",
		t->tid, t->shard, t->birth_ticks, t->end_ticks, t->before_acquired,
		t->before_contended);
}

static void print_shard(const void *row, const struct rlk_block *b, uint32_t i)
{
	const struct rlk_shard *s = row;

	(void)b;
	(void)i;
	if (s->state == 0)
		return;
	row_begin();
	printf("{\"index\":%u,\"state\":%u,\"thread\":%u,\"tid\":%d", s->index, s->state, s->thread,
		s->tid);
	printf(",\"move\":[%" PRIu64 ",%" PRIu64 ",%" PRIu64 "]}", s->move.from, s->move.to,
		s->move.acquired);
}

static void print_entry(const void *row, const struct rlk_block *b, uint32_t i)
{
	const struct rlk_entry *e = row;
	bool failed = e->lock & RLK_ENTRY_FAILED;

	(void)i;
	if (e->lock == 0)
		return;
	row_begin();
	printf("[%" PRIu64 ",%u,%u,%u,%" PRIu64 ",%" PRIu64 ",%zu]", e->lock, e->record,
		RLK_ENTRY_KIND(e->state), b->shard, failed ? 0 : e->acquired,
		failed ? e->acquired : 0, (size_t)((const char *)row - base));
}

#define PRINT_count(value) (value)
#define PRINT_ticks(value) to_ns(value)

static void print_cell(const void *row, const struct rlk_block *b, uint32_t i)
{
	const struct rlk_cell *c = row;

	(void)i;
	if (c->record == 0)
		return;
	row_begin();
	printf("{\"record\":%u,\"kind\":%u,\"shard\":%u", c->record, c->kind, b->shard);
#define PRINT_COUNTER(name, unit, description)                                                     \
	printf(",\"%s\":%" PRIu64, #name, (uint64_t)PRINT_##unit(c->name));
	RLK_COUNTERS(PRINT_COUNTER)
#undef PRINT_COUNTER
	printf(",\"wait_hist\":%" PRIu64 ",\"hold_hist\":%" PRIu64 "}", hist_sum(c->wait_hist),
		hist_sum(c->hold_hist));
}

static void print_pair(const void *row, const struct rlk_block *b, uint32_t i)
{
	const struct rlk_pair *p = row;

	(void)i;
	if (p->record == 0)
		return;
	row_begin();
	printf("{\"record\":%u,\"kind\":%u,\"shard\":%u,\"waiter\":%" PRIu64 ",\"holder\":%" PRIu64
	       ",\"count\":%" PRIu64 ",\"wait_total\":%" PRIu64 "}",
		p->record, p->kind, b->shard, context_address(p->waiter),
		context_address(p->holder), p->count, to_ns(p->wait_total));
}

static void print_yield_site(const void *row, const struct rlk_block *b, uint32_t i)
{
	const struct rlk_yield_site *y = row;

	(void)i;
	if (y->kind == 0)
		return;
	row_begin();
	printf("{\"address\":%" PRIu64 ",\"kind\":%u,\"shard\":%u,\"count\":%" PRIu64
	       ",\"asked_ns\":%" PRIu64 "}",
		y->address, y->kind, b->shard, y->count, y->asked_ns);
}

static void print_rows(const char *name, enum rlk_block_type type, size_t row_size,
	void (*print)(const void *row, const struct rlk_block *b, uint32_t i))
{
	const struct rlk_block *b = NULL;

	printf(",\n\"%s\":[", name);
	row_first = true;
	while ((b = block_next(b, type))) {
		if (b->row_size != row_size)
			die("a row has another size than stats/format.h says");
		for (uint32_t i = 0; i < b->capacity; i++)
			print(row_at(b, i), b, i);
	}
	putchar(']');
}

int main(int argc, char **argv)
{
	if (argc != 2)
		die("usage: rlkdump FILE");
	map_file(argv[1]);
	ns_per_tick = measure_tick();
	printf("{\"header\":");
	print_header();
	print_rows("records", RLK_RECORDS, sizeof(struct rlk_record), print_record);
	print_rows("classes", RLK_CLASSES, sizeof(struct rlk_class), print_class);
	print_rows("threads", RLK_THREADS, sizeof(struct rlk_thread), print_thread);
	print_rows("shards", RLK_SHARDS, sizeof(struct rlk_shard), print_shard);
	print_rows("entries", RLK_ENTRIES, sizeof(struct rlk_entry), print_entry);
	print_rows("cells", RLK_CELLS, sizeof(struct rlk_cell), print_cell);
	print_rows("pairs", RLK_PAIRS, sizeof(struct rlk_pair), print_pair);
	print_rows("yield_sites", RLK_YIELD_SITES, sizeof(struct rlk_yield_site), print_yield_site);
	printf("}\n");
	return 0;
}
