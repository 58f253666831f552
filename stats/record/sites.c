#include "stats/record/sites.h"

#include <string.h>

TABLE(sites, RLK_SITES, struct rlk_site, 1024, 64);
TABLE(stacks, RLK_STACKS, struct rlk_stack, 128, 128);

static struct index site_index = {.bits = 17};
static struct index stack_index = {.bits = 15};

bool sites_open(void)
{
	return index_open(&site_index) && index_open(&stack_index);
}

void sites_reset(void)
{
	table_reset(&sites);
	table_reset(&stacks);
	index_reset(&site_index);
	index_reset(&stack_index);
}

/* A library may have gone and another come to its place: the address alone does not make the same
 * site. */
static bool site_matches(
	const struct rlk_site *site, uint64_t address, const struct found_object *object)
{
	if (load64_acquire(&site->address) != address)
		return false;
	return object ? site->module && module_is(site->module, object) : site->module == 0;
}

static uint32_t site_add(
	uint64_t address, const struct found_object *object, enum presence presence)
{
	uint32_t number;
	struct rlk_site *site = table_new(&sites, &number, 0);

	if (!site)
		return 0;
	site->module = object ? module_of(object, presence) : 0;
	store64_release(&site->address, address);
	return number + 1;
}

uint32_t site_of(uint64_t address, enum presence presence)
{
	struct found_object found;
	/* A return address may be the first byte after its function, and of its module. */
	const struct found_object *object =
		address && object_find(address - 1, &found) ? &found : NULL;
	uint64_t hash = hash64(address);
	uint32_t *slot, number, fresh = 0;

	for (unsigned step = 0; address && (slot = index_slot(&site_index, hash, step)); step++) {
		number = load32_acquire(slot);
		if (!number) {
			if (!fresh && !(fresh = site_add(address, object, presence)))
				break;
			if (cas32(slot, 0, fresh))
				return fresh;
			number = load32_acquire(slot);
		}
		if (site_matches(table_row(&sites, number - 1), address, object))
			return number;
	}
	if (address)
		add64(&arena_header->lost.sites_dropped, 1);
	return 0;
}

uint32_t context_of_site(uint64_t address, enum presence presence)
{
	uint32_t site = site_of(address, presence);

	return site ? RLK_CONTEXT_SITE(site - 1) : 0;
}

static uint32_t stack_add(const struct rlk_stack *from)
{
	uint32_t number;
	struct rlk_stack *stack = table_new(&stacks, &number, 0);

	if (!stack)
		return 0;
	stack->truncated = from->truncated;
	memcpy(stack->site, from->site, sizeof(stack->site));
	store32_release(&stack->depth, from->depth);
	return number + 1;
}

static uint32_t stack_intern(const struct rlk_stack *wanted)
{
	uint64_t hash = wanted->depth;
	uint32_t *slot, number, fresh = 0;

	for (uint32_t i = 0; i < wanted->depth; i++)
		hash = hash64(hash + wanted->site[i]);
	for (unsigned step = 0; (slot = index_slot(&stack_index, hash, step)); step++) {
		const struct rlk_stack *have;

		number = load32_acquire(slot);
		if (!number) {
			if (!fresh && !(fresh = stack_add(wanted)))
				break;
			if (cas32(slot, 0, fresh))
				return fresh;
			number = load32_acquire(slot);
		}
		have = table_row(&stacks, number - 1);
		if (have->depth == wanted->depth &&
			!memcmp(have->site, wanted->site, sizeof(have->site)))
			return number;
	}
	add64(&arena_header->lost.stacks_dropped, 1);
	return 0;
}

uint32_t context_of_stack(const uint64_t *frames, uint32_t depth, bool truncated)
{
	struct rlk_stack stack = {.truncated = truncated};
	uint32_t number;

	while (stack.depth < depth && stack.depth < RLK_STACK_FRAMES) {
		uint32_t site = site_of(frames[stack.depth], OBJECT_STAYS);

		if (!site)
			break;
		stack.site[stack.depth++] = site - 1;
	}
	if (stack.depth < 2)
		return depth ? context_of_site(frames[0], OBJECT_STAYS) : 0;
	number = stack_intern(&stack);
	return number ? RLK_CONTEXT_STACK(number - 1) : RLK_CONTEXT_SITE(stack.site[0]);
}
