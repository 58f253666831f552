#include "stats/report/blocks.h"

#include "stats/report/memory.h"

#include <errno.h>
#include <inttypes.h>
#include <unistd.h>

static const size_t row_bytes[] = {
	[RLK_STRINGS] = 1,
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
/* 64 GiB: where a file system tells of no holes, a search could go on for ever. */
#define PAGES_IN_VAIN (16ull << 20)
#define TYPES (sizeof row_bytes / sizeof row_bytes[0])

size_t blocks_row_bytes(enum rlk_block_type type)
{
	return type < TYPES && row_bytes[type] ? row_bytes[type] : 1;
}

uint64_t blocks_next_data(const struct recording *r, uint64_t offset)
{
	off_t data = lseek(r->fd, (off_t)offset, SEEK_DATA);

	if (data >= 0)
		return (uint64_t)data;
	return errno == ENXIO ? UINT64_MAX : offset;
}

/* A row type this reader does not know is no damage: its block is stepped over whole. */
static bool rows_plausible(const struct recording *r, const struct rlk_block *head)
{
	if (head->type == 0 || head->type >= TYPES || head->type == RLK_STRINGS)
		return true;
	if (head->row_size >= row_bytes[head->type] && head->row_size % sizeof(uint64_t) == 0)
		return true;
	notes_add(r->notes, "%s: damaged: rows of type %u are said to have %u bytes", r->path,
		head->type, head->row_size);
	return false;
}

/* Whether `head`, which has the magic number, can be a block. Its end may lie beyond a file that
 * was cut short, but not beyond what was handed out. */
static bool block_plausible(
	const struct recording *r, uint64_t offset, const struct rlk_block *head)
{
	uint64_t handed_out = r->header.used > r->size ? r->header.used : r->size;

	if (head->self == offset && head->bytes >= RLK_PAGE && head->bytes % RLK_PAGE == 0 &&
		head->bytes <= handed_out - offset)
		return rows_plausible(r, head);
	notes_add(r->notes, "%s: damaged: a block at offset %" PRIu64 " cannot be right", r->path,
		offset);
	return false;
}

static uint32_t block_capacity(
	const struct recording *r, const struct recording_block *b, const struct rlk_block *head)
{
	uint64_t room;

	if (b->type == RLK_STRINGS || b->row_size == 0 || b->bytes < sizeof *head)
		return 0;
	room = (b->bytes - sizeof *head) / b->row_size;
	if (head->capacity <= room)
		return head->capacity;
	if (b->bytes == head->bytes)
		notes_add(r->notes,
			"%s: damaged: a block at offset %" PRIu64
			" claims more rows than it has room for",
			r->path, b->offset);
	return (uint32_t)room;
}

static void block_add(
	struct recording *r, size_t *capacity, uint64_t offset, const struct rlk_block *head)
{
	struct recording_block *b;

	r->blocks = memory_grow(r->blocks, r->block_count, capacity, sizeof *r->blocks);
	b = &r->blocks[r->block_count++];
	*b = (struct recording_block){.offset = offset,
		.bytes = head->bytes <= r->size - offset ? head->bytes : r->size - offset,
		.first = head->first,
		.shard = head->shard,
		.type = head->type,
		.row_size = head->row_size};
	b->capacity = block_capacity(r, b, head);
}

void blocks_scan(struct recording *r)
{
	uint64_t offset = RLK_PAGE, in_vain = 0;
	size_t capacity = 0;

	while (offset < r->size && r->size - offset >= sizeof(struct rlk_block)) {
		struct rlk_block head;

		if (pread(r->fd, &head, sizeof head, (off_t)offset) != (ssize_t)sizeof head)
			return;
		if (head.magic == RLK_BLOCK_MAGIC && block_plausible(r, offset, &head)) {
			block_add(r, &capacity, offset, &head);
			offset += head.bytes;
			continue;
		}
		if (in_vain++ == PAGES_IN_VAIN) {
			notes_add(r->notes,
				"%s: damaged: too little of it is blocks, so what is behind offset "
				"%" PRIu64 " is left out",
				r->path, offset);
			return;
		}
		offset = blocks_next_data(r, offset + RLK_PAGE);
		if (offset != UINT64_MAX)
			offset -= offset % RLK_PAGE;
	}
}
