/*
 * Room in a thread's table: entries of locks that were folded into their class are nothing but
 * counts. When half of a full table is such, the counts go to the entries of the classes, and the
 * rest to a second table of the same size; the two are used in turn. So a thread's tables are as
 * big as the locks it uses between two looks of deflation need, not as those it ever used.
 */
#include "stats/record/quiet.h"
#include "stats/record/recorder.h"

#include <string.h>

/* Rows. With fewer, two tables could be filled while somebody still refers to the first. */
#define COMPACT_LEAST 1024

static bool is_counts_only(const struct rlk_entry *e)
{
	uint32_t record = load32(&e->record);

	return record && !(e->lock & KEY_CLASS) &&
	       (load32(&lock_row(record - 1)->flags) & RLK_LOCK_IS_CLASS);
}

static bool has_counts(const struct rlk_entry *e)
{
	return load64(&e->acquired) || load64(&e->failed);
}

static uint64_t offset_of(const struct rlk_entry *e)
{
	return (uint64_t)((const char *)e - (const char *)arena_header);
}

/* Whatever ends the process in between, the shard's row tells how it would have gone on. Signals
 * are blocked: nobody counts meanwhile. */
static void move_counts(struct thread *t, struct rlk_entry *from, struct rlk_entry *to)
{
	struct rlk_shard *shard = t->row;

	shard->move.to = offset_of(to);
	shard->move.acquired = to->acquired + from->acquired;
	shard->move.failed = to->failed + from->failed;
	store64_release(&shard->move.from, offset_of(from));
	atomic_thread_fence(memory_order_release);
	store64(&from->acquired, 0);
	store64(&from->failed, 0);
	store64(&to->acquired, shard->move.acquired);
	store64(&to->failed, shard->move.failed);
	store64_release(&shard->move.from, 0);
	atomic_thread_fence(memory_order_release);
}

/* The row of a key, or the one that becomes it. One that was replaced is found by nobody, and is a
 * row of its own each time. NULL: the table is full. */
static struct rlk_entry *place(struct rlk_entry *rows, uint64_t mask, uint64_t key)
{
	bool replaced = !(key & KEY_CLASS) && (key & KEY_REPLACED);
	uint64_t home = entry_home(replaced ? key & ~(uint64_t)KEY_REPLACED : key,
		1u + (uint32_t)__builtin_clzll(mask + 1));

	for (uint64_t step = 0; step <= mask; step++) {
		struct rlk_entry *e = &rows[(home + step) & mask];

		if (!e->lock || (e->lock == key && !replaced)) {
			store64(&e->lock, key);
			return e;
		}
	}
	return NULL;
}

/* Everything that is known of `from`, in a table where it may be known already. */
static bool carry_entry(
	struct thread *t, struct rlk_entry *rows, uint64_t mask, struct rlk_entry *from)
{
	bool counts_only = is_counts_only(from);
	uint64_t key = counts_only ? class_key(from->record - 1, from->kind) : from->lock;
	struct rlk_entry *to = place(rows, mask, key);

	if (!to)
		return false;
	if (!to->record) {
		to->kind = from->kind;
		to->site = from->site;
		if (!counts_only) {
			to->stamp = from->stamp;
			to->waited = from->waited;
			to->burst_from = from->burst_from;
			to->burst_at = from->burst_at;
		}
		store32_release(&to->record, from->record);
	}
	if (!to->cell)
		to->cell = from->cell;
	if (has_counts(from))
		move_counts(t, from, to);
	return true;
}

/*
 * The second table, empty. A handler may have compacted while what it interrupted was about to
 * count in this one, then the table in use; that is found here.
 */
static bool second_table(struct thread *t)
{
	uint64_t rows = t->mask + 1;
	struct rlk_block *block;

	if (t->second && t->second_mask == t->mask) {
		for (uint64_t i = 0; i < rows; i++) {
			if (t->second[i].record && has_counts(&t->second[i]) &&
				!carry_entry(t, t->entries, t->mask, &t->second[i]))
				return false;
		}
		memset(t->second, 0, rows * sizeof(*t->second));
		return true;
	}
	block = arena_block(
		RLK_ENTRIES, sizeof(struct rlk_entry), (uint32_t)rows, 0, t->number + 1, true);
	if (!block)
		return false;
	t->second = block_rows(block);
	t->second_mask = t->mask;
	return true;
}

static struct rlk_block *block_of(struct rlk_entry *rows)
{
	return (struct rlk_block *)rows - 1;
}

static void change_tables(struct thread *t)
{
	struct rlk_entry *from = t->entries, *to = t->second;
	uint32_t used = 0;

	for (uint64_t i = 0; i <= t->mask; i++) {
		if (!from[i].lock || !from[i].record)
			continue;
		carry_entry(t, to, t->mask, &from[i]);
		/* Deflation does not go over spare tables. */
		store32(&from[i].record, lock_class_record(from[i].record - 1) + 1);
	}
	for (uint64_t i = 0; i <= t->mask; i++)
		used += to[i].lock != 0;
	block_of(to)->spare = 0;
	block_of(from)->spare = 1;
	t->second = from;
	t->older = NULL;
	/* Release pairs with the acquire in entry_peek(). */
	atomic_store_explicit((_Atomic(struct rlk_entry *) *)&t->entries, to, memory_order_release);
	t->entries_used = used;
	for (uint32_t i = 0; i < t->held_count && i < HELD_MAX; i++) {
		const struct rlk_entry *e = entry_peek(t, t->held[i].key);

		if (e)
			t->held[i].entry = (struct rlk_entry *)e;
	}
}

bool entries_compact(struct thread *t)
{
	uint64_t counts_only = 0;
	struct quiet quiet;
	bool done = false;

	if (t->mask + 1 < COMPACT_LEAST)
		return false;
	for (uint64_t i = 0; i <= t->mask; i++)
		counts_only += is_counts_only(&t->entries[i]);
	if (counts_only * 2 < t->entries_used)
		return false;
	/* Deflation must not go over the tables meanwhile. */
	quiet_begin(&quiet);
	if (second_table(t)) {
		change_tables(t);
		done = true;
	}
	quiet_end(&quiet);
	return done;
}
