#include "stats/record/births.h"

#include "stats/record/arena.h"
#include "stats/record/shared.h"

#include <sys/mman.h>

#define PROBES 64
#define GONE 1   /* a place that was taken: searches go on behind it */
#define ENDING 2 /* the same, and about to end them */

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

/* Whether searches come to a place that was just taken, and will. Those in front of it may have
 * gone and been tidied since it was chosen, or another thread may have kept the lock in one. */
static bool is_reached(uint64_t lock, const uint64_t *taken_slot)
{
	uint64_t value = GONE;

	/* Pairs with the fence in births_tidy(): either it is seen there that the place is taken,
	 * or here that searches end in front of it. And with itself: of two threads that keep one
	 * lock, one at least sees the other. */
	atomic_thread_fence(memory_order_seq_cst);
	for (unsigned step = 0; value && value != ENDING; step++) {
		const uint64_t *slot = slot_at(lock, step);

		if (slot == taken_slot)
			return true;
		value = load64(slot);
		if (value >> 16 == lock)
			return false;
	}
	return false;
}

bool births_keep(uint64_t lock, uint32_t class_index)
{
	uint64_t value = lock << 16 | (class_index + 1);

	if (lock >> 48 || slot_of(lock))
		return false;
	for (unsigned step = 0; step < PROBES; step++) {
		uint64_t *slot = slot_at(lock, step), old = load64(slot);

		if (old > GONE)
			continue;
		if (!cas64(slot, old, value)) {
			/* Another thread took the place meanwhile, for the same lock perhaps. */
			if (load64(slot) >> 16 == lock)
				return false;
			continue;
		}
		if (old != GONE)
			add32(&taken, 1);
		add32(&kept, 1);
		if (is_reached(lock, slot))
			return true;
		if (cas64(slot, value, GONE))
			add32(&kept, (uint32_t)-1);
		return false;
	}
	return false;
}

static bool ends_searches(uint32_t slot)
{
	return load64(&slots[slot & (BIRTHS_SLOTS - 1)]) == 0;
}

/* No search goes beyond a place that is 0, so one in front of it that is gone may be 0 as well. */
void births_tidy(void)
{
	uint32_t all = load32(&taken);

	if (all < BIRTHS_SLOTS / 8 || load32(&kept) > all / 2)
		return;
	for (uint32_t i = BIRTHS_SLOTS; i-- > 0;) {
		if (load64(&slots[i]) != GONE || !ends_searches(i + 1) ||
			!cas64(&slots[i], GONE, ENDING))
			continue;
		/* Pairs with the fence in is_reached(). */
		atomic_thread_fence(memory_order_seq_cst);
		if (ends_searches(i + 1)) {
			store64(&slots[i], 0);
			add32(&taken, (uint32_t)-1);
		} else {
			store64(&slots[i], GONE);
		}
	}
}

uint32_t births_find(uint64_t lock)
{
	const uint64_t *slot = load32(&kept) ? slot_of(lock) : NULL;
	uint64_t value = slot ? load64(slot) : 0;

	return value >> 16 == lock ? (uint32_t)(value & 0xffff) - 1 : BIRTH_UNKNOWN;
}

bool births_forget(uint64_t lock)
{
	bool forgot = false;
	uint64_t *slot;

	/* It is there twice while two threads keep it at once. */
	while (load32(&kept) && (slot = slot_of(lock))) {
		uint64_t value = load64(slot);

		if (value >> 16 != lock || !cas64(slot, value, GONE))
			continue;
		add32(&kept, (uint32_t)-1);
		forgot = true;
	}
	return forgot;
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
	return value > ENDING;
}
