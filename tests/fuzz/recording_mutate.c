/* Mutations of a list of edits: one more, one less, or one that is a little different. */
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/recording.h"

#include <string.h>

struct list {
	uint8_t *bytes;
	size_t count, room; /* edits */
};

static uint8_t *at(const struct list *list, size_t index)
{
	return list->bytes + index * sizeof(struct edit);
}

/* A field, most often: there is most to find. */
static struct edit new_edit(uint64_t *state)
{
	uint64_t a = fuzz_random(state), b = fuzz_random(state);
	struct edit edit = {.what = (uint8_t)(a % (2 * EDITS)),
		.type = (uint8_t)(1 + (a >> 8) % RLK_STACKS),
		.which = (uint16_t)(a >> 16) % 64,
		.where = (uint16_t)(a >> 32) % 128,
		.how = (uint8_t)(a >> 48),
		.width = (uint8_t)(a >> 56),
		.value = b};

	if (edit.what >= EDITS)
		edit.what = EDIT_FIELD;
	switch (fuzz_random(state) % 4) {
	case 0:
		edit.value &= 0xff;
		break;
	case 1:
		edit.value >>= b % 64;
		break;
	case 2:
		edit.how = HOW_SPECIAL;
		break;
	}
	return edit;
}

static void add(struct list *list, uint64_t *state)
{
	struct edit edit = new_edit(state);

	if (list->count == list->room) {
		memcpy(at(list, fuzz_random(state) % list->count), &edit, sizeof(edit));
		return;
	}
	memcpy(at(list, list->count++), &edit, sizeof(edit));
}

static void take_away(struct list *list, uint64_t *state)
{
	size_t index = fuzz_random(state) % list->count;

	list->count--;
	memmove(at(list, index), at(list, index + 1), (list->count - index) * sizeof(struct edit));
}

static void change(struct list *list, uint64_t *state)
{
	struct edit edit, fresh = new_edit(state);
	uint8_t *where = at(list, fuzz_random(state) % list->count);

	memcpy(&edit, where, sizeof(edit));
	switch (fuzz_random(state) % 6) {
	case 0:
		edit.value = fresh.value;
		break;
	case 1:
		edit.value += fresh.value % 16 - 8;
		break;
	case 2:
		edit.which = fresh.which;
		break;
	case 3:
		edit.where = fresh.where;
		break;
	case 4:
		edit.type = fresh.type;
		break;
	case 5:
		edit.how = fresh.how;
		edit.width = fresh.width;
		break;
	}
	memcpy(where, &edit, sizeof(edit));
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed)
{
	uint64_t state = seed * 0x9e3779b97f4a7c15u | 1;
	struct list list = {data + RECORDING_HEAD, 0, RECORDING_EDITS_MAX};
	unsigned turn;

	if (room < RECORDING_HEAD + sizeof(struct edit))
		return LLVMFuzzerMutate(data, size, room);
	for (int i = 0; i < 4; i++)
		fuzz_random(&state);
	if (list.room > (room - RECORDING_HEAD) / sizeof(struct edit))
		list.room = (room - RECORDING_HEAD) / sizeof(struct edit);
	if (size < RECORDING_HEAD)
		memset(data, 0, RECORDING_HEAD);
	else
		list.count = (size - RECORDING_HEAD) / sizeof(struct edit);
	if (list.count > list.room)
		list.count = list.room;
	turn = (unsigned)(fuzz_random(&state) % 16);
	if (turn == 0)
		data[0] = (uint8_t)(fuzz_random(&state) % SCENES);
	else if (turn <= 2)
		data[1] = (uint8_t)fuzz_random(&state);
	else if (turn <= 7 || list.count == 0)
		add(&list, &state);
	else if (turn <= 9)
		take_away(&list, &state);
	else if (turn <= 14)
		change(&list, &state);
	else
		return LLVMFuzzerMutate(data, size < RECORDING_HEAD ? RECORDING_HEAD : size, room);
	return RECORDING_HEAD + list.count * sizeof(struct edit);
}
