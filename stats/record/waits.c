#include "stats/record/waits.h"

#include "stats/record/entry.h"
#include "stats/record/holds.h"

/* Rows of a shard's largest table of pairs. */
#define PAIRS_MOST (1 << 14)

bool shard_table_grow(struct thread *t, struct shard_table *table, enum rlk_block_type type,
	size_t row_size, uint32_t most)
{
	uint32_t rows = table->rows ? (table->mask + 1) * 2 : 64;
	struct rlk_block *block;

	if (rows > most || !(block = arena_block(type, row_size, rows, 0, t->number + 1, true)))
		return false;
	table->rows = block_rows(block);
	table->mask = rows - 1;
	table->used = 0;
	return true;
}

/* Pairs are found by what they are; the few of a thread's fit a small table, which grows like the
 * entries. */
static struct rlk_pair *pair_slot(struct thread *t, const struct rlk_entry *e,
	const struct wait_note *note, uint32_t record, uint32_t limit)
{
	struct rlk_pair *rows = t->pairs.rows;
	uint64_t hash = hash64(((uint64_t)note->context << 32 | note->holder) + record);

	for (uint32_t step = 0; rows && step <= t->pairs.mask; step++) {
		struct rlk_pair *p = &rows[(hash + step) & t->pairs.mask];
		uint32_t has = load32(&p->record);

		if (!has && t->pairs.used >= limit)
			return NULL;
		if (!has) {
			t->pairs.used++;
			p->waiter = note->context;
			p->holder = note->holder;
			p->kind = entry_kind(e);
			entry_publish(&p->record, record, e);
			return p;
		}
		if (has == record && p->waiter == note->context && p->holder == note->holder &&
			p->kind == entry_kind(e))
			return p;
	}
	return NULL;
}

/* Where there are too many pairs for this shard, all locks of a class share them. */
static struct rlk_pair *pair_of(
	struct thread *t, const struct rlk_entry *e, const struct wait_note *note)
{
	uint32_t record = load32(&e->record);
	struct rlk_pair *pair = pair_slot(t, e, note, record, t->pairs.mask / 4 * 3);

	if (!pair && shard_table_grow(t, &t->pairs, RLK_PAIRS, sizeof(*pair), PAIRS_MOST))
		pair = pair_slot(t, e, note, record, t->pairs.mask / 4 * 3);
	if (!pair && record)
		pair = pair_slot(t, e, note, lock_class_record(record - 1) + 1, t->pairs.mask);
	return pair;
}

static void count_pair(struct thread *t, const struct rlk_entry *e, const struct wait_note *note)
{
	struct rlk_pair *pair = NULL;

	/* A handler that interrupted this very function must not come into it. */
	if (t->nesting++ == 0)
		pair = pair_of(t, e, note);
	t->nesting--;
	if (!pair) {
		add64(&arena_header->lost.pairs_dropped, 1);
		return;
	}
	shard_add(&pair->count, 1);
	shard_add(&pair->wait_total, note->wait);
	shard_max(&pair->wait_max, note->wait);
}

void wait_take(struct wait_note *note, const struct wait *w, uint64_t ticks)
{
	*note = (struct wait_note){
		.wait = ticks,
		.tries = w->tries,
		.pauses = w->pauses,
		.yields = w->yields,
		.sleeps = w->sleeps,
		.blocks = w->blocks,
		.yielded = w->yielded_ticks,
		.parked = w->parked_ticks,
		.stage = w->stage,
	};
}

static void count_stage(struct rlk_cell *cell, enum wait_stage stage)
{
	uint64_t *const ended[STAGES] = {
		[STAGE_FIRST] = &cell->ended_first,
		[STAGE_SPIN] = &cell->ended_spin,
		[STAGE_YIELD] = &cell->ended_yield,
		[STAGE_SLEEP] = &cell->ended_sleep,
		[STAGE_BLOCK] = &cell->ended_block,
	};

	shard_add(ended[stage], 1);
}

static void count_wait(struct rlk_cell *cell, const struct wait_note *note)
{
	shard_add(&cell->wait_total, note->wait);
	shard_max(&cell->wait_max, note->wait);
	shard_add(&cell->wait_hist[rlk_hist_bucket(note->wait)], 1);
	shard_add(&cell->tries, note->tries);
	shard_add(&cell->pauses, note->pauses);
	shard_add(&cell->yields, note->yields);
	shard_add(&cell->sleeps, note->sleeps);
	shard_add(&cell->blocks, note->blocks);
	shard_add(&cell->yielded_total, note->yielded);
	shard_add(&cell->parked_total, note->parked);
}

void wait_write(struct thread *t, struct rlk_entry *e, const struct wait_note *note)
{
	struct rlk_cell *cell = entry_cell(t, e);

	count_pair(t, e, note);
	if (!cell) {
		add64(&arena_header->lost.waits_dropped, 1);
		return;
	}
	/* As the cells add up: the next thread of this shard begins with these sums. */
	shard_add(&t->contended, note->acquired);
	shard_add(&t->wait_total, note->wait);
	count_wait(cell, note);
	if (note->acquired) {
		shard_add(&cell->contended, 1);
		count_stage(cell, note->stage);
		owner_seen(t, cell, lock_row(load32(&e->record) - 1));
	} else {
		shard_add(&cell->timeouts, 1);
	}
}
