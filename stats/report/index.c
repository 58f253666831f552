#include "stats/report/index.h"

#include "stats/report/memory.h"

#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

/* row 0 is an empty slot, others are the row's number + 1. The hash's low half is the first
 * position and saves most comparisons. */
struct index_slot {
	uint32_t hash, row;
};

/* Different in every process, so that no recording can be made whose rows all collide. */
static uint64_t hash_seed(void)
{
	static uint64_t seed;

	if (seed == 0) {
		const void *random = (const void *)getauxval(AT_RANDOM);

		if (random)
			memcpy(&seed, random, sizeof seed);
		seed |= 1;
	}
	return seed;
}

uint64_t index_hash(uint64_t hash, uint64_t value)
{
	hash ^= hash_seed() + value + 0x9e3779b97f4a7c15u + (hash << 6) + (hash >> 2);
	hash = (hash ^ (hash >> 30)) * 0xbf58476d1ce4e5b9u;
	hash = (hash ^ (hash >> 27)) * 0x94d049bb133111ebu;
	return hash ^ (hash >> 31);
}

uint64_t index_hash_bytes(uint64_t hash, const void *bytes, size_t length)
{
	const unsigned char *p = bytes;

	for (; length >= sizeof(uint64_t); length -= sizeof(uint64_t), p += sizeof(uint64_t)) {
		uint64_t word;

		memcpy(&word, p, sizeof word);
		hash = index_hash(hash, word);
	}
	for (; length > 0; length--, p++)
		hash = index_hash(hash, *p);
	return hash;
}

uint32_t index_find(const struct index *index, uint64_t hash, index_same *same, const void *context)
{
	size_t mask = index->capacity - 1;

	if (index->capacity == 0)
		return INDEX_NONE;
	for (size_t i = (uint32_t)hash & mask; index->slot[i].row != 0; i = (i + 1) & mask)
		if (index->slot[i].hash == (uint32_t)hash && same(context, index->slot[i].row - 1))
			return index->slot[i].row - 1;
	return INDEX_NONE;
}

static void index_place(struct index *index, struct index_slot entry, size_t at)
{
	size_t mask = index->capacity - 1;

	while (index->slot[at & mask].row != 0)
		at++;
	index->slot[at & mask] = entry;
}

static void index_enlarge(struct index *index)
{
	struct index old = *index;

	index->capacity = old.capacity ? old.capacity * 2 : 64;
	index->slot = memory_get(index->capacity, sizeof *index->slot);
	for (size_t i = 0; i < old.capacity; i++)
		if (old.slot[i].row != 0)
			index_place(index, old.slot[i], old.slot[i].hash);
	free(old.slot);
}

void index_insert(struct index *index, uint64_t hash, uint32_t row)
{
	if (index->used * 2 >= index->capacity)
		index_enlarge(index);
	index_place(index, (struct index_slot){(uint32_t)hash, row + 1}, (uint32_t)hash);
	index->used++;
}

void index_free(struct index *index)
{
	free(index->slot);
	*index = (struct index){0};
}
