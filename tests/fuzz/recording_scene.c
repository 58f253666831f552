/* The valid recordings that inputs start from, made by the builder of the unit tests. */
#include "tests/fuzz/recording.h"

#include "tests/unit/report_advice_scene.h"

#include <string.h>

#define PROCESS_LOCKS 300

/* Many locks of a few classes, in several blocks, by eight threads. */
static void fill_many(struct builder *b)
{
	uint32_t module = builder_module(b, "/nowhere/libmany.so", 0x10000, 0x20000), classes[3];

	for (uint32_t i = 0; i < 3; i++)
		classes[i] = builder_class(b, RLK_BORN_INIT, RLK_KIND_MUTEX, 0x10100 + 16 * i,
			module + 1,
			RLK_CONTEXT_SITE(builder_site(b, 0x10100 + 16 * i, module + 1)));
	for (uint32_t i = 0; i < 8; i++) {
		struct rlk_shard shard = {.index = i, .state = 1, .thread = i};
		struct rlk_thread thread = {
			.birth_ticks = 1000 + i, .tid = 50 + (int)i, .shard = i};

		builder_add(b, RLK_SHARDS, i + 1, &shard);
		builder_add(b, RLK_THREADS, 0, &thread);
	}
	for (uint32_t i = 0; i < PROCESS_LOCKS; i++) {
		uint64_t address = 0x500000 + 64 * i;
		uint32_t lock = builder_lock(b, address, classes[i % 3], RLK_KIND_MUTEX);
		struct rlk_cell cell = {.record = lock + 1};

		builder_entry(b, i % 8, lock, address, RLK_KIND_MUTEX, 100 + i);
		builder_wait(&cell, 1000 * (i + 1), 3);
		if (i % 50 == 0)
			builder_add(b, RLK_CELLS, i % 8 + 1, &cell);
	}
}

/* Counts on their way from a lock's entry to its class's when the process was killed. */
static void fill_moves(struct builder *b)
{
	struct rlk_shard shard = {.index = 0,
		.state = 1,
		.move = {.from = 3 * RLK_PAGE + BUILDER_STRINGS + sizeof(struct rlk_block),
			.to = 3 * RLK_PAGE + BUILDER_STRINGS + 2 * sizeof(struct rlk_block),
			.acquired = 300}};

	builder_add(b, RLK_SHARDS, 1, &shard);
	tests_fill(b);
	b->header.end = RLK_RUNNING;
}

static void fill(unsigned scene, struct builder *b)
{
	struct scene advised;

	switch (scene) {
	case 0:
		tests_fill(b);
		return;
	case 1:
		advised = scene_short_holds();
		break;
	case 2:
		advised = scene_bursts();
		break;
	case 3:
		advised = scene_vain_spins();
		break;
	case 4:
		fill_many(b);
		return;
	case 5:
		fill_moves(b);
		return;
	case 6: /* nothing in it */
		return;
	default: /* names come from a file with debug information */
		tests_fill(b);
		builder_module(b, REPORT_FIXTURE, 0x10000, 0x30000);
		((struct rlk_module *)b->rows[0].bytes)->path = builder_text(b, REPORT_FIXTURE);
		return;
	}
	scene_fill(b, &advised);
}

void scene_make(unsigned scene, const char *path)
{
	struct builder b;

	builder_begin(&b);
	fill(scene, &b);
	builder_write(&b, path);
	builder_end(&b);
}
