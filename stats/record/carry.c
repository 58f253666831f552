/* What a forked child keeps of the locks that its parent made. */
#include "stats/record/births.h"
#include "stats/record/classes.h"
#include "stats/record/locks.h"

#include <sys/mman.h>

struct carried {
	uint64_t bytes, count;
	struct {
		struct lock_id id;
		struct birth birth;
	} lock[];
};

/* A static lock is found again by its address, and what is gone needs no birth. */
static bool is_carried(const struct rlk_record *row)
{
	uint32_t birth = class_row(row->class_index)->birth;

	return load32(&row->generations) &&
	       (birth == RLK_BORN_INIT || birth == RLK_BORN_FIRST_USE) &&
	       !(load32(&row->flags) & (RLK_LOCK_IS_CLASS | RLK_LOCK_DESTROYED | RLK_LOCK_REPLACED |
					       RLK_LOCK_FOLDED));
}

static void carry(struct carried *to, uint64_t lock, uint32_t flags, uint32_t class_index)
{
	struct birth birth = class_birth(class_index);

	to->lock[to->count].id = (struct lock_id){lock, birth.kind, flags};
	to->lock[to->count++].birth = birth;
}

static void carry_births(struct carried *to, uint64_t most)
{
	uint64_t lock;
	uint32_t class_index;

	for (uint32_t slot = 0; slot < BIRTHS_SLOTS && to->count < most; slot++) {
		if (births_at(slot, &lock, &class_index))
			carry(to, lock, 0, class_index);
	}
}

struct carried *locks_take(void)
{
	uint32_t count = lock_records(), births = births_count();
	uint64_t most = (uint64_t)count + births;
	uint64_t bytes = sizeof(struct carried) + most * sizeof(((struct carried *)0)->lock[0]);
	struct carried *carried = NULL;

	/* Some records may have no page, not even for reading, where the disk was full. */
	if (rules_exist() && count && !arena_failed())
		carried = private_memory(bytes);
	if (!carried)
		return NULL;
	carried->bytes = bytes;
	for (uint32_t i = 0; i < count; i++) {
		const struct rlk_record *row = lock_row(i);

		if (is_carried(row))
			carry(carried, row->lock, row->flags & (RECORD_NEW - 1), row->class_index);
	}
	if (births)
		carry_births(carried, most);
	return carried;
}

void locks_carry(struct carried *carried)
{
	for (uint64_t i = 0; i < carried->count; i++)
		lock_add(&carried->lock[i].id, class_of(&carried->lock[i].birth));
	munmap(carried, carried->bytes);
}
