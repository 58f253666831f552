#include "stats/record/chains.h"

#include <string.h>
#include <sys/mman.h>

/*
 * Few locks, wherever they are, must not touch many pages: there
 * is a small table for the first, and a big one, in which neighbouring locks have neighbouring
 * buckets, for those that come later. A lock may be in either; while one becomes the other two
 * threads may make two records for one lock, once.
 */
#define FEW_BITS 13
#define FEW (1u << (FEW_BITS - 1))
#define MANY_BITS 22

static uint32_t few[1u << FEW_BITS];
static uint32_t *many;

bool chains_open(void)
{
	if (!many)
		many = private_memory(sizeof(*many) << MANY_BITS);
	return many != NULL;
}

void chains_reset(void)
{
	memset(few, 0, sizeof(few));
	if (many)
		madvise(many, sizeof(*many) << MANY_BITS, MADV_DONTNEED);
}

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
	return lock_records() > FEW;
}

unsigned chains_of(uint64_t address, uint32_t *bucket[CHAINS_MOST])
{
	unsigned count = 0;

	if (are_many())
		bucket[count++] = bucket_of_many(address);
	bucket[count++] = bucket_of_few(address);
	return count;
}

uint32_t *chain_to_push(uint64_t address)
{
	return are_many() ? bucket_of_many(address) : bucket_of_few(address);
}

bool chain_unlink(uint32_t *bucket, uint32_t record)
{
	uint32_t next = load32(&lock_row(record)->next), head, number, *link;

	do {
		head = load32_acquire(bucket);
		number = head & CHAIN_NUMBER;
		link = NULL;
		while (number && number != record + 1) {
			link = &lock_row(number - 1)->next;
			number = load32_acquire(link);
		}
		/* Others push at the head; what is in front of it otherwise stays there. */
	} while (number && !link && !chain_change(bucket, head, next));
	/* Release pairs with the acquire in record_find_from(). */
	if (number && link)
		store32_release(link, next);
	return number != 0;
}
