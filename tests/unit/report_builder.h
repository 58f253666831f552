/*
 * Makes small recordings, of rows of one's choosing: valid files, and what damaged ones are made
 * of.
 *
 * Use: builder_begin(&b); text = builder_text(&b, "…"); index = builder_add(&b, RLK_SITES, 0,
 * &row); …; builder_write(&b, path); builder_end(&b). The header is filled for a process that ended
 * well, whose ticks are ns; tests change what they like.
 */
#ifndef RELOCK_TESTS_UNIT_REPORT_BUILDER_H
#define RELOCK_TESTS_UNIT_REPORT_BUILDER_H

#include "stats/format.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BUILDER_STRINGS (64 * 1024)

struct builder_rows {
	enum rlk_block_type type;
	uint32_t shard; /* as in struct rlk_block */
	size_t row_size, count, capacity;
	unsigned char *bytes;
};

struct builder {
	struct rlk_header header;
	unsigned char *strings; /* the first block, BUILDER_STRINGS bytes */
	size_t strings_used;
	struct builder_rows *rows;
	size_t rows_count;
	size_t rows_per_block; /* more rows than that are split over blocks */
	size_t hole_pages;     /* pages left unwritten before every block */
};

void builder_begin(struct builder *b);
void builder_end(struct builder *b);

struct rlk_text builder_text(struct builder *b, const char *text);
/* Appends a row of the type's size; returns its index among those of its type and shard. */
uint32_t builder_add(struct builder *b, enum rlk_block_type type, uint32_t shard, const void *row);

/* Appends `count` rows at once. */
void builder_add_many(struct builder *b, enum rlk_block_type type, uint32_t shard, const void *rows,
	size_t count);

/* Shorter ways to common rows; each returns an index. */
uint32_t builder_module(struct builder *b, const char *path, uint64_t start, uint64_t end);
uint32_t builder_site(struct builder *b, uint64_t address, uint32_t module_plus_1);
uint32_t builder_stack(struct builder *b, const uint32_t *sites, uint32_t depth);
uint32_t builder_class(struct builder *b, enum rlk_birth birth, enum rlk_kind kind,
	uint64_t address, uint32_t module_plus_1, uint32_t context);
uint32_t builder_lock(struct builder *b, uint64_t address, uint32_t class, enum rlk_kind kind);
/* Counts of one thread (its shard's index) for a lock. */
void builder_entry(struct builder *b, uint32_t shard, uint32_t lock, uint64_t address,
	enum rlk_kind kind, uint64_t acquired);
/* Adds `count` waits of `ticks` each to a cell, as the recorder does. */
void builder_wait(struct rlk_cell *cell, uint64_t ticks, uint64_t count);
void builder_hold(struct rlk_cell *cell, uint64_t ticks, uint64_t count);

void builder_write(const struct builder *b, const char *path);

#endif
