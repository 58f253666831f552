#include "stats/record/overflow.h"

#include "stats/record/entry.h"

/* Rows of four pages. More classes than these share the one that collects everything, which has its
 * rows from the start. */
#define ROWS 508

static struct rlk_entry *rows;

static bool claim(struct rlk_entry *e, uint64_t key, uint32_t record, enum rlk_kind kind)
{
	if (!cas64(&e->lock, 0, key) && load64(&e->lock) != key)
		return false;
	store16(&e->state, (uint16_t)(kind << RLK_ENTRY_KIND_SHIFT));
	store32_release(&e->record, record + 1);
	return true;
}

static struct rlk_entry *row_of(uint32_t record, enum rlk_kind kind, uint64_t failed)
{
	uint64_t key = class_key(record, kind) | failed;
	uint32_t at = (uint32_t)(hash64(key) >> 32) % ROWS;

	for (uint32_t step = 0; step < ROWS; step++) {
		struct rlk_entry *e = &rows[at];

		if (load64(&e->lock) == key || (!load64(&e->lock) && claim(e, key, record, kind)))
			return e;
		at = at + 1 < ROWS ? at + 1 : 0;
	}
	return NULL;
}

bool overflow_open(void)
{
	struct rlk_block *block =
		arena_block(RLK_ENTRIES, sizeof(struct rlk_entry), ROWS, 0, 0, true);

	if (!block)
		return false;
	rows = block_rows(block);
	for (unsigned i = 0; i < 4; i++)
		row_of(0, i & 1 ? RLK_KIND_WRLOCK : RLK_KIND_MUTEX, i & 2 ? KEY_FAILED : 0);
	return true;
}

void overflow_count(uint32_t record, enum rlk_kind kind, uint64_t failed, uint64_t n)
{
	struct rlk_entry *e = row_of(record, kind, failed);

	if (!e)
		e = row_of(0, kind == RLK_KIND_WRLOCK ? kind : RLK_KIND_MUTEX, failed);
	add64(&e->acquired, n);
}
