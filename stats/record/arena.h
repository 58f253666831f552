/*
 * The memory the recording lives in: one range of addresses, handed out block by block, never moved
 * or given back.
 *
 * It begins as private memory; arena_attach() puts a file under it, at the same addresses, once the
 * process turns out to be worth a recording. So what was counted before is kept and no pointer
 * changes.
 *
 * Contract: arena_block() and arena_touch() may be called by any thread at any time, in signal
 * handlers too; they take no lock and allocate nothing else. arena_open(), arena_attach() and
 * arena_reset() are for one thread alone.
 */
#ifndef RELOCK_STATS_RECORD_ARENA_H
#define RELOCK_STATS_RECORD_ARENA_H

#include "stats/format.h"

#include <stdbool.h>
#include <stddef.h>

/* Of a limit on address space the arena takes one part in so many. */
#define ARENA_SHARE 8

/* The recording's header, at the start of the range. NULL until arena_open() succeeded. */
extern struct rlk_header *arena_header;

/* Reserves `bytes` of address space (less when the system refuses so much). False: not even 1 MiB
 * was to be had. */
bool arena_open(uint64_t bytes);
/* Why it did not: EFBIG, files may not be so large; or ENOMEM. */
extern int arena_shortage;

/* No errno: the file would be under a quota that could end the program. */
#define ARENA_QUOTA (-1)

/* Moves what was recorded so far into the new file `path` and maps that. 0, an errno or
 * ARENA_QUOTA; the arena stays usable. */
int arena_attach(const char *path);

/* Whether a file is under the arena. */
bool arena_attached(void);

/* Gives address space back: what lies beyond `bytes` and was not handed out. */
void arena_limit(uint64_t bytes);

/* In a forked child: drops the parent's mapping and begins anew with empty private memory at the
 * same addresses. */
bool arena_reset(void);

/*
 * A new block for rows of `row_size` bytes, at least `rows` of them, zeroed. `whole` makes sure
 * of its pages now; without it the caller calls arena_touch() before it writes. NULL when the arena
 * is full or the file system is.
 */
struct rlk_block *arena_block(enum rlk_block_type type, size_t row_size, uint32_t rows,
	uint32_t first, uint32_t shard, bool whole);

/* Makes sure that the pages of [at, at + length) exist, so that writing to them cannot raise SIGBUS
 * on a full disk. */
bool arena_touch(const void *at, size_t length);

/* Copies a text into the recording. {0, 0} when there is no room. One thread at a time. */
struct rlk_text arena_text(const char *text, size_t length);

/* Goes over the blocks there are, from the newest (after NULL) to the first; NULL at the end. Those
 * that are made meanwhile are left out. */
struct rlk_block *arena_next(const struct rlk_block *after);

/* Whether pages could not be had once: from then on some rows that were handed out cannot even be
 * read. */
bool arena_failed(void);

static inline void *block_rows(struct rlk_block *block)
{
	return block + 1;
}

/* Private zeroed memory of the recorder, outside of the recording. NULL when there is none. */
void *private_memory(size_t bytes);
/* The same, which a child of fork() finds all zero (Linux 4.14). */
void *private_memory_wiped(size_t bytes);

#endif
