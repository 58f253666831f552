#include "tests/unit/report_builder.h"

#include <check.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const size_t row_sizes[] = {
	[RLK_MODULES] = sizeof(struct rlk_module),
	[RLK_THREADS] = sizeof(struct rlk_thread),
	[RLK_SHARDS] = sizeof(struct rlk_shard),
	[RLK_ENTRIES] = sizeof(struct rlk_entry),
	[RLK_CELLS] = sizeof(struct rlk_cell),
	[RLK_PAIRS] = sizeof(struct rlk_pair),
	[RLK_YIELD_SITES] = sizeof(struct rlk_yield_site),
	[RLK_RECORDS] = sizeof(struct rlk_record),
	[RLK_CLASSES] = sizeof(struct rlk_class),
	[RLK_SITES] = sizeof(struct rlk_site),
	[RLK_STACKS] = sizeof(struct rlk_stack),
};

static bool is_global(enum rlk_block_type type)
{
	return type == RLK_MODULES || type == RLK_THREADS || type == RLK_RECORDS ||
	       type == RLK_CLASSES || type == RLK_SITES || type == RLK_STACKS;
}

static void fill_header(struct builder *b)
{
	struct rlk_header *h = &b->header;

	memcpy(h->magic, RLK_MAGIC, sizeof h->magic);
	h->version = RLK_VERSION;
	h->byte_order = RLK_BYTE_ORDER;
	h->word_bits = 64;
	h->clock = 2;
	h->start = (struct rlk_calibration){1000, 1000};
	h->finish = (struct rlk_calibration){1000001000, 1000001000};
	h->end = RLK_EXITED;
	h->cpu_user_ns = 900000000;
	h->cpu_system_ns = 100000000;
	h->pid = 4121;
	h->ppid = 1;
	h->cpus_present = h->cpus_allowed = 4;
	h->holds = 2;
	h->start_realtime_ns = 1700000000000000000u;
	h->program = builder_text(b, "/usr/bin/prog");
	h->command = builder_text(b, "prog --fast");
	h->config =
		builder_text(b, "mutex.policy = native ; default\nrecord.holds = all ; default");
	for (unsigned kind = 0; kind < RLK_KINDS; kind++)
		h->policy[kind] = builder_text(b, "spin-park:spins=100");
}

void builder_begin(struct builder *b)
{
	*b = (struct builder){.rows_per_block = 100};
	b->strings = calloc(1, BUILDER_STRINGS);
	ck_assert_ptr_nonnull(b->strings);
	b->strings_used = sizeof(struct rlk_block);
	fill_header(b);
}

void builder_end(struct builder *b)
{
	for (size_t i = 0; i < b->rows_count; i++)
		free(b->rows[i].bytes);
	free(b->rows);
	free(b->strings);
}

struct rlk_text builder_text(struct builder *b, const char *text)
{
	struct rlk_text where = {RLK_PAGE + b->strings_used, strlen(text)};

	ck_assert(b->strings_used + where.length + 1 <= BUILDER_STRINGS);
	memcpy(b->strings + b->strings_used, text, where.length + 1);
	b->strings_used += where.length + 1;
	return where;
}

static struct builder_rows *rows_of(struct builder *b, enum rlk_block_type type, uint32_t shard)
{
	for (size_t i = 0; i < b->rows_count; i++)
		if (b->rows[i].type == type && b->rows[i].shard == shard)
			return &b->rows[i];
	b->rows = realloc(b->rows, (b->rows_count + 1) * sizeof *b->rows);
	ck_assert_ptr_nonnull(b->rows);
	b->rows[b->rows_count] =
		(struct builder_rows){.type = type, .shard = shard, .row_size = row_sizes[type]};
	return &b->rows[b->rows_count++];
}

void builder_add_many(
	struct builder *b, enum rlk_block_type type, uint32_t shard, const void *rows, size_t count)
{
	struct builder_rows *to = rows_of(b, type, shard);

	if (to->count + count > to->capacity) {
		to->capacity = (to->count + count) * 2;
		to->bytes = realloc(to->bytes, to->capacity * to->row_size);
		ck_assert_ptr_nonnull(to->bytes);
	}
	memcpy(to->bytes + to->count * to->row_size, rows, count * to->row_size);
	to->count += count;
}

uint32_t builder_add(struct builder *b, enum rlk_block_type type, uint32_t shard, const void *row)
{
	builder_add_many(b, type, shard, row, 1);
	return (uint32_t)rows_of(b, type, shard)->count - 1;
}

uint32_t builder_module(struct builder *b, const char *path, uint64_t start, uint64_t end)
{
	struct rlk_module row = {
		.start = start, .end = end, .bias = start, .path = builder_text(b, path)};

	return builder_add(b, RLK_MODULES, 0, &row);
}

uint32_t builder_site(struct builder *b, uint64_t address, uint32_t module_plus_1)
{
	struct rlk_site row = {.address = address, .module = module_plus_1};

	return builder_add(b, RLK_SITES, 0, &row);
}

uint32_t builder_stack(struct builder *b, const uint32_t *sites, uint32_t depth)
{
	struct rlk_stack row = {.depth = depth};

	memcpy(row.site, sites, depth * sizeof *sites);
	return builder_add(b, RLK_STACKS, 0, &row);
}

uint32_t builder_class(struct builder *b, enum rlk_birth birth, enum rlk_kind kind,
	uint64_t address, uint32_t module_plus_1, uint32_t context)
{
	struct rlk_class row = {.address = address,
		.birth = birth,
		.kind = kind,
		.context = context,
		.module = module_plus_1,
		.created = 1};

	return builder_add(b, RLK_CLASSES, 0, &row);
}

uint32_t builder_lock(struct builder *b, uint64_t address, uint32_t class, enum rlk_kind kind)
{
	struct rlk_record row = {
		.lock = address, .class_index = class, .kind = kind, .generations = 1};

	return builder_add(b, RLK_RECORDS, 0, &row);
}

void builder_entry(struct builder *b, uint32_t shard, uint32_t lock, uint64_t address,
	enum rlk_kind kind, uint64_t acquired)
{
	struct rlk_entry row = {
		.lock = address | (kind == RLK_KIND_WRLOCK ? RLK_ENTRY_WRITE_SIDE : 0),
		.acquired = acquired,
		.record = lock + 1,
		.state = (uint16_t)(kind << RLK_ENTRY_KIND_SHIFT)};

	builder_add(b, RLK_ENTRIES, shard + 1, &row);
}

void builder_wait(struct rlk_cell *cell, uint64_t ticks, uint64_t count)
{
	cell->contended += count;
	cell->ended_block += count;
	cell->wait_total += ticks * count;
	if (cell->wait_max < ticks)
		cell->wait_max = ticks;
	cell->wait_hist[rlk_hist_bucket(ticks)] += count;
}

void builder_hold(struct rlk_cell *cell, uint64_t ticks, uint64_t count)
{
	cell->holds += count;
	cell->hold_total += ticks * count;
	if (cell->hold_max < ticks)
		cell->hold_max = ticks;
	cell->hold_hist[rlk_hist_bucket(ticks)] += count;
}

static void put(int fd, const void *bytes, size_t length, uint64_t offset)
{
	ck_assert_int_eq(pwrite(fd, bytes, length, (off_t)offset), (ssize_t)length);
}

static uint64_t pages(uint64_t bytes)
{
	return (bytes + RLK_PAGE - 1) / RLK_PAGE * RLK_PAGE;
}

/* Writes one block at `offset`, returns where the next one goes. */
static uint64_t put_block(const struct builder *b, int fd, uint64_t offset,
	const struct builder_rows *rows, size_t from, size_t count)
{
	struct rlk_block head = {.magic = RLK_BLOCK_MAGIC,
		.type = (uint16_t)rows->type,
		.row_size = (uint16_t)rows->row_size,
		.capacity = (uint32_t)count,
		.shard = rows->shard};

	offset += b->hole_pages * RLK_PAGE;
	head.self = offset;
	head.bytes = pages(sizeof head + count * rows->row_size);
	head.first = is_global(rows->type) ? (uint32_t)from : 0;
	put(fd, &head, sizeof head, offset);
	put(fd, rows->bytes + from * rows->row_size, count * rows->row_size, offset + sizeof head);
	return offset + head.bytes;
}

static uint64_t put_strings(const struct builder *b, int fd)
{
	struct rlk_block *head = (struct rlk_block *)b->strings;

	*head = (struct rlk_block){.magic = RLK_BLOCK_MAGIC,
		.type = RLK_STRINGS,
		.row_size = 1,
		.self = RLK_PAGE,
		.bytes = BUILDER_STRINGS,
		.capacity = BUILDER_STRINGS - sizeof *head};
	put(fd, b->strings, BUILDER_STRINGS, RLK_PAGE);
	return RLK_PAGE + BUILDER_STRINGS;
}

void builder_write(const struct builder *b, const char *path)
{
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	struct rlk_header header = b->header;
	uint64_t offset = put_strings(b, fd);

	ck_assert_int_ge(fd, 0);
	for (size_t i = 0; i < b->rows_count; i++) {
		const struct builder_rows *rows = &b->rows[i];

		for (size_t from = 0; from < rows->count; from += b->rows_per_block) {
			size_t left = rows->count - from;

			offset = put_block(b, fd, offset, rows, from,
				left < b->rows_per_block ? left : b->rows_per_block);
		}
	}
	header.used = offset;
	header.capacity = header.capacity ? header.capacity : 1u << 30;
	put(fd, &header, sizeof header, 0);
	ck_assert_int_eq(ftruncate(fd, (off_t)header.capacity), 0);
	close(fd);
}
