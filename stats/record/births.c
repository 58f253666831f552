#include "stats/record/births.h"

#include "stats/record/arena.h"
#include "stats/record/shared.h"

#include <sys/mman.h>

#define PROBES 64
#define GONE 1 /* a place that was taken: searches go on behind it */

/* Address << 16 | 1 + class; 0: a place where searches end. */
static uint64_t *slots;
static uint32_t kept;
static uint32_t taken; /* places that are not 0 */

bool births_open(void)
{
	if (!slots)
		slots = private_memory(sizeof(*slots) * BIRTHS_SLOTS);
	return slots != NULL;
}

void births_reset(void)
{
	if (slots)
		madvise(slots, sizeof(*slots) * BIRTHS_SLOTS, MADV_DONTNEED);
	store32(&kept, 0);
	store32(&taken, 0);
}

/* Neighbouring locks have neighbouring places. */
static uint64_t *slot_at(uint64_t lock, unsigned step)
{
	return &slots[((lock >> 3) + step) & (BIRTHS_SLOTS - 1)];
}

static uint64_t *slot_of(uint64_t lock)
{
	for (unsigned step = 0; step < PROBES; step++) {
		uint64_t *slot = slot_at(lock, step), value = load64_acquire(slot);

		if (value >> 16 == lock)
			return slot;
		if (!value)
			return NULL;
	}
	return NULL;
}

bool births_keep(uint64_t lock, uint32_t class_index)
{
	uint64_t value = lock << 16 | (class_index + 1);

	if (lock >> 48 || slot_of(lock))
		return false;
	for (unsigned step = 0; step < PROBES; step++) {
		uint64_t *slot = slot_at(lock, step), old = load64(slot);

		if (old <= GONE && cas64(slot, old, value)) {
			if (old != GONE)
				add32(&taken, 1);
			add32(&kept, 1);
			return true;
		}
		/* Another thread took the place meanwhile, for the same lock perhaps. */
		if (load64(slot) >> 16 == lock)
			return false;
	}
	return false;
}

/* No search goes beyond a place that is 0, so one in front of it that is gone may be 0 as well. */
void births_tidy(void)
{
	uint32_t all = load32(&taken);

	if (all < BIRTHS_SLOTS / 8 || load32(&kept) > all / 2)
		return;
	for (uint32_t i = BIRTHS_SLOTS; i-- > 0;) {
		if (load64(&slots[i]) == GONE && !load64(&slots[(i + 1) & (BIRTHS_SLOTS - 1)]) &&
			cas64(&slots[i], GONE, 0))
			add32(&taken, (uint32_t)-1);
	}
}

uint32_t births_find(uint64_t lock)
{
	const uint64_t *slot = load32(&kept) ? slot_of(lock) : NULL;
	uint64_t value = slot ? load64(slot) : 0;

	return value >> 16 == lock ? (uint32_t)(value & 0xffff) - 1 : BIRTH_UNKNOWN;
}

void births_forget(uint64_t lock)
{
	uint64_t *slot = load32(&kept) ? slot_of(lock) : NULL;
	uint64_t value = slot ? load64(slot) : 0;

	if (slot && value >> 16 == lock && cas64(slot, value, GONE))
		add32(&kept, (uint32_t)-1);
}

uint32_t births_count(void)
{
	return load32(&kept);
}

bool births_at(uint32_t slot, uint64_t *lock, uint32_t *class_index)
{
	uint64_t value = load64(&slots[slot]);

	*lock = value >> 16;
	*class_index = (uint32_t)(value & 0xffff) - 1;
	return value > GONE;
}
