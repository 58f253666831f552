/* Edits of a recording. */
#include "tests/fuzz/recording.h"

#include <stdbool.h>
#include <string.h>

void image_scan(struct image *image)
{
	size_t at = RLK_PAGE;

	image->block_count = 0;
	while (at + sizeof(struct rlk_block) <= image->used && image->block_count < IMAGE_BLOCKS) {
		struct rlk_block head;

		memcpy(&head, image->bytes + at, sizeof(head));
		if (head.magic != RLK_BLOCK_MAGIC) {
			at += RLK_PAGE;
			continue;
		}
		image->blocks[image->block_count++] =
			(struct image_block){at, head.type, head.row_size, head.capacity};
		at += head.bytes;
	}
}

/* The block in which the row is, and the row's offset; NULL: there is none of the type. */
static const struct image_block *find_row(
	const struct image *image, uint32_t type, uint64_t which, uint64_t *offset)
{
	uint64_t rows = 0;

	for (size_t i = 0; i < image->block_count; i++)
		if (image->blocks[i].type == type && type != RLK_STRINGS)
			rows += image->blocks[i].capacity;
	if (rows == 0)
		return NULL;
	which %= rows;
	for (size_t i = 0;; i++) {
		const struct image_block *b = &image->blocks[i];

		if (b->type != type)
			continue;
		if (which < b->capacity) {
			*offset = b->offset + sizeof(struct rlk_block) + which * b->row_size;
			return b;
		}
		which -= b->capacity;
	}
}

static uint64_t special(const struct image *image, uint64_t value)
{
	const uint64_t values[] = {0, 1, 2, 3, 63, 64, 255, 0xffff, RLK_PAGE, INT32_MAX, 1ull << 31,
		UINT32_MAX, 1ull << 32, 1ull << 33, 1ull << 40, INT64_MAX, 1ull << 63, UINT64_MAX,
		UINT64_MAX - 1, image->used, image->used - 1, image->file_size,
		image->blocks[value / 64 % image->block_count].offset};

	return values[value % (sizeof(values) / sizeof(values[0]))];
}

static void put(struct image *image, size_t start, size_t size, const struct edit *e)
{
	size_t width = 1u << (e->width & 3), at = (size_t)e->where * 4 % size;
	uint64_t value = 0;

	if (at + width > size)
		width = size - at;
	memcpy(&value, image->bytes + start + at, width);
	switch ((enum edit_how)(e->how % HOWS)) {
	case HOW_ADD:
		value += e->value;
		break;
	case HOW_XOR:
		value ^= e->value;
		break;
	case HOW_SPECIAL:
		value = special(image, e->value);
		break;
	case HOW_SET:
	case HOWS:
		value = e->value;
	}
	memcpy(image->bytes + start + at, &value, width);
}

static void copy_row(struct image *image, const struct edit *e)
{
	uint64_t from, to;
	const struct image_block *b = find_row(image, e->type, e->which, &from);

	if (b && find_row(image, e->type, e->value, &to))
		memcpy(image->bytes + to, image->bytes + from, b->row_size);
}

/* Tells the header where blocks end now. */
static void set_used(struct image *image, uint64_t used)
{
	((struct rlk_header *)image->bytes)->used = used;
	if (image->file_size < used)
		image->file_size = used;
}

static void copy_block(struct image *image, const struct edit *e)
{
	const struct image_block *b = &image->blocks[e->which % image->block_count];
	struct rlk_block head;
	size_t at = image->used;

	memcpy(&head, image->bytes + b->offset, sizeof(head));
	if (head.bytes > image->room - at || b->offset + head.bytes > at)
		return;
	memcpy(image->bytes + at, image->bytes + b->offset, head.bytes);
	head.self = at;
	if (e->how & 1)
		head.first = (uint32_t)e->value;
	if (e->how & 2)
		head.shard = (uint32_t)(e->value >> 32);
	memcpy(image->bytes + at, &head, sizeof(head));
	image->used += head.bytes;
	set_used(image, image->used);
}

/* A block of 2^32 rows that were never written, but for one. */
static void far_row(struct image *image, const struct edit *e)
{
	uint64_t from, row = e->value % UINT32_MAX;
	const struct image_block *b = find_row(image, e->type, e->which, &from);
	struct rlk_block head;

	if (!b || image->far_count == IMAGE_FAR || image->room - image->used < RLK_PAGE)
		return;
	head = (struct rlk_block){.magic = RLK_BLOCK_MAGIC,
		.type = (uint16_t)b->type,
		.row_size = (uint16_t)b->row_size,
		.self = image->used,
		.bytes = ((uint64_t)b->row_size * UINT32_MAX / RLK_PAGE + 2) * RLK_PAGE,
		.capacity = UINT32_MAX,
		.first = e->how & 1 ? UINT32_MAX : 0,
		.shard = e->where};
	memset(image->bytes + image->used, 0, RLK_PAGE);
	memcpy(image->bytes + image->used, &head, sizeof(head));
	image->far[image->far_count].offset = head.self + sizeof(head) + row * head.row_size;
	image->far[image->far_count].size = head.row_size;
	memcpy(image->far[image->far_count++].row, image->bytes + from, head.row_size);
	image->used += RLK_PAGE;
	set_used(image, head.self + head.bytes);
}

void image_edit(struct image *image, const struct edit *e)
{
	const struct image_block *b = &image->blocks[e->which % image->block_count];
	uint64_t at;

	switch ((enum edit_what)(e->what % EDITS)) {
	case EDIT_HEADER:
		put(image, 0, sizeof(struct rlk_header), e);
		return;
	case EDIT_HEAD:
		put(image, b->offset, sizeof(struct rlk_block), e);
		return;
	case EDIT_FIELD:
		b = find_row(image, e->type, e->which, &at);
		if (b)
			put(image, at, b->row_size, e);
		return;
	case EDIT_TEXT: /* the texts come first */
		put(image, image->blocks[0].offset + sizeof(struct rlk_block), 1024, e);
		return;
	case EDIT_ANYWHERE:
		put(image, e->which * 64u % image->used, 64, e);
		return;
	case EDIT_FILL:
		b = find_row(image, e->type, e->which, &at);
		if (b)
			memset(image->bytes + at, (int)e->value, b->row_size);
		return;
	case EDIT_COPY_ROW:
		copy_row(image, e);
		return;
	case EDIT_COPY_BLOCK:
		copy_block(image, e);
		return;
	case EDIT_FAR_ROW:
		far_row(image, e);
		return;
	case EDIT_TRUNCATE:
		image->file_size = e->value % (image->used + 1);
		return;
	case EDIT_EXTEND:
		set_used(image, image->used + e->value % (1ull << 42));
		return;
	case EDITS:
		return;
	}
}
