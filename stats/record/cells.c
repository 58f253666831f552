#include "stats/record/entry.h"

static struct rlk_cell *cell_new(struct thread *t, const struct rlk_entry *e, uint32_t *cell)
{
	uint32_t n = add32(&t->cells_used, 1);
	struct rlk_block **chunk = &t->cell_chunk[n / CELL_ROWS];
	struct rlk_block *block;
	struct rlk_cell *row;

	if (n >= CELL_ROWS * CELL_CHUNKS) {
		store32(&t->cells_used, CELL_ROWS * CELL_CHUNKS);
		return NULL;
	}
	if (!*chunk) {
		struct rlk_block *fresh = arena_block(
			RLK_CELLS, sizeof(struct rlk_cell), CELL_ROWS, 0, t->number + 1, false);

		if (!fresh)
			return NULL;
		if (!*chunk)
			*chunk = fresh;
	}
	/* Once: in the child of a handler's fork there is none. */
	block = atomic_load_explicit((_Atomic(struct rlk_block *) *)chunk, memory_order_relaxed);
	if (!block)
		return NULL;
	row = cell_in(block, n);
	if (!arena_touch(row, sizeof(*row)))
		return NULL;
	atomic_fetch_or_explicit(
		(_Atomic uint32_t *)&block->touched, 1u << n % CELL_ROWS, memory_order_release);
	row->kind = entry_kind(e);
	entry_publish(&row->record, load32(&e->record), e);
	*cell = n + 1;
	return row;
}

/* Too many locks of their own: the cell of the class, through the class's entry. */
static uint32_t cell_of_class(struct thread *t, const struct rlk_entry *e)
{
	uint32_t record = lock_class_record(load32(&e->record) - 1);
	struct rlk_entry *of_class = entry_of_class(t, record, entry_kind(e), 0);

	return of_class && of_class != e && entry_cell(t, of_class)
		       ? RLK_ENTRY_CELL(load16(&of_class->state))
		       : 0;
}

/* A handler may have made one meanwhile, which then stays the entry's. */
static uint32_t note_cell(struct rlk_entry *e, uint32_t cell)
{
	uint16_t state = load16(&e->state);

	while (!RLK_ENTRY_CELL(state)) {
		if (cas16(&e->state, state, (uint16_t)(state | cell)))
			return cell;
		state = load16(&e->state);
	}
	return RLK_ENTRY_CELL(state);
}

struct rlk_cell *entry_cell_make(struct thread *t, struct rlk_entry *e)
{
	uint32_t cell;

	if (unlikely(entry_is_out(e)))
		return NULL;
	/* The last chunks are kept for classes. */
	if (!(e->lock & KEY_CLASS) && t->cells_used >= CELL_ROWS * (CELL_CHUNKS - 32)) {
		add64(&arena_header->lost.cells_folded, 1);
		cell = cell_of_class(t, e);
	} else if (!cell_new(t, e, &cell)) {
		cell = 0;
	}
	return cell ? cell_at(t, note_cell(e, cell) - 1) : NULL;
}
