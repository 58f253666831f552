#include "stats/record/classes.h"

#include "stats/record/sites.h"

#define CHUNK 256

TABLE(classes, RLK_CLASSES, struct rlk_class, CHUNK, CLASSES_MAX / CHUNK);

static struct index class_lookup = {.bits = 15};
static uint16_t class_rules[CLASSES_MAX]; /* rule per lock of the class */
static lock_rule_chooser *rule_chooser;

bool classes_open(lock_rule_chooser *chooser)
{
	struct rlk_class *class;
	uint32_t number;

	rule_chooser = chooser;
	if (!index_open(&class_lookup) || !(class = table_new(&classes, &number, 0)))
		return false;
	class->birth = RLK_BORN_UNKNOWN;
	return true;
}

void classes_reset(void)
{
	table_reset(&classes);
	index_reset(&class_lookup);
}

uint32_t classes_count(void)
{
	return table_count(&classes);
}

bool rules_exist(void)
{
	return rule_chooser != NULL;
}

struct birth birth_of(const struct lock_id *id, uint64_t site, bool initialised)
{
	struct found_object object;
	struct birth birth = {initialised ? RLK_BORN_INIT : RLK_BORN_FIRST_USE, site, id->kind, 0};

	if (object_find(id->address, &object)) {
		birth.how = RLK_BORN_STATIC;
		birth.address = id->address;
		birth.module = module_of(&object, OBJECT_STAYS);
	}
	return birth;
}

static bool class_matches(const struct rlk_class *class, const struct birth *birth)
{
	return load32_acquire(&class->birth) == birth->how && class->address == birth->address &&
	       class->kind == birth->kind && (!birth->module || class->module == birth->module);
}

static uint32_t choose_rule(const struct birth *birth)
{
	/* A return address may be the first byte after its file. */
	uint64_t inside = birth->address - (birth->how != RLK_BORN_STATIC);
	struct found_object object;
	struct object_details details;

	if (!rule_chooser)
		return 0;
	if (!object_find(inside, &object))
		return rule_chooser(birth->kind, NULL, birth->address);
	object_describe(&object, &details);
	return rule_chooser(birth->kind, details.path, birth->address - details.bias);
}

static uint32_t class_add(const struct birth *birth)
{
	uint32_t number, site;
	struct rlk_class *class = table_new(&classes, &number, 0);

	if (!class)
		return 0;
	site = birth->how == RLK_BORN_STATIC ? 0 : site_of(birth->address, OBJECT_STAYS);
	class->address = birth->address;
	class->kind = birth->kind;
	class->context = site ? RLK_CONTEXT_SITE(site - 1) : 0;
	class->module = birth->module;
	class_rules[number] = (uint16_t)choose_rule(birth);
	store32_release(&class->birth, birth->how);
	return number + 1;
}

uint32_t class_of(const struct birth *birth)
{
	uint64_t hash = hash64(birth->address * 4 + birth->kind);
	uint32_t *slot, number, fresh = 0;

	for (unsigned step = 0; (slot = index_slot(&class_lookup, hash, step)); step++) {
		number = load32_acquire(slot);
		if (!number) {
			if (!fresh && !(fresh = class_add(birth)))
				break;
			if (cas32(slot, 0, fresh))
				return fresh - 1;
			number = load32_acquire(slot);
		}
		if (class_matches(table_row(&classes, number - 1), birth))
			return number - 1;
	}
	add64(&arena_header->lost.classes_dropped, 1);
	return CLASS_EVERYTHING_ELSE;
}

/* What has no class of its own is decided one by one. */
uint32_t rule_of(uint32_t class_index, const struct birth *birth)
{
	return class_index == CLASS_EVERYTHING_ELSE ? choose_rule(birth) : class_rules[class_index];
}

struct rlk_class *class_row(uint32_t number)
{
	return table_row(&classes, number);
}

struct birth class_birth(uint32_t number)
{
	const struct rlk_class *class = class_row(number);

	return (struct birth){class->birth, class->address, class->kind, class->module};
}

uint32_t class_rule(uint32_t class_index)
{
	return class_rules[class_index];
}
