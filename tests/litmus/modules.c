/*
 * Modules: added without a name where another thread has been, named by whoever comes to stay,
 * while others look them up.
 */
#include "stats/record/modules.h"

#include "stats/record/quiet.h"
#include "tests/litmus/world.h"

#include <link.h>
#include <stdio.h>
#include <string.h>

#define OBJECTS 4
#define STEPS 30
#define LENGTH 4096

static struct link_map maps[OBJECTS];
static char names[OBJECTS][32];
/* Nothing in them is an ELF header, so there is no build-id to be read; and they are none of the
 * program's own. */
static char *images[OBJECTS];

/* Object `number`, as the loader would have it in a place that others had before. */
static struct found_object object_of(unsigned number)
{
	uint64_t start = (uint64_t)images[number];

	return (struct found_object){start, start + LENGTH, (uint64_t)&maps[number], 0};
}

static void begin(void)
{
	world_begin(1000);
	if (!images[0]) {
		char *memory = private_memory(OBJECTS * LENGTH);

		for (unsigned i = 0; i < OBJECTS; i++)
			images[i] = memory + i * LENGTH;
	}
	for (unsigned i = 0; i < OBJECTS; i++) {
		snprintf(names[i], sizeof(names[i]), "/lib/object-%u", i);
		maps[i].l_addr = (uint64_t)images[i] + 16 * (i + 1);
		maps[i].l_name = names[i];
	}
}

static void look_up(unsigned number)
{
	const struct rlk_module *row = module_at((uint64_t)images[number] + 100);
	const char *path;

	if (!row)
		return;
	path = (const char *)arena_header + row->path.offset;
	litmus_check(row->start == (uint64_t)images[number] && row->bias == maps[number].l_addr,
		"object %u is found as another", number);
	litmus_check(row->path.length == strlen(names[number]) && !strcmp(path, names[number]),
		"object %u has the name %s", number, path);
}

static void body(unsigned self)
{
	for (unsigned i = 0; i < STEPS; i++) {
		unsigned number = litmus_random(OBJECTS);
		struct found_object object = object_of(number);
		enum presence presence = litmus_random(4) ? OBJECT_MAY_GO : OBJECT_STAYS;
		uint32_t module;

		if (self == 0 || litmus_random(2)) {
			look_up(number);
			continue;
		}
		module = module_of(&object, presence);
		litmus_check(module && module_is(module, &object), "object %u has no row", number);
	}
}

static void end(void)
{
	for (unsigned i = 0; i < OBJECTS; i++) {
		struct found_object object = object_of(i);
		uint32_t module = module_of(&object, OBJECT_STAYS);

		litmus_check(module && module == module_of(&object, OBJECT_MAY_GO),
			"object %u has two rows", i);
		look_up(i);
		litmus_check(module_at((uint64_t)images[i] + 100) != NULL, "object %u is lost", i);
	}
	litmus_check(atomic_load(&modules_nameless) == 0, "%u modules have no name",
		atomic_load(&modules_nameless));
}

static const struct litmus tests[] = {{"modules", 1500, 4, begin, body, end}};

int main(int argc, char **argv)
{
	return litmus_main(argc, argv, tests, sizeof(tests) / sizeof(*tests));
}
