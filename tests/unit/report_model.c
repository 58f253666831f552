/* The model: sums, merging, threads. */
#include "tests/unit/report_tests.h"

#include <stdlib.h>
#include <string.h>

static const struct lock *lock_at(const struct model *m, uint64_t address)
{
	for (size_t i = 0; i < m->locks.count; i++)
		if (m->locks.row[i].address == address)
			return &m->locks.row[i];
	ck_abort_msg("no lock at that address");
	return NULL;
}

START_TEST(test_sums_are_exact)
{
	struct figures f;
	struct model *m;

	tests_write_sample("sums.rlk");
	m = tests_model_of("sums.rlk");
	ck_assert_uint_eq(m->notes.count, 0);
	ck_assert_uint_eq(m->locks.count, 3);
	ck_assert_uint_eq(m->total.acquired, 1607);
	ck_assert_uint_eq(m->total.counter[COUNT_contended], 34);
	ck_assert_uint_eq(m->total.counter[COUNT_wait_total], 3020000);
	ck_assert_uint_eq(m->total.counter[COUNT_wait_max], 100000);
	model_lock_figures(lock_at(m, 0x7000), &f);
	ck_assert_uint_eq(f.acquired, 1500);
	ck_assert_uint_eq(f.counter[COUNT_wait_total], 3000000);
	ck_assert_uint_eq(figures_spun_ns(&f), 700000);
	ck_assert_uint_eq(f.hold_total_estimated, 3000000);
	ck_assert_uint_eq(m->runs.row[0].wall_ns, 1000000000);
	ck_assert_uint_eq(m->cpu_ns, 1000000000);
	model_free(m);
}
END_TEST

START_TEST(test_sides_of_a_rwlock)
{
	const struct lock *lock;
	struct model *m;

	tests_write_sample("sides.rlk");
	m = tests_model_of("sides.rlk");
	lock = lock_at(m, 0x14000);
	ck_assert_uint_eq(lock->side[SIDE_READ].acquired, 90);
	ck_assert_ptr_null(lock->side[SIDE_READ].detail);
	ck_assert_uint_eq(lock->side[SIDE_WRITE].acquired, 10);
	ck_assert_uint_eq(lock->side[SIDE_WRITE].detail->counter[COUNT_contended], 4);
	model_free(m);
}
END_TEST

START_TEST(test_equal_keys_are_added)
{
	struct builder b;
	struct model *m;
	uint32_t class, lock, again;

	builder_begin(&b);
	class = builder_class(&b, RLK_BORN_INIT, RLK_KIND_MUTEX, 0x10, 0, 0);
	lock = builder_lock(&b, 0x7000, class, RLK_KIND_MUTEX);
	again = builder_lock(&b, 0x7000, class, RLK_KIND_MUTEX);
	builder_entry(&b, 0, lock, 0x7000, RLK_KIND_MUTEX, 1);
	builder_entry(&b, 0, lock, 0x7000, RLK_KIND_MUTEX, 10);
	builder_entry(&b, 3, again, 0x7000, RLK_KIND_MUTEX, 100);
	builder_write(&b, "equal.rlk");
	builder_end(&b);
	m = tests_model_of("equal.rlk");
	ck_assert_uint_eq(m->locks.count, 1);
	ck_assert_uint_eq(m->locks.row[0].side[0].acquired, 111);
	ck_assert_uint_eq(m->locks.row[0].generations, 2);
	model_free(m);
}
END_TEST

/* Born three times by a call that is counted once, never destroyed before the second; a row of
 * another lock of the class counts nothing on top. */
START_TEST(test_lives_are_counted_by_records)
{
	struct rlk_class class = {
		.address = 0x10, .birth = RLK_BORN_INIT, .created = 2, .destroyed = (uint64_t)-1};
	struct rlk_record record = {.lock = 0x7000, .flags = RLK_LOCK_DESTROYED, .generations = 3};
	struct builder b;
	struct model *m;

	builder_begin(&b);
	record.class_index = builder_add(&b, RLK_CLASSES, 0, &class);
	builder_add(&b, RLK_RECORDS, 0, &record);
	builder_lock(&b, 0x8000, record.class_index, RLK_KIND_MUTEX);
	builder_write(&b, "lives.rlk");
	builder_end(&b);
	m = tests_model_of("lives.rlk");
	ck_assert_uint_eq(m->classes.count, 1);
	ck_assert_uint_eq(m->classes.row[0].created, 4);
	ck_assert_uint_eq(m->classes.row[0].destroyed, 2);
	model_free(m);
}
END_TEST

START_TEST(test_same_address_of_another_class)
{
	struct builder b;
	struct model *m;
	uint32_t one, other;

	builder_begin(&b);
	one = builder_class(&b, RLK_BORN_INIT, RLK_KIND_MUTEX, 0x10, 0, 0);
	other = builder_class(&b, RLK_BORN_INIT, RLK_KIND_MUTEX, 0x20, 0, 0);
	builder_lock(&b, 0x7000, one, RLK_KIND_MUTEX);
	builder_lock(&b, 0x7000, other, RLK_KIND_MUTEX);
	builder_write(&b, "reused.rlk");
	builder_end(&b);
	m = tests_model_of("reused.rlk");
	ck_assert_uint_eq(m->locks.count, 2);
	model_free(m);
}
END_TEST

/* --- merging */

START_TEST(test_merging_recordings)
{
	const char *paths[] = {"one.rlk", "two.rlk"};
	struct model *m;

	tests_write_sample(paths[0]);
	tests_write_sample(paths[1]);
	m = tests_model(paths, 2);
	ck_assert_uint_eq(m->runs.count, 2);
	ck_assert_uint_eq(m->modules.count, 1);
	ck_assert_uint_eq(m->classes.count, 3);
	ck_assert_uint_eq(m->stacks.count, 1);
	/* The static rwlock is one row, the others are of two processes. */
	ck_assert_uint_eq(m->locks.count, 5);
	ck_assert_uint_eq(m->total.acquired, 2 * 1607);
	ck_assert_uint_eq(lock_at(m, 0x14000)->side[SIDE_READ].acquired, 180);
	ck_assert_uint_eq(m->threads.count, 4);
	ck_assert_uint_eq(m->pairs.count, 2);
	ck_assert_uint_eq(m->yield_sites.count, 1);
	ck_assert_uint_eq(m->yield_sites.row[0].count, 10000);
	model_free(m);
}
END_TEST

/* One module mapped elsewhere, under another path, is the same file by its build-id. */
static void write_with_build_id(const char *file, const char *path, uint64_t base, uint8_t id)
{
	struct builder b;
	struct rlk_module module = {.start = base,
		.end = base + 0x10000,
		.bias = base,
		.build_id_length = 20,
		.build_id = {id}};
	uint32_t row, class, lock;

	builder_begin(&b);
	module.path = builder_text(&b, path);
	row = builder_add(&b, RLK_MODULES, 0, &module);
	class = builder_class(&b, RLK_BORN_STATIC, RLK_KIND_MUTEX, base + 0x4000, row + 1, 0);
	lock = builder_lock(&b, base + 0x4000, class, RLK_KIND_MUTEX);
	builder_entry(&b, 0, lock, base + 0x4000, RLK_KIND_MUTEX, 5);
	builder_write(&b, file);
	builder_end(&b);
}

START_TEST(test_merging_by_build_id)
{
	const char *paths[] = {"a.rlk", "b.rlk", "c.rlk"};
	struct model *m;

	write_with_build_id(paths[0], "/opt/one/lib.so", 0x100000, 1);
	write_with_build_id(paths[1], "/opt/two/lib.so", 0x500000, 1);
	write_with_build_id(paths[2], "/opt/one/lib.so", 0x100000, 2);
	m = tests_model(paths, 3);
	ck_assert_uint_eq(m->modules.count, 2);
	ck_assert_uint_eq(m->locks.count, 2);
	ck_assert_uint_eq(m->locks.row[0].side[0].acquired, 10);
	ck_assert_uint_eq(m->locks.row[1].side[0].acquired, 5);
	model_free(m);
}
END_TEST

/* Recordings whose ticks differ: times in ns are added, histograms meet in the first one's buckets.
 */
static void write_with_tick(const char *path, uint64_t ticks_per_ns)
{
	struct builder b;
	struct rlk_cell cell = {.record = 1};
	uint32_t class;

	builder_begin(&b);
	b.header.clock = 0;
	b.header.start = (struct rlk_calibration){0, 0};
	b.header.finish = (struct rlk_calibration){1000000 * ticks_per_ns, 1000000};
	class = builder_class(&b, RLK_BORN_INIT, RLK_KIND_MUTEX, 0x10, 0, 0);
	builder_lock(&b, 0x7000, class, RLK_KIND_MUTEX);
	builder_entry(&b, 0, 0, 0x7000, RLK_KIND_MUTEX, 100);
	builder_wait(&cell, 64000 * ticks_per_ns, 50);
	builder_add(&b, RLK_CELLS, 1, &cell);
	builder_write(&b, path);
	builder_end(&b);
}

START_TEST(test_merging_clocks)
{
	const char *paths[] = {"slow.rlk", "fast.rlk"};
	struct model *m;
	uint64_t counted = 0, p50;

	write_with_tick(paths[0], 1);
	write_with_tick(paths[1], 3);
	m = tests_model(paths, 2);
	ck_assert_uint_eq(m->total.counter[COUNT_wait_total], 2 * 50 * 64000);
	ck_assert_uint_eq(m->total.counter[COUNT_wait_max], 64000);
	for (unsigned i = 0; i < RLK_HIST_BUCKETS; i++)
		counted += m->total.wait[i];
	ck_assert_uint_eq(counted, 100);
	p50 = figures_percentile_ns(&m->total, OF_WAIT, 0.5, &m->reference);
	ck_assert_uint_ge(p50, 56000);
	ck_assert_uint_le(p50, 64000);
	model_free(m);
}
END_TEST

/* --- threads */

static void add_thread(struct builder *b, int tid, uint32_t shard, uint64_t birth, uint64_t end,
	const uint64_t *before)
{
	struct rlk_thread row = {.birth_ticks = birth,
		.end_ticks = end,
		.tid = tid,
		.shard = shard,
		.before_acquired = before[0],
		.before_contended = before[1],
		.before_wait_ticks = before[2]};

	snprintf(row.name, sizeof row.name, "worker-%d", tid);
	builder_add(b, RLK_THREADS, 0, &row);
}

static const struct thread *thread_of(const struct model *m, int tid)
{
	for (size_t i = 0; i < m->threads.count; i++)
		if (m->threads.row[i].tid == tid)
			return &m->threads.row[i];
	ck_abort_msg("no such thread");
	return NULL;
}

static void write_threads(const char *path)
{
	struct builder b;
	struct rlk_cell cell = {.record = 1};
	uint32_t class;

	builder_begin(&b);
	class = builder_class(&b, RLK_BORN_INIT, RLK_KIND_MUTEX, 0x10, 0, 0);
	builder_lock(&b, 0x7000, class, RLK_KIND_MUTEX);
	builder_entry(&b, 0, 0, 0x7000, RLK_KIND_MUTEX, 600);
	builder_entry(&b, 1, 0, 0x7000, RLK_KIND_MUTEX, 30);
	builder_wait(&cell, 100, 60);
	builder_add(&b, RLK_CELLS, 1, &cell);
	/* Three threads one after the other in the first shard, not in the table's order. */
	add_thread(&b, 3, 0, 9000, 0, (uint64_t[]){500, 50, 5000});
	add_thread(&b, 1, 0, 1000, 4000, (uint64_t[]){0, 0, 0});
	add_thread(&b, 2, 0, 5000, 8000, (uint64_t[]){100, 20, 1500});
	add_thread(&b, 4, 1, 5500, 7000, (uint64_t[]){0, 0, 0});
	b.header.finish = (struct rlk_calibration){11000, 11000};
	builder_write(&b, path);
	builder_end(&b);
}

START_TEST(test_threads_are_differences)
{
	struct model *m;

	write_threads("threads.rlk");
	m = tests_model_of("threads.rlk");
	ck_assert_uint_eq(m->notes.count, 0);
	ck_assert_uint_eq(thread_of(m, 1)->acquired, 100);
	ck_assert_uint_eq(thread_of(m, 1)->contended, 20);
	ck_assert_uint_eq(thread_of(m, 1)->wait_ns, 1500);
	ck_assert_uint_eq(thread_of(m, 1)->lifetime_ns, 3000);
	ck_assert(thread_of(m, 1)->ended);
	ck_assert_uint_eq(thread_of(m, 2)->acquired, 400);
	ck_assert_uint_eq(thread_of(m, 2)->wait_ns, 3500);
	ck_assert_uint_eq(thread_of(m, 3)->acquired, 100);
	ck_assert_uint_eq(thread_of(m, 3)->contended, 10);
	ck_assert_uint_eq(thread_of(m, 3)->wait_ns, 1000);
	ck_assert_uint_eq(thread_of(m, 3)->lifetime_ns, 2000);
	ck_assert(!thread_of(m, 3)->ended);
	ck_assert_uint_eq(thread_of(m, 4)->acquired, 30);
	ck_assert_str_eq(thread_of(m, 4)->name, "worker-4");
	ck_assert_uint_eq(m->threads_peak, 2);
	ck_assert_uint_eq(m->thread_time_ns, 3000 + 3000 + 2000 + 1500);
	model_free(m);
}
END_TEST

/* --- warnings */

START_TEST(test_inconsistent_sums_are_said)
{
	struct builder b;
	struct model *m;
	struct rlk_cell cell = {.record = 1};
	uint32_t class;

	builder_begin(&b);
	class = builder_class(&b, RLK_BORN_INIT, RLK_KIND_MUTEX, 0x10, 0, 0);
	builder_lock(&b, 0x7000, class, RLK_KIND_MUTEX);
	builder_entry(&b, 0, 0, 0x7000, RLK_KIND_MUTEX, 10);
	builder_wait(&cell, 1, 11);
	builder_add(&b, RLK_CELLS, 1, &cell);
	builder_write(&b, "inconsistent.rlk");
	builder_end(&b);
	m = tests_model_of("inconsistent.rlk");
	ck_assert(tests_warned(m, "inconsistent: 1 acquisitions"));
	model_free(m);
}
END_TEST

/* A thread keeps its waits for a class where it has no room for each lock; it counts acquisitions
 * with the lock all the same. */
START_TEST(test_waits_kept_per_class_are_consistent)
{
	struct builder b;
	struct model *m;
	struct rlk_cell cell = {.record = 2};
	struct rlk_record rest = {.generations = 1, .flags = RLK_LOCK_IS_CLASS};

	builder_begin(&b);
	builder_class(&b, RLK_BORN_INIT, RLK_KIND_MUTEX, 0x10, 0, 0);
	builder_lock(&b, 0x7000, 0, RLK_KIND_MUTEX);
	builder_add(&b, RLK_RECORDS, 0, &rest);
	builder_entry(&b, 0, 0, 0x7000, RLK_KIND_MUTEX, 11);
	builder_wait(&cell, 1, 11);
	builder_add(&b, RLK_CELLS, 1, &cell);
	builder_write(&b, "folded.rlk");
	builder_end(&b);
	m = tests_model_of("folded.rlk");
	ck_assert(!tests_warned(m, "inconsistent"));
	model_free(m);
}
END_TEST

START_TEST(test_overhead)
{
	struct builder b;
	struct model *m;

	builder_begin(&b);
	tests_fill(&b);
	b.header.cost_acquire_1024 = 2 * 1024;
	b.header.cost_clock_1024 = 20 * 1024;
	b.header.cost_hold_1024 = 50 * 1024;
	b.header.cost_hold_spin_1024 = 60 * 1024;
	b.header.cost_wait_1024 = 100 * 1024;
	b.header.cost_first_uses = 7000;
	b.header.deflation.total = 80000;
	b.rows_per_block = 1;
	builder_entry(&b, 0,
		builder_lock(&b, 0x900, builder_class(&b, RLK_BORN_INIT, RLK_KIND_SPIN, 0x90, 0, 0),
			RLK_KIND_SPIN),
		0x900, RLK_KIND_SPIN, 11);
	builder_write(&b, "overhead.rlk");
	builder_end(&b);
	m = tests_model_of("overhead.rlk");
	ck_assert_uint_eq(m->overhead_ns,
		(1600 + 7 + 11) * 2 + 1000 * 50 + 34 * (2 * 20 + 100) + 7000 + 80000);
	model_free(m);
}
END_TEST

/* --- size */

#define MANY 1000000

/* A million locks: what it takes is bounded, and so is the time (generously, for a busy machine
 * under a sanitizer; the aim is 2 s). */
START_TEST(test_a_million_locks)
{
	struct builder b;
	struct rlk_record *records = calloc(MANY, sizeof *records);
	struct rlk_entry *entries = calloc(MANY, sizeof *entries);
	struct model *m;
	uint32_t class;

	builder_begin(&b);
	b.rows_per_block = 100000;
	class = builder_class(&b, RLK_BORN_INIT, RLK_KIND_MUTEX, 0x10, 0, 0);
	for (uint32_t i = 0; i < MANY; i++) {
		uint64_t address = 0x100000 + 64 * (uint64_t)i;

		records[i] = (struct rlk_record){
			.lock = address, .class_index = class, .generations = 1};
		entries[i] = (struct rlk_entry){.lock = address, .acquired = i, .record = i + 1};
	}
	builder_add_many(&b, RLK_RECORDS, 0, records, MANY);
	builder_add_many(&b, RLK_ENTRIES, 1, entries, MANY);
	free(records);
	free(entries);
	builder_write(&b, "many.rlk");
	builder_end(&b);
	m = tests_model_of("many.rlk");
	ck_assert_uint_eq(m->locks.count, MANY);
	ck_assert_uint_eq(m->total.acquired, (uint64_t)MANY * (MANY - 1) / 2);
	model_free(m);
}
END_TEST

Suite *report_model_suite(void)
{
	Suite *suite = suite_create("model");
	TCase *tests = tcase_create("model");

	tcase_set_timeout(tests, 60);
	tcase_add_test(tests, test_sums_are_exact);
	tcase_add_test(tests, test_sides_of_a_rwlock);
	tcase_add_test(tests, test_equal_keys_are_added);
	tcase_add_test(tests, test_lives_are_counted_by_records);
	tcase_add_test(tests, test_same_address_of_another_class);
	tcase_add_test(tests, test_merging_recordings);
	tcase_add_test(tests, test_merging_by_build_id);
	tcase_add_test(tests, test_merging_clocks);
	tcase_add_test(tests, test_threads_are_differences);
	tcase_add_test(tests, test_inconsistent_sums_are_said);
	tcase_add_test(tests, test_waits_kept_per_class_are_consistent);
	tcase_add_test(tests, test_overhead);
	tcase_add_test(tests, test_a_million_locks);
	suite_add_tcase(suite, tests);
	return suite;
}
