#include "stats/record/locks.h"

#include "stats/record/births.h"
#include "stats/record/chains.h"
#include "stats/record/classes.h"
#include "stats/record/deflate.h"
#include "stats/record/records.h"

/* Rows that only classes get when there is no room for more. */
#define KEPT_FOR_CLASSES 256
#define EVERYTHING_ELSE 0 /* the record of the class that collects what does not fit */

#define CHUNK 1024
#define CHUNKS 16384

TABLE(records, RLK_RECORDS, struct rlk_record, CHUNK, CHUNKS);

static uint32_t class_records[CLASSES_MAX]; /* 1 + record standing for the class */
static uint64_t locks_max;

uint16_t lock_stamps[1u << STAMP_BITS];
_Static_assert(CHUNKS <= CHAIN_NUMBER / CHUNK, "a bucket holds every number");

struct rlk_record *lock_row(uint32_t record)
{
	/* In a child that a handler forked, whoever was interrupted still has numbers of the
	 * parent's. */
	static struct rlk_record nobodys;

	return likely(record < table_count(&records)) ? table_row(&records, record) : &nobodys;
}

/* The flags come last: a row that was used before is known by them as nobody's until then. */
static struct rlk_record *record_fill(struct rlk_record *r, const struct lock_id *id,
	uint32_t class_index, uint32_t rule, uint32_t flags)
{
	store64(&r->lock, id->address);
	store32(&r->kind, id->kind);
	/* Release pairs with the acquire in row_class(). */
	store32_release(&r->class_index, class_index);
	store32(&r->rule, rule);
	store64(&r->looked_at, 0);
	store32(&r->waiters_max, 0);
	store32(&r->last_owner, 0);
	store64(&r->holder, 0);
	store32_release(&r->flags, id->flags | flags | next_life(load32(&r->flags)));
	return r;
}

bool locks_open(uint64_t max_locks, lock_rule_chooser *chooser)
{
	struct lock_id id = {0, RLK_KIND_MUTEX, RLK_LOCK_IS_CLASS};
	struct rlk_record *record;
	uint32_t number;

	locks_max = max_locks;
	if (!chains_open() || !births_open() || !classes_open(chooser))
		return false;
	record = table_new(&records, &number, 0);
	if (!record)
		return false;
	record_fill(record, &id, CLASS_EVERYTHING_ELSE, 0, 0)->generations = 1;
	class_records[CLASS_EVERYTHING_ELSE] = EVERYTHING_ELSE + 1;
	return true;
}

void locks_reset(void)
{
	uint32_t count = classes_count();

	for (uint32_t i = 0; i < count && i < CLASSES_MAX; i++)
		class_records[i] = 0;
	table_reset(&records);
	classes_reset();
	births_reset();
	deflate_reset();
	chains_reset();
}

/* --- of classes */

uint32_t class_record(uint32_t class_index)
{
	struct lock_id id = {0, (enum rlk_kind)class_row(class_index)->kind, RLK_LOCK_IS_CLASS};
	uint32_t number = load32_acquire(&class_records[class_index]);
	struct rlk_record *row;

	if (number)
		return number - 1;
	row = table_new(&records, &number, 0);
	if (!row)
		return EVERYTHING_ELSE;
	record_fill(row, &id, class_index, class_rule(class_index), 0);
	/* First, as entries may refer to it from the exchange on. */
	store32(&row->generations, 1);
	if (cas32(&class_records[class_index], 0, number + 1))
		return number;
	store32(&row->generations, 0);
	return load32_acquire(&class_records[class_index]) - 1;
}

uint32_t lock_records(void)
{
	return table_count(&records);
}

uint64_t lock_birth(const struct rlk_record *record)
{
	return class_row(row_class(record))->address;
}

uint32_t lock_class_record(uint32_t record)
{
	return class_record(row_class(lock_row(record)));
}

/* --- records */

/* Flags of a record that stands for no address. */
#define NOBODYS (RLK_LOCK_REPLACED | RLK_LOCK_FOLDED)

/* *flags: what they were when the row stood for the lock. */
static bool stands_for(const struct rlk_record *row, const struct lock_id *id, uint32_t *flags)
{
	/* Acquire pairs with the release in record_fill(): the rest is of this life, or a later
	 * one. */
	*flags = load32_acquire(&row->flags);
	return !(*flags & NOBODYS) && load64(&row->lock) == id->address &&
	       load32(&row->kind) == (uint32_t)id->kind;
}

/*
 * 1 + the record the address has now, from a place of its chain on; the newest come first. Records
 * leave the chains when they are folded, and may then be found in another one: who was just looking
 * at such a one goes on there, and has to look again.
 */
static uint32_t record_find_from(uint32_t number, const struct lock_id *id, uint32_t *flags)
{
	while (number) {
		const struct rlk_record *row = lock_row(number - 1);

		if (stands_for(row, id, flags))
			return number;
		/* Acquire pairs with the release in lock_unlink(): who finds a record gone finds
		 * its birth. */
		number = load32_acquire(&row->next);
	}
	return 0;
}

uint32_t record_find(const struct lock_id *id, uint32_t *flags)
{
	uint32_t *bucket[CHAINS_MOST], number = 0;
	uint64_t given;

	do {
		unsigned count;

		given = deflate_given();
		count = chains_of(id->address, bucket);
		for (unsigned i = 0; i < count && !number; i++)
			number = record_find_from(chain_first(bucket[i]), id, flags);
	} while (!number && given != deflate_given());
	return number;
}

bool lock_record_stands(uint32_t record, const struct lock_id *id)
{
	const struct rlk_record *row = lock_row(record);
	uint32_t flags;

	/* Pairs with the fence in look.c: either it is seen there that an entry refers to the
	 * record, or here that the record is folded. */
	atomic_thread_fence(memory_order_seq_cst);
	return (load32(&row->flags) & RLK_LOCK_IS_CLASS) || stands_for(row, id, &flags);
}

/*
 * Pushes a filled record in front of its chain, unless another thread put one for the lock there
 * first, whose number is returned then; or put one there that was folded since, which left a birth
 * other than `birth`: then TABLE_NONE.
 */
static uint32_t record_push(
	const struct lock_id *id, uint32_t birth, uint32_t number, struct rlk_record *row)
{
	uint32_t *bucket = chain_to_push(id->address);
	uint32_t head, flags;

	do {
		uint32_t other;

		/* First the head, then the search: whoever came after it makes the exchange fail.
		 */
		head = load32_acquire(bucket);
		other = record_find_from(head & CHAIN_NUMBER, id, &flags);
		if (other)
			return other - 1;
		if (birth != ANY_BIRTH && births_find(id->address) != birth)
			return TABLE_NONE;
		/* Release, for whoever stands at the row since its last life: pairs with the
		 * acquire in record_find_from(), and tells that it was given back. */
		store32_release(&row->next, head & CHAIN_NUMBER);
		/* Release pairs with the acquire in look.c: whoever sees the key sees the row.
		 */
		store32_release(&row->generations, 1);
		/* Release pairs with the acquire in chain_first(): who sees the number sees the
		 * row.
		 */
	} while (!chain_change(bucket, head, number + 1));
	return number;
}

/* A row for a lock: one that was given back, or a new one. NULL: there may be no more. */
static struct rlk_record *record_new(uint32_t *number)
{
	uint64_t have = table_count(&records);

	deflate_sometimes(have);
	if (deflate_take(number))
		return lock_row(*number);
	if (have < locks_max)
		return table_new(&records, number, KEPT_FOR_CLASSES);
	return deflate_when_full(have) && deflate_take(number) ? lock_row(*number) : NULL;
}

/* There may be no more records: the lock is counted with its class from now on. True: this is the
 * first time. */
static bool lock_folded(const struct lock_id *id, uint32_t class_index)
{
	uint32_t flags;

	if (births_find(id->address) != BIRTH_UNKNOWN)
		return false;
	add64(&arena_header->lost.locks_folded, 1);
	if (!births_keep(id->address, class_index))
		return false;
	/* Another thread had a record for it: only one of the two, whoever takes the birth away
	 * again or finds it gone, says that it was the first. */
	return !record_find(id, &flags) || !births_forget(id->address);
}

uint32_t record_add(
	const struct lock_id *id, uint32_t birth, uint32_t class_index, uint32_t rule, bool *fresh)
{
	struct rlk_record *row;
	uint32_t number, added, flags;

	row = record_new(&number);
	if (!row) {
		*fresh = lock_folded(id, class_index);
		return class_record(class_index);
	}
	record_fill(row, id, class_index, rule, RECORD_NEW);
	flags = load32(&row->flags);
	added = record_push(id, birth, number, row);
	*fresh = added == number;
	if (*fresh) {
		/* As long as the record is new it is not folded, so what is forgotten is no later
		 * birth; where none was known it is that of lock_folded(). */
		if (births_forget(id->address) && birth == BIRTH_UNKNOWN)
			*fresh = false;
		flags_change(row, flags, ~RECORD_NEW, 0);
	} else {
		store32(&row->flags, (load32(&row->flags) & LIFE) | RLK_LOCK_FOLDED);
		store32(&row->generations, 0);
	}
	return added;
}

/* The same for a lock whose birth is known by no call: it is kept since its record was folded, or
 * this is its first use. */
static uint32_t record_used(const struct lock_id *id, uint64_t site)
{
	uint32_t kept = births_find(id->address), class_index = kept, number;
	struct birth birth;
	bool fresh, known;

	known = kept != BIRTH_UNKNOWN && class_row(kept)->kind == (uint32_t)id->kind;
	if (known) {
		birth = class_birth(kept);
	} else {
		birth = birth_of(id, site, false);
		class_index = class_of(&birth);
	}
	number = record_add(id, kept, class_index, rule_of(class_index, &birth), &fresh);
	if (fresh && !known)
		add64(&class_row(class_index)->created, 1);
	return number;
}

uint32_t lock_record(const struct lock_id *id, uint64_t site)
{
	for (;;) {
		uint32_t flags, number = record_find(id, &flags);

		if (number)
			return number - 1;
		number = record_used(id, site);
		if (number != TABLE_NONE)
			return number;
	}
}

void lock_add(const struct lock_id *id, uint32_t class_index)
{
	struct birth birth = class_birth(class_index);
	bool fresh;

	record_add(id, ANY_BIRTH, class_index, rule_of(class_index, &birth), &fresh);
}

/* --- folding */

void lock_unlink(uint32_t record)
{
	uint32_t *bucket[CHAINS_MOST];
	unsigned count = chains_of(load64(&lock_row(record)->lock), bucket);

	/* The first records are in the last of them. */
	while (count > 0 && !chain_unlink(bucket[count - 1], record))
		count--;
}
