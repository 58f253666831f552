#include "stats/record/locks.h"

#include "stats/record/births.h"
#include "stats/record/classes.h"
#include "stats/record/deflate.h"

#include <string.h>
#include <sys/mman.h>

/*
 * Chains of the records by address. Few locks, wherever they are, must not touch many pages: there
 * is a small table for the first, and a big one, in which neighbouring locks have neighbouring
 * buckets, for those that come later. A lock may be in either; while one becomes the other two
 * threads may make two records for one lock, once.
 */
#define FEW_BITS 13
#define FEW (1u << (FEW_BITS - 1))
#define MANY_BITS 22
/* Rows that only classes get when there is no room for more. */
#define KEPT_FOR_CLASSES 256
#define EVERYTHING_ELSE 0 /* the record of the class that collects what does not fit */

TABLE(records, RLK_RECORDS, struct rlk_record, 1024, 16384);

static uint32_t class_records[CLASSES_MAX]; /* 1 + record standing for the class */
static uint32_t few[1u << FEW_BITS];        /* 1 + first record of the chain */
static uint32_t *many;
static uint64_t locks_max;

uint16_t lock_stamps[1u << STAMP_BITS];

static uint32_t *bucket_of_few(uint64_t address)
{
	return &few[(address >> 2) * 0x9e3779b97f4a7c15u >> (64 - FEW_BITS)];
}

/* Heaps of threads are as far apart as a table without the second term would reach. */
static uint32_t *bucket_of_many(uint64_t address)
{
	return &many[((address >> 4) + (address >> 26) * 0x9e3779b1u) & ((1u << MANY_BITS) - 1)];
}

static bool are_many(void)
{
	return table_count(&records) > FEW;
}

static uint32_t *bucket_of(uint64_t address)
{
	return are_many() ? bucket_of_many(address) : bucket_of_few(address);
}

struct rlk_record *lock_row(uint32_t record)
{
	return table_row(&records, record);
}

/* The flags come last: a row that was used before is known by them as nobody's until then. */
static struct rlk_record *record_fill(
	struct rlk_record *r, const struct lock_id *id, uint32_t class_index, uint32_t rule)
{
	store64(&r->lock, id->address);
	r->kind = id->kind;
	r->class_index = class_index;
	r->rule = rule;
	r->looked_at = 0;
	store32(&r->waiters_max, 0);
	store32(&r->last_owner, 0);
	store64(&r->holder, 0);
	store32_release(&r->flags, id->flags);
	return r;
}

bool locks_open(uint64_t max_locks, lock_rule_chooser *chooser)
{
	struct lock_id id = {0, RLK_KIND_MUTEX, RLK_LOCK_IS_CLASS};
	struct rlk_record *record;
	uint32_t number;

	locks_max = max_locks;
	if (!many)
		many = private_memory(sizeof(uint32_t) << MANY_BITS);
	if (!many || !births_open() || !classes_open(chooser))
		return false;
	record = table_new(&records, &number, 0);
	if (!record)
		return false;
	record_fill(record, &id, CLASS_EVERYTHING_ELSE, 0)->generations = 1;
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
	memset(few, 0, sizeof(few));
	if (many)
		madvise(many, sizeof(uint32_t) << MANY_BITS, MADV_DONTNEED);
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
	record_fill(row, &id, class_index, class_rule(class_index));
	if (!cas32(&class_records[class_index], 0, number + 1))
		return load32_acquire(&class_records[class_index]) - 1; /* the row stays empty */
	store32_release(&row->generations, 1);
	return number;
}

uint32_t lock_records(void)
{
	return table_count(&records);
}

uint64_t lock_birth(const struct rlk_record *record)
{
	return class_row(record->class_index)->address;
}

uint32_t lock_class_record(uint32_t record)
{
	return class_record(lock_row(record)->class_index);
}

/* --- records */

/* Flags of a record that stands for no address. */
#define NOBODYS (RLK_LOCK_REPLACED | RLK_LOCK_FOLDED)

static bool stands_for(const struct rlk_record *row, const struct lock_id *id)
{
	return !(load32_acquire(&row->flags) & NOBODYS) && load64(&row->lock) == id->address &&
	       row->kind == (uint32_t)id->kind;
}

/*
 * 1 + the record the address has now, from a place of its chain on; the newest come first. Records
 * leave the chains when they are folded, and may then be found in another one: who was just looking
 * at such a one goes on there, and at worst makes a second record for its lock.
 */
static uint32_t record_find_from(uint32_t number, const struct lock_id *id)
{
	while (number) {
		const struct rlk_record *row = lock_row(number - 1);

		if (stands_for(row, id))
			return number;
		number = load32(&row->next);
	}
	return 0;
}

static uint32_t record_find(const struct lock_id *id)
{
	uint32_t number = 0;

	if (are_many())
		number = record_find_from(load32_acquire(bucket_of_many(id->address)), id);
	return number ? number : record_find_from(load32_acquire(bucket_of_few(id->address)), id);
}

bool lock_record_stands(uint32_t record, const struct lock_id *id)
{
	const struct rlk_record *row = lock_row(record);

	/* Pairs with the fence in deflate.c: either it is seen there that an entry refers to the
	 * record, or here that the record is folded. */
	atomic_thread_fence(memory_order_seq_cst);
	return (load32(&row->flags) & RLK_LOCK_IS_CLASS) || stands_for(row, id);
}

/* Changes flags unless the record was folded: then it is no longer the lock's. */
static bool flags_change(struct rlk_record *row, uint32_t keep, uint32_t add)
{
	uint32_t old = load32(&row->flags);

	do {
		if (old & RLK_LOCK_FOLDED)
			return false;
	} while (!atomic_compare_exchange_weak_explicit((_Atomic uint32_t *)&row->flags, &old,
		(old & keep) | add, memory_order_acq_rel, memory_order_relaxed));
	return true;
}

/* Pushes a filled record in front of its chain, unless another thread put one for the lock there
 * first. */
static uint32_t record_push(const struct lock_id *id, uint32_t number, struct rlk_record *row)
{
	uint32_t *bucket = bucket_of(id->address);
	uint32_t head;

	do {
		uint32_t other;

		/* First the head, then the search: whoever came after it makes the exchange fail.
		 */
		head = load32_acquire(bucket);
		other = record_find_from(head, id);
		if (other)
			return other - 1; /* the row stays empty: its key was never stored */
		store32(&row->next, head);
		store32(&row->generations, 1);
		/* Release pairs with the acquire in record_find(): who sees the number sees the
		 * row. */
	} while (!cas32(bucket, head, number + 1));
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
	if (births_find(id->address) != BIRTH_UNKNOWN)
		return false;
	add64(&arena_header->lost.locks_folded, 1);
	return births_keep(id->address, class_index);
}

/* *fresh: the lock was not known before, and no other thread has just added it. */
static uint32_t record_add(
	const struct lock_id *id, uint32_t class_index, uint32_t rule, bool *fresh)
{
	struct rlk_record *row;
	uint32_t number, added;

	row = record_new(&number);
	if (!row) {
		*fresh = lock_folded(id, class_index);
		return class_record(class_index);
	}
	record_fill(row, id, class_index, rule);
	added = record_push(id, number, row);
	*fresh = added == number;
	if (!*fresh) {
		store32(&row->flags, RLK_LOCK_FOLDED);
		store32(&row->generations, 0);
	}
	return added;
}

uint32_t lock_record(const struct lock_id *id, uint64_t site)
{
	uint32_t number = record_find(id), class_index;
	struct birth birth;
	bool fresh;

	if (number)
		return number - 1;
	class_index = births_find(id->address);
	if (class_index != BIRTH_UNKNOWN && class_row(class_index)->kind == (uint32_t)id->kind) {
		birth = class_birth(class_index);
		number = record_add(id, class_index, rule_of(class_index, &birth), &fresh);
		if (!(load32(&lock_row(number)->flags) & RLK_LOCK_IS_CLASS))
			births_forget(id->address);
		return number;
	}
	birth = birth_of(id, site, false);
	class_index = class_of(&birth);
	number = record_add(id, class_index, rule_of(class_index, &birth), &fresh);
	if (fresh)
		add64(&class_row(class_index)->created, 1);
	return number;
}

static bool born_alike(const struct rlk_record *row, const struct lock_id *id, uint64_t site)
{
	const struct rlk_class *class = class_row(row->class_index);

	return (class->birth == RLK_BORN_INIT && class->address == site) ||
	       (class->birth == RLK_BORN_STATIC && class->address == id->address);
}

/* The record of an earlier lock that was born of this class at this address, and replaced since; or
 * NULL. */
static struct rlk_record *record_replaced_in(
	const uint32_t *bucket, const struct lock_id *id, uint32_t class_index)
{
	uint32_t number = load32_acquire(bucket);

	while (number) {
		struct rlk_record *row = lock_row(number - 1);

		if (load64(&row->lock) == id->address && row->kind == (uint32_t)id->kind &&
			row->class_index == class_index)
			return row;
		number = load32(&row->next);
	}
	return NULL;
}

static struct rlk_record *record_replaced(const struct lock_id *id, uint32_t class_index)
{
	struct rlk_record *row = NULL;

	if (are_many())
		row = record_replaced_in(bucket_of_many(id->address), id, class_index);
	return row ? row : record_replaced_in(bucket_of_few(id->address), id, class_index);
}

/* False: it was folded meanwhile. */
static bool record_reborn(struct rlk_record *row, const struct lock_id *id)
{
	if (!flags_change(row, 0, id->flags))
		return false;
	store32(&row->generations, row->generations + 1);
	return true;
}

/* Another lock has the address from now on: threads have to look again. */
static void record_replace(struct rlk_record *row)
{
	flags_change(row, UINT32_MAX, RLK_LOCK_DESTROYED | RLK_LOCK_REPLACED);
	lock_stamp_change(row->lock);
}

void lock_born(const struct lock_id *id, uint64_t site)
{
	uint32_t number = record_find(id), class_index;
	struct rlk_record *row = number ? lock_row(number - 1) : NULL;
	struct birth birth;
	bool fresh;

	births_forget(id->address);
	if (row && born_alike(row, id, site) && record_reborn(row, id)) {
		add64(&class_row(row->class_index)->created, 1);
		return;
	}
	if (row)
		record_replace(row);
	birth = birth_of(id, site, true);
	class_index = class_of(&birth);
	add64(&class_row(class_index)->created, 1);
	/* Addresses are used in turn by locks from a few places: as many records as places, however
	 * often. */
	row = number ? record_replaced(id, class_index) : NULL;
	if (row && record_reborn(row, id))
		store32(&row->rule, rule_of(class_index, &birth));
	else
		record_add(id, class_index, rule_of(class_index, &birth), &fresh);
}

void lock_died(const struct lock_id *id)
{
	uint32_t number = record_find(id), class_index = BIRTH_UNKNOWN;
	struct rlk_record *row = number ? lock_row(number - 1) : NULL;

	if (row)
		class_index = row->class_index;
	if (!row || !flags_change(row, UINT32_MAX, RLK_LOCK_DESTROYED)) {
		class_index = births_find(id->address);
		births_forget(id->address);
	}
	if (class_index != BIRTH_UNKNOWN)
		add64(&class_row(class_index)->destroyed, 1);
}

/* --- folding */

static bool unlink_from(uint32_t *bucket, uint32_t record)
{
	const struct rlk_record *row = lock_row(record);
	uint32_t *link, number;

	do {
		link = bucket;
		while ((number = load32_acquire(link)) && number != record + 1)
			link = &lock_row(number - 1)->next;
		/* Others push at the head; what is in front of it otherwise stays there. */
	} while (number && link == bucket && !cas32(bucket, number, row->next));
	if (number && link != bucket)
		store32(link, row->next);
	return number != 0;
}

void lock_unlink(uint32_t record)
{
	uint64_t address = lock_row(record)->lock;

	if (!unlink_from(bucket_of_few(address), record) && are_many())
		unlink_from(bucket_of_many(address), record);
}

/* --- over a fork */

struct carried {
	uint64_t bytes, count;
	struct {
		struct lock_id id;
		struct birth birth;
	} lock[];
};

/* A static lock is found again by its address, and what is gone needs no birth. */
static bool is_carried(const struct rlk_record *row)
{
	uint32_t birth = class_row(row->class_index)->birth;

	return load32(&row->generations) &&
	       (birth == RLK_BORN_INIT || birth == RLK_BORN_FIRST_USE) &&
	       !(load32(&row->flags) & (RLK_LOCK_IS_CLASS | RLK_LOCK_DESTROYED | NOBODYS));
}

static void carry(struct carried *to, uint64_t lock, uint32_t flags, uint32_t class_index)
{
	struct birth birth = class_birth(class_index);

	to->lock[to->count].id = (struct lock_id){lock, birth.kind, flags};
	to->lock[to->count++].birth = birth;
}

static void carry_births(struct carried *to, uint64_t most)
{
	uint64_t lock;
	uint32_t class_index;

	for (uint32_t slot = 0; slot < BIRTHS_SLOTS && to->count < most; slot++) {
		if (births_at(slot, &lock, &class_index))
			carry(to, lock, 0, class_index);
	}
}

struct carried *locks_take(void)
{
	uint32_t count = table_count(&records), births = births_count();
	uint64_t most = (uint64_t)count + births;
	uint64_t bytes = sizeof(struct carried) + most * sizeof(((struct carried *)0)->lock[0]);
	struct carried *carried = NULL;

	/* Some records may have no page, not even for reading, where the disk was full. */
	if (rules_exist() && count && !arena_failed())
		carried = private_memory(bytes);
	if (!carried)
		return NULL;
	carried->bytes = bytes;
	for (uint32_t i = 0; i < count; i++) {
		const struct rlk_record *row = lock_row(i);

		if (is_carried(row))
			carry(carried, row->lock, row->flags, row->class_index);
	}
	if (births)
		carry_births(carried, most);
	return carried;
}

void locks_carry(struct carried *carried)
{
	bool fresh;

	for (uint64_t i = 0; i < carried->count; i++) {
		const struct birth *birth = &carried->lock[i].birth;
		uint32_t class_index = class_of(birth);

		record_add(&carried->lock[i].id, class_index, rule_of(class_index, birth), &fresh);
	}
	munmap(carried, carried->bytes);
}
