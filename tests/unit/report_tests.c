#include "tests/unit/report_tests.h"

#include <ftw.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char directory[] = "/tmp/relock-report-XXXXXX";

void tests_enter(void)
{
	if (!mkdtemp(directory) || chdir(directory) != 0) {
		perror(directory);
		exit(EXIT_FAILURE);
	}
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

void tests_leave(void)
{
	if (chdir("/") == 0)
		nftw(directory, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

static void fill_threads(struct builder *b)
{
	struct rlk_thread first = {.birth_ticks = 2000, .tid = 11, .shard = 0, .name = "first"};
	struct rlk_thread second = {.birth_ticks = 3000,
		.end_ticks = 500003000,
		.tid = 12,
		.shard = 1,
		.name = "second"};

	for (uint32_t i = 0; i < 2; i++) {
		struct rlk_shard shard = {.index = i, .state = 1, .thread = i};

		builder_add(b, RLK_SHARDS, i + 1, &shard);
	}
	builder_add(b, RLK_THREADS, 0, &first);
	builder_add(b, RLK_THREADS, 0, &second);
}

static void fill_mutex(struct builder *b, uint32_t module)
{
	uint32_t sites[2] = {
		builder_site(b, 0x10010, module + 1), builder_site(b, 0x10020, module + 1)};
	uint32_t stack = builder_stack(b, sites, 2);
	uint32_t class = builder_class(b, RLK_BORN_INIT, RLK_KIND_MUTEX, 0x10030, module + 1,
		RLK_CONTEXT_SITE(builder_site(b, 0x10030, module + 1)));
	uint32_t lock = builder_lock(b, 0x7000, class, RLK_KIND_MUTEX);
	struct rlk_cell cell = {.record = lock + 1, .kind = RLK_KIND_MUTEX};
	struct rlk_pair pair = {.record = lock + 1,
		.kind = RLK_KIND_MUTEX,
		.waiter = RLK_CONTEXT_STACK(stack),
		.holder = RLK_CONTEXT_SITE(sites[1]),
		.count = 30,
		.wait_total = 3000000,
		.wait_max = 100000};

	builder_entry(b, 0, lock, 0x7000, RLK_KIND_MUTEX, 1000);
	builder_entry(b, 1, lock, 0x7000, RLK_KIND_MUTEX, 500);
	builder_wait(&cell, 100000, 30);
	builder_hold(&cell, 2000, 1000);
	cell.parked_total = 2000000;
	cell.yielded_total = 300000;
	builder_add(b, RLK_CELLS, 1, &cell);
	builder_add(b, RLK_PAIRS, 1, &pair);
}

static void fill_rwlock(struct builder *b, uint32_t module)
{
	uint32_t class = builder_class(b, RLK_BORN_STATIC, RLK_KIND_RDLOCK, 0x14000, module + 1, 0);
	uint32_t lock = builder_lock(b, 0x14000, class, RLK_KIND_RDLOCK);
	struct rlk_cell cell = {.record = lock + 1, .kind = RLK_KIND_WRLOCK};

	builder_entry(b, 0, lock, 0x14000, RLK_KIND_RDLOCK, 90);
	builder_entry(b, 1, lock, 0x14000, RLK_KIND_WRLOCK, 10);
	builder_wait(&cell, 5000, 4);
	builder_add(b, RLK_CELLS, 2, &cell);
}

void tests_fill(struct builder *b)
{
	struct rlk_yield_site yield = {.address = 0x10040, .kind = RLK_YIELD_SCHED, .count = 5000};
	uint32_t module = builder_module(b, "/nowhere/libmade-up.so", 0x10000, 0x20000);
	uint32_t class =
		builder_class(b, RLK_BORN_FIRST_USE, RLK_KIND_SPIN, 0x10050, module + 1, 0);
	uint32_t spin = builder_lock(b, 0x8000, class, RLK_KIND_SPIN);

	fill_threads(b);
	fill_mutex(b, module);
	fill_rwlock(b, module);
	builder_entry(b, 0, spin, 0x8000, RLK_KIND_SPIN, 7);
	builder_add(b, RLK_YIELD_SITES, 1, &yield);
	b->header.run_id = builder_text(b, "run-1");
}

void tests_write_sample(const char *path)
{
	struct builder b;

	builder_begin(&b);
	tests_fill(&b);
	builder_write(&b, path);
	builder_end(&b);
}

struct model *tests_model(const char *const *paths, size_t count)
{
	struct model *m = model_new();

	for (size_t i = 0; i < count; i++) {
		char message[512];
		struct recording *r = recording_open(paths[i], &m->notes, message, sizeof message);

		if (r)
			model_add(m, r);
		recording_close(r);
	}
	model_finish(m);
	return m;
}

struct model *tests_model_of(const char *path)
{
	return tests_model(&path, 1);
}

bool tests_warned(const struct model *m, const char *text)
{
	for (size_t i = 0; i < m->notes.count; i++)
		if (strstr(m->notes.text[i], text))
			return true;
	return false;
}

char *tests_report(const char *const *paths, size_t count, const struct report_options *options,
	int *status, char **errors)
{
	char *printed = NULL, *complaints = NULL;
	size_t printed_size, complaints_size;
	FILE *out = open_memstream(&printed, &printed_size);
	FILE *err = open_memstream(&complaints, &complaints_size);
	int result = report_run(paths, count, options, out, err);

	fclose(out);
	fclose(err);
	if (status)
		*status = result;
	if (errors)
		*errors = complaints;
	else
		free(complaints);
	return printed;
}
