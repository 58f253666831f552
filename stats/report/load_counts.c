/* Counts: entries, cells, pairs and yield sites, added up over threads. */
#include "stats/report/load.h"
#include "stats/report/memory.h"

#include <stdlib.h>

struct shard_sum *load_shard(struct load *l, uint32_t shard)
{
	/* Every shard has at least a block of its own. */
	if (shard == 0 || shard > l->recording->size / RLK_PAGE)
		return NULL;
	return load_sparse(l, &l->shards, shard - 1);
}

static struct side *lock_side(struct lock *lock, uint32_t kind)
{
	return &lock->side[kind == RLK_KIND_WRLOCK ? SIDE_WRITE : SIDE_READ];
}

static int moved_compare(const void *a, const void *b)
{
	const struct moved *x = a, *y = b;

	if (x->offset != y->offset)
		return x->offset < y->offset ? -1 : 1;
	return (x->order > y->order) - (x->order < y->order);
}

static void load_moves(struct load *l)
{
	const struct rlk_shard *row;
	size_t capacity = 0;
	struct rows rows;

	rows_begin(&rows, l->recording, RLK_SHARDS);
	while ((row = rows_next(&rows))) {
		const struct moved both[] = {
			{.offset = row->move.from}, {row->move.to, row->move.acquired, 0}};

		for (size_t i = 0; row->move.from && i < 2; i++) {
			if (!model_room(l->model, SHARE_READING, sizeof *l->moved))
				break;
			l->moved =
				memory_grow(l->moved, l->moved_count, &capacity, sizeof *l->moved);
			l->moved[l->moved_count] = both[i];
			l->moved[l->moved_count].order = l->moved_count;
			l->moved_count++;
		}
	}
	if (l->moved_count > 0)
		qsort(l->moved, l->moved_count, sizeof *l->moved, moved_compare);
}

/* The process ended while counts were moved, which is done one by one in each shard. */
static void finish_moves(const struct load *l, uint64_t offset, struct rlk_entry *entry)
{
	size_t low = 0, high = l->moved_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (l->moved[middle].offset <= offset)
			low = middle + 1;
		else
			high = middle;
	}
	if (low > 0 && l->moved[low - 1].offset == offset)
		entry->acquired = l->moved[low - 1].acquired;
}

static void load_entry(struct load *l, uint32_t shard, const struct rlk_entry *from)
{
	bool is_class = (from->lock & RLK_ENTRY_CLASS) != 0;
	enum rlk_kind kind = RLK_ENTRY_KIND(from->state);
	struct lock *lock =
		load_lock(l, from->record, is_class ? 0 : RLK_ENTRY_ADDRESS(from->lock), kind);
	struct side *side = lock_side(lock, kind);
	struct shard_sum *sum = load_shard(l, shard);

	if (from->lock & RLK_ENTRY_FAILED) {
		side->failed += from->acquired;
		return;
	}
	side->acquired += from->acquired;
	l->model->runs.row[l->run].acquired += from->acquired;
	if (sum)
		sum->acquired += from->acquired;
}

static void load_entries(struct load *l)
{
	const struct rlk_entry *row;
	struct rlk_entry entry;
	struct rows rows;

	load_moves(l);
	rows_begin(&rows, l->recording, RLK_ENTRIES);
	while ((row = rows_next(&rows))) {
		if (row->lock == 0)
			continue;
		entry = *row;
		finish_moves(l, rows.offset, &entry);
		/* Without a count it may well refer to a record that was given back. */
		if (entry.acquired)
			load_entry(l, rows.shard, &entry);
	}
	free(l->moved);
}

static void run_add_cell(struct run *run, const struct rlk_cell *cell)
{
	const uint64_t *counter = &cell->contended;

	for (enum counter id = 0; id < COUNTERS; id++) {
		uint64_t value =
			counter_info[id].is_time ? clock_ns(&run->clock, counter[id]) : counter[id];

		if (!counter_info[id].is_max)
			run->counter[id] += value;
		else if (run->counter[id] < value)
			run->counter[id] = value;
	}
}

/* --- bursts */

struct burst_key {
	const struct model *model;
	const struct burst *burst;
};

static bool burst_same(const void *context, uint32_t row)
{
	const struct burst_key *key = context;
	const struct burst *a = key->burst, *b = &key->model->bursts.row[row];

	return a->lock == b->lock && a->kind == b->kind && a->run == b->run && a->shard == b->shard;
}

/* NULL, like the others of this file: there is no room. */
static struct burst *burst_intern(struct model *m, const struct burst *burst)
{
	struct burst_key key = {m, burst};
	uint64_t hash = index_hash(
		index_hash(burst->lock, burst->kind), (uint64_t)burst->run << 32 | burst->shard);
	uint32_t row = index_find(&m->bursts.index, hash, burst_same, &key);

	if (row == INDEX_NONE && !model_room(m, SHARE_WAITS, sizeof *burst))
		return NULL;
	if (row == INDEX_NONE) {
		row = (uint32_t)m->bursts.count;
		m->bursts.row =
			memory_grow(m->bursts.row, row, &m->bursts.capacity, sizeof *m->bursts.row);
		m->bursts.row[m->bursts.count++] = *burst;
		index_insert(&m->bursts.index, hash, row);
	}
	return &m->bursts.row[row];
}

/* What of a cell's waits or holds can have been in a run: one that is longer than the gaps of the
 * shortest run together ended it. They are known by the middle of their bucket; where none is left
 * out, exactly. Returns their sum. */
static uint64_t in_bursts(
	const uint64_t *buckets, uint64_t exact_ticks, const struct clock *clock, uint64_t *count)
{
	uint64_t ticks = 0;

	*count = 0;
	for (unsigned i = 0; i < RLK_HIST_BUCKETS; i++) {
		uint64_t middle = rlk_hist_lower(i) / 2 + rlk_hist_lower(i + 1) / 2;

		if (buckets[i] == 0)
			continue;
		if (clock_ns(clock, middle) > RLK_BURST_LEAST * RLK_BURST_GAP_NS)
			return clock_ns(clock, ticks);
		*count += buckets[i];
		ticks += middle * buckets[i];
	}
	return clock_ns(clock, exact_ticks);
}

static void load_burst(struct load *l, uint32_t lock, uint32_t shard, const struct rlk_cell *from)
{
	const struct clock *clock = &l->model->runs.row[l->run].clock;
	struct burst key = {.lock = lock, .kind = from->kind, .run = l->run, .shard = shard};
	struct burst *burst = burst_intern(l->model, &key);
	uint64_t holds, waits;

	if (!burst)
		return;
	burst->acquired += from->burst_acquired;
	burst->total_ns += clock_ns(clock, from->burst_total);
	burst->hold_ns += in_bursts(from->hold_hist, from->hold_total, clock, &holds);
	burst->wait_ns += in_bursts(from->wait_hist, from->wait_total, clock, &waits);
	burst->holds += holds;
}

/* Where the waits of a lock go that has no room for them: to those that stand for all such. */
static struct lock *lock_with_detail(struct load *l, const struct rlk_cell *cell)
{
	struct lock *lock = load_lock(l, cell->record, 0, cell->kind);
	struct side *side = lock_side(lock, cell->kind);

	if (!side->detail && !model_room(l->model, SHARE_WAITS, sizeof *side->detail)) {
		lock = load_rest(l, cell->kind);
		side = lock_side(lock, cell->kind);
	}
	if (!side->detail)
		side->detail = memory_get(1, sizeof *side->detail);
	return lock;
}

static void load_cell(struct load *l, uint32_t shard, const struct rlk_cell *from)
{
	struct run *run = &l->model->runs.row[l->run];
	struct lock *lock = lock_with_detail(l, from);
	struct detail *detail = lock_side(lock, from->kind)->detail;
	size_t buckets = (size_t)detail->wait.size + detail->hold.size;
	struct shard_sum *sum = load_shard(l, shard);

	detail_add_cell(detail, from, &run->clock, &l->model->reference);
	l->model->bytes[SHARE_WAITS] +=
		(detail->wait.size + detail->hold.size - buckets) * sizeof(uint64_t);
	run_add_cell(run, from);
	if (from->kind == RLK_KIND_SPIN)
		run->holds_spin += from->holds;
	if (from->burst_acquired > 0)
		load_burst(l, (uint32_t)(lock - l->model->locks.row), shard, from);
	if (sum) {
		sum->contended += from->contended;
		sum->wait_ticks += from->wait_total;
	}
}

static void load_cells(struct load *l)
{
	const struct rlk_cell *row;
	struct rows rows;

	rows_begin(&rows, l->recording, RLK_CELLS);
	while ((row = rows_next(&rows))) {
		if (row->record == 0)
			continue;
		if (row->kind < RLK_KINDS)
			load_cell(l, rows.shard, row);
		else
			l->damaged++;
	}
}

void load_counts(struct load *l)
{
	load_entries(l);
	load_cells(l);
}

/* --- pairs */

struct pair_key {
	const struct model *model;
	const struct pair *pair;
};

static bool pair_same(const void *context, uint32_t row)
{
	const struct pair_key *key = context;
	const struct pair *a = key->pair, *b = &key->model->pairs.row[row];

	return a->lock == b->lock && a->kind == b->kind && a->waiter == b->waiter &&
	       a->holder == b->holder;
}

static struct pair *pair_intern(struct model *m, const struct pair *pair)
{
	struct pair_key key = {m, pair};
	uint64_t hash = index_hash(
		index_hash(pair->lock, pair->kind), (uint64_t)pair->waiter << 32 | pair->holder);
	uint32_t row = index_find(&m->pairs.index, hash, pair_same, &key);

	if (row == INDEX_NONE && !model_room(m, SHARE_WAITS, sizeof *pair))
		return NULL;
	if (row == INDEX_NONE) {
		row = (uint32_t)m->pairs.count;
		m->pairs.row =
			memory_grow(m->pairs.row, row, &m->pairs.capacity, sizeof *m->pairs.row);
		m->pairs.row[m->pairs.count++] = *pair;
		index_insert(&m->pairs.index, hash, row);
	}
	return &m->pairs.row[row];
}

static void load_pair(struct load *l, const struct rlk_pair *from)
{
	struct model *m = l->model;
	const struct clock *clock = &m->runs.row[l->run].clock;
	struct lock *lock = load_lock(l, from->record, 0, from->kind);
	struct pair key = {.lock = (uint32_t)(lock - m->locks.row),
		.kind = from->kind,
		.waiter = load_context(l, from->waiter),
		.holder = load_context(l, from->holder)};
	struct pair *pair = pair_intern(m, &key);
	uint64_t max = clock_ns(clock, from->wait_max);

	if (!pair)
		return;
	pair->count += from->count;
	pair->wait_ns += clock_ns(clock, from->wait_total);
	if (pair->max_ns < max)
		pair->max_ns = max;
}

void load_pairs(struct load *l)
{
	const struct rlk_pair *row;
	struct rows rows;

	rows_begin(&rows, l->recording, RLK_PAIRS);
	while ((row = rows_next(&rows))) {
		if (row->record == 0)
			continue;
		if (row->kind < RLK_KINDS)
			load_pair(l, row);
		else
			l->damaged++;
	}
}

/* --- yield sites */

struct yield_key {
	const struct model *model;
	uint32_t site, kind;
};

static bool yield_same(const void *context, uint32_t row)
{
	const struct yield_key *key = context;
	const struct yield_site *y = &key->model->yield_sites.row[row];

	return y->site == key->site && y->kind == key->kind;
}

static struct yield_site *yield_intern(struct model *m, uint32_t site, uint32_t kind)
{
	struct yield_key key = {m, site, kind};
	uint64_t hash = index_hash(site, kind);
	uint32_t row = index_find(&m->yield_sites.index, hash, yield_same, &key);

	if (row == INDEX_NONE && !model_room(m, SHARE_WAITS, sizeof(struct yield_site)))
		return NULL;
	if (row == INDEX_NONE) {
		row = (uint32_t)m->yield_sites.count;
		m->yield_sites.row = memory_grow(m->yield_sites.row, row, &m->yield_sites.capacity,
			sizeof *m->yield_sites.row);
		m->yield_sites.row[m->yield_sites.count++] =
			(struct yield_site){.site = site, .kind = kind};
		index_insert(&m->yield_sites.index, hash, row);
	}
	return &m->yield_sites.row[row];
}

void load_yield_sites(struct load *l)
{
	const struct rlk_yield_site *row;
	struct rows rows;

	rows_begin(&rows, l->recording, RLK_YIELD_SITES);
	while ((row = rows_next(&rows))) {
		uint32_t site = row->site ? map_get(&l->sites, row->site - 1) : NONE;
		struct yield_site *to;

		if (row->kind != RLK_YIELD_SCHED && row->kind != RLK_YIELD_SLEEP) {
			l->damaged += row->kind != 0;
			continue;
		}
		if (site == NONE && row->address != 0) {
			struct site place =
				load_place(l, load_module_around(l, row->address), row->address);

			site = load_site(l, &place);
		}
		to = yield_intern(l->model, site, row->kind);
		if (!to)
			continue;
		to->count += row->count;
		to->asked_ns += row->asked_ns;
	}
}
