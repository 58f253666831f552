#include "stats/record/locks.h"

#include "stats/record/sites.h"

#include <sys/mman.h>

#define BUCKET_BITS 22
#define CLASS_CHUNK 256
#define CLASS_CHUNKS 64
#define EVERYTHING_ELSE 0 /* class and record 0 collect what does not fit */

TABLE(records, RLK_RECORDS, struct rlk_record, 1024, 16384);
TABLE(classes, RLK_CLASSES, struct rlk_class, CLASS_CHUNK, CLASS_CHUNKS);

static struct index class_lookup = {.bits = 15};
static uint32_t class_records[CLASS_CHUNK * CLASS_CHUNKS]; /* 1 + record standing for the class */
static uint32_t *buckets;                                  /* 1 + first record of the chain */
static uint16_t class_rules[CLASS_CHUNK * CLASS_CHUNKS];   /* rule per lock of the class */
static uint64_t locks_max;
static lock_rule_chooser *rule_chooser;

uint32_t lock_stamps[1u << STAMP_BITS];

/* Neighbouring locks have neighbouring buckets, so that few locks touch few pages of the 16 MiB
 * reserved for them. */
static uint32_t *bucket_of(uint64_t address)
{
	return &buckets[address >> 4 & ((1u << BUCKET_BITS) - 1)];
}

struct rlk_record *lock_row(uint32_t record)
{
	return table_row(&records, record);
}

static struct rlk_record *record_fill(
	struct rlk_record *r, const struct lock_id *id, uint32_t class_index, uint32_t rule)
{
	r->lock = id->address;
	r->kind = id->kind;
	r->flags = id->flags;
	r->class_index = class_index;
	r->rule = rule;
	return r;
}

bool locks_open(uint64_t max_locks, lock_rule_chooser *chooser)
{
	struct lock_id id = {0, RLK_KIND_MUTEX, RLK_LOCK_IS_CLASS};
	struct rlk_class *class;
	struct rlk_record *record;
	uint32_t number;

	locks_max = max_locks;
	rule_chooser = chooser;
	if (!buckets)
		buckets = private_memory(sizeof(uint32_t) << BUCKET_BITS);
	if (!buckets || !index_open(&class_lookup))
		return false;
	class = table_new(&classes, &number);
	record = table_new(&records, &number);
	if (!class || !record)
		return false;
	class->birth = RLK_BORN_UNKNOWN;
	record_fill(record, &id, EVERYTHING_ELSE, 0)->generations = 1;
	class_records[EVERYTHING_ELSE] = EVERYTHING_ELSE + 1;
	return true;
}

void locks_reset(void)
{
	uint32_t count = table_count(&classes);

	for (uint32_t i = 0; i < count && i < CLASS_CHUNK * CLASS_CHUNKS; i++)
		class_records[i] = 0;
	table_reset(&records);
	table_reset(&classes);
	index_reset(&class_lookup);
	if (buckets)
		madvise(buckets, sizeof(uint32_t) << BUCKET_BITS, MADV_DONTNEED);
}

/* --- classes */

struct birth {
	enum rlk_birth how;
	uint64_t address; /* the lock's own, or the site's */
	enum rlk_kind kind;
	uint32_t module; /* of a static lock */
};

static struct birth birth_of(const struct lock_id *id, uint64_t site, bool initialised)
{
	struct found_object object;
	struct birth birth = {initialised ? RLK_BORN_INIT : RLK_BORN_FIRST_USE, site, id->kind, 0};

	if (object_find(id->address, &object)) {
		birth.how = RLK_BORN_STATIC;
		birth.address = id->address;
		birth.module = module_of(&object, OBJECT_STAYS);
	}
	return birth;
}

static bool class_matches(const struct rlk_class *class, const struct birth *birth)
{
	return load32_acquire(&class->birth) == birth->how && class->address == birth->address &&
	       class->kind == birth->kind && (!birth->module || class->module == birth->module);
}

static uint32_t choose_rule(const struct birth *birth)
{
	/* A return address may be the first byte after its file. */
	uint64_t inside = birth->address - (birth->how != RLK_BORN_STATIC);
	struct found_object object;
	struct object_details details;

	if (!rule_chooser)
		return 0;
	if (!object_find(inside, &object))
		return rule_chooser(birth->kind, NULL, birth->address);
	object_describe(&object, &details);
	return rule_chooser(birth->kind, details.path, birth->address - details.bias);
}

static uint32_t class_add(const struct birth *birth)
{
	uint32_t number, site;
	struct rlk_class *class = table_new(&classes, &number);

	if (!class)
		return 0;
	site = birth->how == RLK_BORN_STATIC ? 0 : site_of(birth->address, OBJECT_STAYS);
	class->address = birth->address;
	class->kind = birth->kind;
	class->context = site ? RLK_CONTEXT_SITE(site - 1) : 0;
	class->module = birth->module;
	class_rules[number] = (uint16_t)choose_rule(birth);
	store32_release(&class->birth, birth->how);
	return number + 1;
}

/* Number of the class born so, added where it is new. */
static uint32_t class_of(const struct birth *birth)
{
	uint64_t hash = hash64(birth->address * 4 + birth->kind);
	uint32_t *slot, number, fresh = 0;

	for (unsigned step = 0; (slot = index_slot(&class_lookup, hash, step)); step++) {
		number = load32_acquire(slot);
		if (!number) {
			if (!fresh && !(fresh = class_add(birth)))
				break;
			if (cas32(slot, 0, fresh))
				return fresh - 1;
			number = load32_acquire(slot);
		}
		if (class_matches(table_row(&classes, number - 1), birth))
			return number - 1;
	}
	add64(&arena_header->lost.classes_dropped, 1);
	return EVERYTHING_ELSE;
}

/* What has no class of its own is decided one by one. */
static uint32_t rule_of(uint32_t class_index, const struct birth *birth)
{
	return class_index == EVERYTHING_ELSE ? choose_rule(birth) : class_rules[class_index];
}

static struct rlk_class *class_row(uint32_t number)
{
	return table_row(&classes, number);
}

static uint32_t class_record(uint32_t class_index)
{
	struct lock_id id = {0, (enum rlk_kind)class_row(class_index)->kind, RLK_LOCK_IS_CLASS};
	uint32_t number = load32_acquire(&class_records[class_index]);
	struct rlk_record *row;

	if (number)
		return number - 1;
	row = table_new(&records, &number);
	if (!row)
		return EVERYTHING_ELSE;
	record_fill(row, &id, class_index, class_rules[class_index]);
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

/* 1 + the record the address has now; chains have the newest first. */
static uint32_t record_find(const struct lock_id *id)
{
	uint32_t number = load32_acquire(bucket_of(id->address));

	while (number) {
		const struct rlk_record *row = lock_row(number - 1);

		if (row->lock == id->address && row->kind == (uint32_t)id->kind &&
			!(load32(&row->flags) & RLK_LOCK_REPLACED))
			return number;
		number = row->next;
	}
	return 0;
}

/* Pushes a filled record in front of its chain, unless another thread put one for the lock there
 * first. */
static uint32_t record_push(const struct lock_id *id, uint32_t number, struct rlk_record *row)
{
	uint32_t *bucket = bucket_of(id->address);
	uint32_t head;

	do {
		uint32_t other = record_find(id);

		head = load32_acquire(bucket);
		if (other)
			return other - 1; /* the row stays empty: its key was never stored */
		row->next = head;
		row->generations = 1;
		/* Release pairs with the acquire in record_find(): who sees the number sees the
		 * row. */
	} while (!cas32(bucket, head, number + 1));
	return number;
}

/* *fresh: it is a new record, not one that another thread has just added, nor the class's. */
static uint32_t record_add(
	const struct lock_id *id, uint32_t class_index, uint32_t rule, bool *fresh)
{
	struct rlk_record *row;
	uint32_t number, added;

	*fresh = false;
	if (table_count(&records) >= locks_max || !(row = table_new(&records, &number))) {
		add64(&arena_header->lost.locks_folded, 1);
		return class_record(class_index);
	}
	record_fill(row, id, class_index, rule);
	added = record_push(id, number, row);
	*fresh = added == number;
	if (!*fresh)
		store32(&row->generations, 0);
	return added;
}

uint32_t lock_record(const struct lock_id *id, uint64_t site)
{
	uint32_t number = record_find(id);
	struct birth birth;
	uint32_t class_index;
	bool fresh;

	if (number)
		return number - 1;
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
static struct rlk_record *record_replaced(const struct lock_id *id, uint32_t class_index)
{
	uint32_t number = load32_acquire(bucket_of(id->address));

	while (number) {
		struct rlk_record *row = lock_row(number - 1);

		if (row->lock == id->address && row->kind == (uint32_t)id->kind &&
			row->class_index == class_index)
			return row;
		number = row->next;
	}
	return NULL;
}

static void record_reborn(struct rlk_record *row, const struct lock_id *id)
{
	store32(&row->flags, id->flags);
	store32(&row->generations, row->generations + 1);
}

/* Another lock has the address from now on: threads have to look again. */
static void record_replace(struct rlk_record *row)
{
	store32(&row->flags, row->flags | RLK_LOCK_DESTROYED | RLK_LOCK_REPLACED);
	add32(&lock_stamps[stamp_index(row->lock)], 1);
}

void lock_born(const struct lock_id *id, uint64_t site)
{
	uint32_t number = record_find(id), class_index;
	struct rlk_record *row = number ? lock_row(number - 1) : NULL;
	struct birth birth;
	bool fresh;

	if (row && born_alike(row, id, site)) {
		record_reborn(row, id);
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
	if (row) {
		store32(&row->rule, rule_of(class_index, &birth));
		record_reborn(row, id);
	} else {
		record_add(id, class_index, rule_of(class_index, &birth), &fresh);
	}
}

void lock_died(const struct lock_id *id)
{
	uint32_t number = record_find(id);
	struct rlk_record *row;

	if (!number)
		return;
	row = lock_row(number - 1);
	store32(&row->flags, row->flags | RLK_LOCK_DESTROYED);
	add64(&class_row(row->class_index)->destroyed, 1);
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
	       !(load32(&row->flags) &
		       (RLK_LOCK_IS_CLASS | RLK_LOCK_DESTROYED | RLK_LOCK_REPLACED));
}

struct carried *locks_take(void)
{
	uint32_t count = table_count(&records);
	uint64_t bytes = sizeof(struct carried) + count * sizeof(((struct carried *)0)->lock[0]);
	struct carried *carried = rule_chooser && count ? private_memory(bytes) : NULL;

	if (!carried)
		return NULL;
	carried->bytes = bytes;
	for (uint32_t i = 0; i < count; i++) {
		const struct rlk_record *row = lock_row(i);
		const struct rlk_class *class = class_row(row->class_index);

		if (!is_carried(row))
			continue;
		carried->lock[carried->count].id =
			(struct lock_id){row->lock, row->kind, row->flags};
		carried->lock[carried->count++].birth =
			(struct birth){class->birth, class->address, class->kind, class->module};
	}
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
