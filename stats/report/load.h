/*
 * Adding one recording to the model, step by step. For model.c and the load_*.c files only.
 *
 * The steps follow the references: places before locks before counts before threads. Each step maps
 * the recording's own indices to rows of the model; an index that leads nowhere gives NONE.
 */
#ifndef RELOCK_STATS_REPORT_LOAD_H
#define RELOCK_STATS_REPORT_LOAD_H

#include "stats/report/model.h"
#include "stats/report/sparse.h"

/* Index in the recording → row of the model. */
struct map {
	struct sparse rows; /* uint32_t: row + 1 */
	uint64_t limit;     /* indices from here on cannot be right */
};

struct local_module {
	uint64_t start, end, bias;
	uint64_t index; /* in the recording */
	uint32_t row;   /* of the model */
};

/* What all takers of a shard counted in it. */
struct shard_sum {
	uint64_t acquired, contended, wait_ticks;
};

/* What an entry counts in place of what stands in it: it was part of a move when the process ended.
 */
struct moved {
	uint64_t offset, acquired;
	size_t order; /* of those for one entry the last holds */
};

struct load {
	struct model *model;
	const struct recording *recording;
	uint32_t run;
	struct map modules; /* to rows of local_modules */
	struct map sites, stacks, classes, locks;
	struct local_module *local_modules;
	size_t local_module_count, local_module_capacity;
	struct local_module *ranges; /* the same by address */
	struct sparse shards;        /* struct shard_sum, by index of the shard */
	struct moved *moved;         /* by offset */
	size_t moved_count;
	uint64_t last_ticks; /* latest moment met */
	uint64_t damaged;    /* rows that cannot be right */
	uint64_t orphans;    /* rows of locks that are not in the recording */
};

void map_begin(struct map *map, const struct recording *recording, enum rlk_block_type type);
/* False: there cannot be such an index. */
bool map_set(struct load *load, struct map *map, uint64_t index, uint32_t row);
uint32_t map_get(const struct map *map, uint64_t index);
void map_end(struct map *map);

void load_run(struct load *load);    /* header and texts; sets load->run */
void load_places(struct load *load); /* modules, sites, stacks */
void load_classes(struct load *load);
void load_locks(struct load *load);
void load_counts(struct load *load); /* entries and cells */
void load_pairs(struct load *load);
void load_yield_sites(struct load *load);
void load_threads(struct load *load);
void load_run_end(struct load *load); /* what needs all of the above */

/* sparse_make(); NULL when there is no room. */
void *load_sparse(struct load *load, struct sparse *table, uint64_t index);

/* From an index + 1, as rows of the recording refer to modules, to a place. */
struct site load_place(const struct load *load, uint32_t module_plus_1, uint64_t address);
/* The module whose range an address is in, as 1 + index; 0: none. */
uint32_t load_module_around(const struct load *load, uint64_t address);
/* NONE: there is no room for it. */
uint32_t load_site(struct load *load, const struct site *site);
uint32_t load_context(const struct load *load, uint32_t context);
/* The shard's sums; NULL when there cannot be such a shard, or no room. `shard` as in rlk_block. */
struct shard_sum *load_shard(struct load *load, uint32_t shard);
/* The lock that a row of the recording refers to by 1 + index; one of its own when it is unknown,
 * and the one of load_rest() when there is no room for that. */
struct lock *load_lock(struct load *load, uint32_t record_plus_1, uint64_t address, uint32_t kind);
/* The row that stands for locks of a kind that are left out. */
struct lock *load_rest(struct load *load, uint32_t kind);

#endif
