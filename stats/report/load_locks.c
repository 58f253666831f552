/* Lock classes and locks. */
#include "stats/report/load.h"
#include "stats/report/memory.h"

struct class_key {
	const struct model *model;
	const struct class *class;
};

static bool class_same(const void *context, uint32_t row)
{
	const struct class_key *key = context;
	const struct class *a = key->class, *b = &key->model->classes.row[row];

	return a->birth == b->birth && a->kind == b->kind && a->context == b->context &&
	       a->place.module == b->place.module && a->place.run == b->place.run &&
	       a->place.offset == b->place.offset;
}

static uint32_t class_intern(struct model *m, const struct class *class)
{
	struct class_key key = {m, class};
	uint64_t hash =
		index_hash(index_hash(index_hash(class->birth, class->kind), class->context),
			index_hash(class->place.module, class->place.offset));
	uint32_t row = index_find(&m->classes.index, hash, class_same, &key);

	if (row == INDEX_NONE && !model_room(m, SHARE_CLASSES, sizeof *class))
		return NONE;
	if (row == INDEX_NONE) {
		row = (uint32_t)m->classes.count;
		m->classes.row = memory_grow(
			m->classes.row, row, &m->classes.capacity, sizeof *m->classes.row);
		m->classes.row[m->classes.count++] = *class;
		index_insert(&m->classes.index, hash, row);
		return row;
	}
	m->classes.row[row].created += class->created;
	m->classes.row[row].destroyed += class->destroyed;
	return row;
}

static bool load_class(struct load *l, uint64_t index, const struct rlk_class *from)
{
	struct class class = {.birth = from->birth,
		.kind = from->kind,
		.context = load_context(l, from->context),
		.place = load_place(l, from->module, from->address),
		.created = from->created,
		.destroyed = from->destroyed};

	if (class.birth > RLK_BORN_UNKNOWN || class.kind >= RLK_KINDS)
		return false;
	/* A static lock is its variable; the context repeats that, as far as sites were kept. For
	 * the others the address is where to look when no context was kept. */
	if (class.birth == RLK_BORN_STATIC) {
		class.context = 0;
	} else if (class.context == 0 && from->address != 0) {
		uint32_t site = load_site(l, &class.place);

		class.context = site == NONE ? 0 : RLK_CONTEXT_SITE(site);
	}
	return map_set(l, &l->classes, index, class_intern(l->model, &class));
}

void load_classes(struct load *l)
{
	const struct rlk_class *row;
	struct rows rows;

	map_begin(&l->classes, l->recording, RLK_CLASSES);
	rows_begin(&rows, l->recording, RLK_CLASSES);
	while ((row = rows_next(&rows)))
		if (row->birth != 0 && !load_class(l, rows.index, row))
			l->damaged++;
}

/* --- locks */

struct lock_key {
	const struct model *model;
	const struct lock *lock;
};

static bool is_static(const struct model *m, const struct lock *lock)
{
	return lock->class != NONE && m->classes.row[lock->class].birth == RLK_BORN_STATIC &&
	       m->classes.row[lock->class].place.module != NONE &&
	       !(lock->flags & RLK_LOCK_IS_CLASS);
}

static bool lock_same(const void *context, uint32_t row)
{
	const struct lock_key *key = context;
	const struct lock *a = key->lock, *b = &key->model->locks.row[row];

	if (a->class != b->class || a->kind != b->kind ||
		(a->flags & RLK_LOCK_IS_CLASS) != (b->flags & RLK_LOCK_IS_CLASS))
		return false;
	return is_static(key->model, a) || (a->run == b->run && a->address == b->address);
}

/* load_rest()'s have, always: they are one a kind, and one a recording. */
static bool lock_has_room(struct model *m, const struct lock *lock)
{
	return (lock->class == NONE && lock->flags & RLK_LOCK_IS_CLASS && lock->address == 0) ||
	       model_room(m, SHARE_LOCKS, sizeof *lock);
}

/* Adds the row to the one it is the same lock as, or as a new one. NONE: there is no room. */
static uint32_t lock_intern(struct model *m, const struct lock *lock)
{
	struct lock_key key = {m, lock};
	uint64_t hash = index_hash(lock->class, lock->kind);
	struct lock *kept;
	uint32_t row;

	if (!is_static(m, lock))
		hash = index_hash(index_hash(hash, lock->run), lock->address);
	row = index_find(&m->locks.index, hash, lock_same, &key);
	if (row == INDEX_NONE && !lock_has_room(m, lock))
		return NONE;
	if (row == INDEX_NONE) {
		row = (uint32_t)m->locks.count;
		m->locks.row =
			memory_grow(m->locks.row, row, &m->locks.capacity, sizeof *m->locks.row);
		m->locks.row[m->locks.count++] = *lock;
		index_insert(&m->locks.index, hash, row);
		if (lock->class != NONE)
			m->classes.row[lock->class].locks++;
		return row;
	}
	kept = &m->locks.row[row];
	kept->flags |= lock->flags;
	kept->generations += lock->generations;
	if (kept->waiters_max < lock->waiters_max)
		kept->waiters_max = lock->waiters_max;
	return row;
}

static void count_lives(struct class *class, const struct rlk_record *from)
{
	class->created += RLK_RECORD_CREATED(from->generations);
	class->destroyed += RLK_RECORD_DESTROYED(from->generations, from->flags);
}

static bool load_record(struct load *l, uint64_t index, const struct rlk_record *from)
{
	struct lock lock = {.address = from->lock,
		.class = map_get(&l->classes, from->class_index),
		.run = l->run,
		.kind = from->kind,
		.flags = from->flags,
		.generations = from->generations,
		.waiters_max = from->waiters_max,
		.rule = from->rule};

	if (from->kind >= RLK_KINDS)
		return false;
	if (lock.class == NONE)
		l->orphans += !l->model->full;
	else
		count_lives(&l->model->classes.row[lock.class], from);
	return map_set(l, &l->locks, index, lock_intern(l->model, &lock));
}

void load_locks(struct load *l)
{
	const struct rlk_record *row;
	struct rows rows;

	map_begin(&l->locks, l->recording, RLK_RECORDS);
	rows_begin(&rows, l->recording, RLK_RECORDS);
	while ((row = rows_next(&rows)))
		if (row->generations != 0 && !load_record(l, rows.index, row))
			l->damaged++;
}

struct lock *load_rest(struct load *l, uint32_t kind)
{
	const struct lock lock = {.class = NONE,
		.kind = kind == RLK_KIND_WRLOCK ? RLK_KIND_RDLOCK : kind,
		.flags = RLK_LOCK_IS_CLASS,
		.generations = 1};
	uint32_t row = lock_intern(l->model, &lock);

	return &l->model->locks.row[row];
}

struct lock *load_lock(struct load *l, uint32_t record_plus_1, uint64_t address, uint32_t kind)
{
	uint32_t row = record_plus_1 ? map_get(&l->locks, record_plus_1 - 1) : NONE;

	if (row == NONE) {
		struct lock lock = {.address = address,
			.class = NONE,
			.run = l->run,
			.kind = kind == RLK_KIND_WRLOCK ? RLK_KIND_RDLOCK : kind,
			.generations = 1};

		/* Its own row may be one of those that were left out. */
		l->orphans += !l->model->full;
		row = lock_intern(l->model, &lock);
	}
	if (row == NONE)
		return load_rest(l, kind);
	return &l->model->locks.row[row];
}
