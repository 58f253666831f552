/*
 * A program's own account of its locks, by the least that tells them apart: a directory by address,
 * half full, a row of 32 bytes a lock, and of its holds their sum, the longest and a histogram. No
 * library stands in between, no other thread reads it, no handler may come: what any recorder of
 * the same figures can be measured against.
 *
 * Use: ledger_open(); ledger_row() before the lock is taken, ledger_acquired() while it is held,
 * ledger_held() after the release where the hold was timed.
 */
#ifndef RELOCK_BENCH_LEDGER_H
#define RELOCK_BENCH_LEDGER_H

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define LEDGER_HUGE ((size_t)2 << 20)

struct ledger_row {
	uint64_t lock, acquired;
	const void *site;
	uint64_t spare;
};

struct ledger_holds {
	uint64_t count, total, longest, histogram[160];
};

static struct {
	uint32_t *directory;
	struct ledger_row *rows;
	struct ledger_holds *holds; /* one a row */
	unsigned shift;
	uint32_t mask, used;
} ledger;

static void *ledger_memory(size_t bytes)
{
	size_t whole = (bytes + LEDGER_HUGE - 1) / LEDGER_HUGE * LEDGER_HUGE;
	void *at = aligned_alloc(LEDGER_HUGE, whole);

	if (!at)
		abort();
	if (bytes >= LEDGER_HUGE)
		madvise(at, whole, MADV_HUGEPAGE);
	return memset(at, 0, whole);
}

static inline void ledger_open(uint32_t count, int times_holds)
{
	unsigned bits = 6;

	while (1u << bits < 2 * count)
		bits++;
	ledger.shift = 64 - bits;
	ledger.mask = (1u << bits) - 1;
	ledger.used = 1;
	ledger.directory = ledger_memory(sizeof(*ledger.directory) << bits);
	ledger.rows = ledger_memory(sizeof(*ledger.rows) * (count + 1));
	if (times_holds)
		ledger.holds = ledger_memory(sizeof(*ledger.holds) * (count + 1));
}

static inline struct ledger_row *ledger_row(const pthread_mutex_t *lock)
{
	uint32_t at = (uint32_t)((uint64_t)lock * 0x9e3779b97f4a7c15u >> ledger.shift);

	for (;; at = (at + 1) & ledger.mask) {
		struct ledger_row *row = &ledger.rows[ledger.directory[at]];

		if (row->lock == (uint64_t)lock)
			return row;
		if (ledger.directory[at] == 0) {
			row = &ledger.rows[ledger.used];
			row->lock = (uint64_t)lock;
			ledger.directory[at] = ledger.used++;
			return row;
		}
	}
}

static inline void ledger_acquired(struct ledger_row *row, const void *site)
{
	row->acquired++;
	row->site = site;
}

static inline void ledger_held(const struct ledger_row *row, uint64_t length)
{
	struct ledger_holds *holds = &ledger.holds[row - ledger.rows];
	unsigned exponent = 63u ^ (unsigned)__builtin_clzll(length | 4);

	holds->count++;
	holds->total += length;
	if (length > holds->longest)
		holds->longest = length;
	holds->histogram[exponent * 4 - 8 + (length >> (exponent - 2) & 3)]++;
}

#endif
