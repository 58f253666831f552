/*
 * Finding the blocks of a recording. For reader.c and rows.c only.
 */
#ifndef RELOCK_STATS_REPORT_BLOCKS_H
#define RELOCK_STATS_REPORT_BLOCKS_H

#include "stats/report/reader.h"

/* Walks the file and fills recording->blocks. What cannot be a block is noted and stepped over. */
void blocks_scan(struct recording *recording);

/* Bytes a row of this type has at least; never 0. */
size_t blocks_row_bytes(enum rlk_block_type type);

/* The first offset not below `offset` that was ever written, or UINT64_MAX. Where the file system
 * cannot tell, `offset` itself. */
uint64_t blocks_next_data(const struct recording *recording, uint64_t offset);

#endif
