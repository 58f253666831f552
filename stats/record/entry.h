/*
 * Entries: a thread's counts, one row a lock.
 *
 * Rows stand in blocks, in the order in which the thread met the locks, and stay where they are. A
 * directory says where the row of a key is: open addressing, one word a slot, at most half full, in
 * private memory. So a lock costs a thread little more than its row, and growing means a new
 * directory, not new rows. Other threads may look into it (entry_peek()), at any time; a directory
 * that was replaced is never unmapped, only emptied.
 *
 * A key is an address with flags, or a class; see struct rlk_entry.
 */
#ifndef RELOCK_STATS_RECORD_ENTRY_H
#define RELOCK_STATS_RECORD_ENTRY_H

#include "stats/record/thread.h"

#define KEY_WRITE_SIDE RLK_ENTRY_WRITE_SIDE
#define KEY_FAILED RLK_ENTRY_FAILED
#define KEY_REPLACED RLK_ENTRY_REPLACED
#define KEY_CLASS RLK_ENTRY_CLASS

static inline uint64_t class_key(uint32_t record, enum rlk_kind kind)
{
	return KEY_CLASS | (kind == RLK_KIND_WRLOCK ? KEY_WRITE_SIDE : 0) | (uint64_t)record << 4;
}

/* The side of the lock that a key is of. */
static inline enum rlk_kind key_kind(uint64_t key, const struct lock_id *id)
{
	return id->kind == RLK_KIND_RDLOCK && (key & KEY_WRITE_SIDE) ? RLK_KIND_WRLOCK : id->kind;
}

/* --- the hot path */

/*
 * What a directory is hashed by, in one word that others may load: 64 - log2 of its slots, and
 * above it log2 of its granule, in bytes. Two locks in one granule have the same home; where
 * granules are smaller than locks are apart, slots stay empty between others that are wanted twice.
 * So it is chosen for the locks that are there (directory.c).
 */
#define HASH_GRANULE_SHIFT 8
#define HASH_GRANULE 5 /* bytes, log2: at first */

static inline uint32_t hash_of(uint32_t bits, uint32_t granule)
{
	return (64 - bits) | granule << HASH_GRANULE_SHIFT;
}

#define HASH_FIRST hash_of(FIRST_SLOTS_BITS, HASH_GRANULE)

static inline uint32_t hash_bits(uint32_t hash)
{
	return 64 - hash % (1u << HASH_GRANULE_SHIFT);
}

static inline uint32_t hash_granule(uint32_t hash)
{
	return hash >> HASH_GRANULE_SHIFT;
}

static inline uint32_t directory_slots(uint32_t hash)
{
	return 1u << hash_bits(hash);
}

/*
 * The slot where probing for a key begins. Multiplicative hashing, the top bits of the product,
 * says for sixteen granules of addresses which cache line, and in which order they stand there. So
 * locks next to each other take few lines, which is what a thread with many of them waits for; of
 * locks far apart each stands anywhere.
 */
static inline uint32_t entry_home(uint64_t key, uint32_t hash)
{
	uint64_t granule = key >> hash_granule(hash);

	return (uint32_t)((granule >> LINE_SLOTS_BITS) * 0x9e3779b97f4a7c15u >> (hash & 63)) ^
	       (granule & (LINE_SLOTS - 1));
}

static inline struct rlk_entry *entry_of_base(const char *base, uint32_t number)
{
	return (struct rlk_entry *)(base + (uint64_t)number * sizeof(struct rlk_entry));
}

static inline struct rlk_entry *entry_at(const struct thread *t, uint32_t number)
{
	return entry_of_base(t->base, number);
}

/* What entries count from, to be loaded before the number of one: in the child of a handler's fork
 * there is none, and all numbers are 0. */
static inline const char *entry_base(const struct thread *t)
{
	const char *base = atomic_load_explicit(
		(_Atomic(char *) *)&((struct thread *)t)->base, memory_order_relaxed);

	atomic_signal_fence(memory_order_acquire);
	return base;
}

/*
 * The entry that the key's home refers to, which may be another's; NULL: nothing is counted here.
 * To be called before the lock is tried: neither load waits for the lock's cache line then.
 */
static inline struct rlk_entry *entry_ahead(const struct thread *t, uint64_t key)
{
	uint32_t home = entry_home(key, load32(&t->hash)), *directory;
	const char *base;

	/* In this order: a handler in between may put a bigger directory there, never a smaller
	 * one. Looked at where it is loaded: after a handler's fork there is none. */
	atomic_signal_fence(memory_order_acquire);
	directory = atomic_load_explicit(
		(_Atomic(uint32_t *) *)&((struct thread *)t)->directory, memory_order_relaxed);
	base = entry_base(t);
	return likely(directory) ? entry_of_base(base, load32(&directory[home])) : NULL;
}

/* Whether it is the key's, and current. */
static inline bool entry_is(const struct rlk_entry *e, uint64_t key)
{
	return load64(&e->lock) == key && e->stamp == lock_stamp(key);
}

/* The entry where it is at its home and current; NULL: take entry_get(). */
static inline struct rlk_entry *entry_fast(const struct thread *t, uint64_t key)
{
	struct rlk_entry *e = entry_ahead(t, key);

	return likely(e && entry_is(e, key)) ? e : NULL;
}

static inline enum rlk_kind entry_kind(const struct rlk_entry *e)
{
	return RLK_ENTRY_KIND(load16(&e->state));
}

static inline bool entry_waited(const struct rlk_entry *e)
{
	return load16(&e->state) & RLK_ENTRY_WAITED;
}

static inline void entry_note_waited(struct rlk_entry *e)
{
	or16(&e->state, RLK_ENTRY_WAITED);
}

/* --- out of line */

/* A directory and rows for a shard that has none; signals are blocked. False: no room. */
bool entries_open(struct thread *t);

/* More of either, or rows that can be used again. False: no room. */
bool entries_grow(struct thread *t);

/* Entries are often not at home: looks whether that can be mended. */
void entries_rehash(struct thread *t);

/* The entry for `key`, made when it is new. Never NULL. `id` says what the lock is, `site` who
 * acquires it. */
struct rlk_entry *entry_get(
	struct thread *t, uint64_t key, const struct lock_id *id, uint64_t site);

/* The same, where it is likely to be there. */
static inline struct rlk_entry *entry_find(
	struct thread *t, uint64_t key, const struct lock_id *id, uint64_t site)
{
	struct rlk_entry *e = entry_fast(t, key);

	return e ? e : entry_get(t, key, id, site);
}

/* The entry of a class, also where there is room for no lock's any more; NULL: not even that.
 * `failed`: KEY_FAILED or 0. */
struct rlk_entry *entry_of_class(
	struct thread *t, uint32_t record, enum rlk_kind kind, uint64_t failed);

/* The entry that another thread has for `key`, or NULL. For looking at its `site`; it may become
 * another key's meanwhile. */
const struct rlk_entry *entry_peek(const struct thread *t, uint64_t key);

/* Publishes a row by its key `to`: the record of `e`, or the class's. Deflation goes over entries
 * first (look_on()); what it has done to `e` by now is done to the row as well. */
static inline void entry_publish(uint32_t *to, uint32_t record, const struct rlk_entry *e)
{
	store32_release(to, record);
	atomic_thread_fence(memory_order_seq_cst);
	if (!(load32(&lock_row(record - 1)->flags) & RLK_LOCK_IS_CLASS))
		cas32(to, record, load32(&e->record));
}

static inline struct rlk_cell *cell_in(struct rlk_block *chunk, uint32_t cell)
{
	return (struct rlk_cell *)block_rows(chunk) + cell % CELL_ROWS;
}

/* NULL: in the child of a handler's fork there are none. */
static inline struct rlk_cell *cell_at(const struct thread *t, uint32_t cell)
{
	struct rlk_block *chunk = atomic_load_explicit(
		(_Atomic(struct rlk_block *) *)&((struct thread *)t)->cell_chunk[cell / CELL_ROWS],
		memory_order_relaxed);

	return likely(chunk) ? cell_in(chunk, cell) : NULL;
}

struct rlk_cell *entry_cell_make(struct thread *t, struct rlk_entry *e);

/* This shard's cell for an entry; made when it has none. Its class's where the shard has too many.
 * Never NULL, unless there is no memory at all: then NULL, and the measurement is lost and counted
 * so. */
static inline struct rlk_cell *entry_cell(struct thread *t, struct rlk_entry *e)
{
	uint32_t cell = RLK_ENTRY_CELL(load16(&e->state));

	return likely(cell) ? cell_at(t, cell - 1) : entry_cell_make(t, e);
}

/* --- rows and directory, for compact.c */

/* Of the rows of a block, and of the slots, those that are kept for classes. */
#define ROWS_KEPT 8

static inline uint32_t entry_number(const struct thread *t, const struct rlk_entry *e)
{
	return (uint32_t)((uint64_t)((const char *)e - t->base) / sizeof(*e));
}

/* Goes over the rows this shard has, whatever is in them; NULL at the end. */
struct row_walk {
	const struct rlk_block *block;
	uint32_t at;
};
static inline struct row_walk rows_walk(const struct thread *t)
{
	return (struct row_walk){.block = (const struct rlk_block *)(t->base + t->rows.block)};
}
struct rlk_entry *rows_next(const struct thread *t, struct row_walk *walk);

/* What a row that was given back has as its site: the number of the next, and that it is one. */
static inline uint64_t row_link(uint32_t next)
{
	return (uint64_t)~next << 32 | next;
}

static inline bool row_link_holds(uint64_t site)
{
	return site == row_link((uint32_t)site);
}

/* Gives an empty row back. */
void row_give(struct thread *t, struct rlk_entry *e);

/* Whether a row is one that compaction took out of the directory. */
static inline bool entry_is_out(const struct rlk_entry *e)
{
	return (e->lock & (KEY_CLASS | KEY_REPLACED)) == (KEY_CLASS | KEY_REPLACED);
}

/* Fills the shard's directory anew from its rows, with the granule that suits them. False: none
 * suits them well. Signals are blocked. */
bool directory_refill(struct thread *t);

/* Makes room by merging what only counts. False: there is too little of it. */
bool entries_compact(struct thread *t);

#endif
