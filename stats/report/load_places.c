/* Places: modules, sites, stacks and lock classes. */
#include "stats/report/load.h"
#include "stats/report/memory.h"

#include <stdlib.h>
#include <string.h>

#define PATH_BYTES_MAX 4096

void map_begin(struct map *map, const struct recording *recording, enum rlk_block_type type)
{
	*map = (struct map){.rows = {.row_size = sizeof(uint32_t)},
		.limit = recording_index_limit(recording, type)};
}

bool map_set(struct load *l, struct map *map, uint64_t index, uint32_t row)
{
	uint32_t *at;

	if (index >= map->limit)
		return false;
	at = load_sparse(l, &map->rows, index);
	if (at)
		*at = row + 1;
	return true;
}

uint32_t map_get(const struct map *map, uint64_t index)
{
	const uint32_t *at = sparse_find(&map->rows, index);

	return at ? *at - 1 : NONE;
}

void map_end(struct map *map)
{
	sparse_free(&map->rows);
}

/* --- modules */

struct module_key {
	const struct model *model;
	const struct module *module;
};

/* The same file is the one with the same build-id; without one, the one of the same path. */
static bool module_same(const void *context, uint32_t row)
{
	const struct module_key *key = context;
	const struct module *a = key->module, *b = &key->model->modules.row[row];

	if (a->build_id_length != b->build_id_length)
		return false;
	if (a->build_id_length > 0)
		return memcmp(a->build_id, b->build_id, a->build_id_length) == 0;
	return a->path && b->path && strcmp(a->path, b->path) == 0;
}

static uint32_t module_intern(struct model *m, struct module *module)
{
	struct module_key key = {m, module};
	uint64_t hash = module->build_id_length
				? index_hash_bytes(1, module->build_id, module->build_id_length)
				: index_hash_bytes(
					  2, module->path, module->path ? strlen(module->path) : 0);
	uint32_t row = index_find(&m->modules.index, hash, module_same, &key);

	if (row != INDEX_NONE) {
		free(module->path);
		return row;
	}
	if (!model_room(
		    m, SHARE_PLACES, sizeof *module + (module->path ? strlen(module->path) : 0))) {
		free(module->path);
		return NONE;
	}
	row = (uint32_t)m->modules.count;
	m->modules.row =
		memory_grow(m->modules.row, row, &m->modules.capacity, sizeof *m->modules.row);
	m->modules.row[m->modules.count++] = *module;
	index_insert(&m->modules.index, hash, row);
	return row;
}

static void load_module(struct load *l, uint64_t index, const struct rlk_module *from)
{
	struct module module = {.build_id_length = from->build_id_length};
	uint32_t row;

	if (module.build_id_length > RLK_BUILD_ID_MAX) {
		module.build_id_length = 0;
		l->damaged++;
	}
	memcpy(module.build_id, from->build_id, module.build_id_length);
	if (from->path.length <= PATH_BYTES_MAX)
		module.path = recording_text(l->recording, from->path);
	row = module_intern(l->model, &module);
	if (row == NONE || !model_room(l->model, SHARE_READING, 2 * sizeof(struct local_module)))
		return;
	if (!map_set(l, &l->modules, index, (uint32_t)l->local_module_count)) {
		l->damaged++;
		return;
	}
	l->local_modules = memory_grow(l->local_modules, l->local_module_count,
		&l->local_module_capacity, sizeof *l->local_modules);
	l->local_modules[l->local_module_count++] =
		(struct local_module){from->start, from->end, from->bias, index, row};
}

static int range_compare(const void *a, const void *b)
{
	const struct local_module *x = a, *y = b;

	return (x->start > y->start) - (x->start < y->start);
}

static void load_modules(struct load *l)
{
	const struct rlk_module *row;
	struct rows rows;

	map_begin(&l->modules, l->recording, RLK_MODULES);
	rows_begin(&rows, l->recording, RLK_MODULES);
	while ((row = rows_next(&rows)))
		if (row->end != 0)
			load_module(l, rows.index, row);
	l->ranges = memory_get(l->local_module_count, sizeof *l->ranges);
	for (size_t i = 0; i < l->local_module_count; i++)
		l->ranges[i] = l->local_modules[i];
	qsort(l->ranges, l->local_module_count, sizeof *l->ranges, range_compare);
}

uint32_t load_module_around(const struct load *l, uint64_t address)
{
	size_t low = 0, high = l->local_module_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (l->ranges[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low > 0 && address < l->ranges[low - 1].end ? (uint32_t)l->ranges[low - 1].index + 1
							   : 0;
}

/* --- sites */

struct site load_place(const struct load *l, uint32_t module_plus_1, uint64_t address)
{
	uint32_t local = module_plus_1 ? map_get(&l->modules, module_plus_1 - 1) : NONE;

	if (local == NONE)
		return (struct site){.module = NONE, .run = l->run, .offset = address};
	return (struct site){.module = l->local_modules[local].row,
		.offset = address - l->local_modules[local].bias};
}

struct site_key {
	const struct model *model;
	const struct site *site;
};

static bool site_equal(const struct site *a, const struct site *b)
{
	return a->module == b->module && a->run == b->run && a->offset == b->offset;
}

static uint64_t site_hash(const struct site *site)
{
	return index_hash(index_hash(site->module, site->run), site->offset);
}

static bool site_same(const void *context, uint32_t row)
{
	const struct site_key *key = context;

	return site_equal(key->site, &key->model->sites.row[row]);
}

uint32_t load_site(struct load *l, const struct site *site)
{
	struct model *m = l->model;
	struct site_key key = {m, site};
	uint64_t hash = site_hash(site);
	uint32_t row = index_find(&m->sites.index, hash, site_same, &key);

	if (row != INDEX_NONE)
		return row;
	if (!model_room(m, SHARE_PLACES, sizeof *site))
		return NONE;
	row = (uint32_t)m->sites.count;
	m->sites.row = memory_grow(m->sites.row, row, &m->sites.capacity, sizeof *m->sites.row);
	m->sites.row[m->sites.count++] = *site;
	index_insert(&m->sites.index, hash, row);
	return row;
}

static void load_sites(struct load *l)
{
	const struct rlk_site *row;
	struct rows rows;

	map_begin(&l->sites, l->recording, RLK_SITES);
	rows_begin(&rows, l->recording, RLK_SITES);
	while ((row = rows_next(&rows))) {
		struct site site;

		if (row->address == 0)
			continue;
		site = load_place(l, row->module, row->address);
		if (!map_set(l, &l->sites, rows.index, load_site(l, &site)))
			l->damaged++;
	}
}

/* --- stacks */

struct stack_key {
	const struct model *model;
	const uint32_t *sites;
	uint32_t depth;
	bool truncated;
};

static bool stack_same(const void *context, uint32_t row)
{
	const struct stack_key *key = context;
	const struct stack *s = &key->model->stacks.row[row];

	return s->depth == key->depth && s->truncated == key->truncated &&
	       memcmp(key->model->stack_sites + s->first, key->sites,
		       key->depth * sizeof *key->sites) == 0;
}

static uint32_t stack_append(struct model *m, const struct stack_key *key)
{
	uint32_t row = (uint32_t)m->stacks.count;

	m->stacks.row = memory_grow(m->stacks.row, row, &m->stacks.capacity, sizeof *m->stacks.row);
	m->stacks.row[m->stacks.count++] =
		(struct stack){(uint32_t)m->stack_sites_count, key->depth, key->truncated};
	for (uint32_t i = 0; i < key->depth; i++) {
		m->stack_sites = memory_grow(m->stack_sites, m->stack_sites_count,
			&m->stack_sites_capacity, sizeof *m->stack_sites);
		m->stack_sites[m->stack_sites_count++] = key->sites[i];
	}
	return row;
}

static uint32_t stack_intern(struct model *m, const struct stack_key *key)
{
	uint64_t hash =
		index_hash_bytes(key->truncated, key->sites, key->depth * sizeof *key->sites);
	uint32_t row = index_find(&m->stacks.index, hash, stack_same, key);

	if (row != INDEX_NONE)
		return row;
	if (!model_room(m, SHARE_PLACES, sizeof(struct stack) + key->depth * sizeof *key->sites))
		return NONE;
	row = stack_append(m, key);
	index_insert(&m->stacks.index, hash, row);
	return row;
}

static void load_stack(struct load *l, uint64_t index, const struct rlk_stack *from)
{
	uint32_t sites[RLK_STACK_FRAMES];
	struct stack_key key = {l->model, sites, 0, from->truncated != 0};

	if (from->depth > RLK_STACK_FRAMES)
		l->damaged++;
	for (uint32_t i = 0; i < from->depth && i < RLK_STACK_FRAMES; i++) {
		sites[key.depth] = map_get(&l->sites, from->site[i]);
		if (sites[key.depth] != NONE)
			key.depth++;
		else
			l->damaged++;
	}
	if (key.depth > 0 && !map_set(l, &l->stacks, index, stack_intern(l->model, &key)))
		l->damaged++;
}

static void load_stacks(struct load *l)
{
	const struct rlk_stack *row;
	struct rows rows;

	map_begin(&l->stacks, l->recording, RLK_STACKS);
	rows_begin(&rows, l->recording, RLK_STACKS);
	while ((row = rows_next(&rows)))
		if (row->depth != 0)
			load_stack(l, rows.index, row);
}

uint32_t load_context(const struct load *l, uint32_t context)
{
	uint32_t row;

	if (context == 0)
		return 0;
	row = map_get(
		RLK_CONTEXT_IS_STACK(context) ? &l->stacks : &l->sites, RLK_CONTEXT_INDEX(context));
	if (row == NONE)
		return 0;
	return RLK_CONTEXT_IS_STACK(context) ? RLK_CONTEXT_STACK(row) : RLK_CONTEXT_SITE(row);
}

void load_places(struct load *l)
{
	load_modules(l);
	load_sites(l);
	load_stacks(l);
}
