/*
 * Recordings that are very large, or say so: reports end, in bounded memory and time, with what is
 * there and a warning.
 *
 * The files are sparse or of a few MiB, and the bound on rows is lowered, so that these are tests
 * of an ordinary run; the limits below are the kernel's, on memory asked for and CPU time used.
 */
#include "tests/unit/report_tests.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define FILE_NAME "large.rlk"
#define MEMORY (1ull << 30)

#if defined(__SANITIZE_ADDRESS__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif
#if defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#endif

#ifdef SANITIZED
#define CPU_S 90
#else
#define CPU_S 15
#endif

static void setup(void)
{
	struct rlimit memory = {MEMORY, MEMORY}, cpu = {CPU_S, CPU_S};

#ifndef SANITIZED /* whose own memory would not fit into it */
	ck_assert_int_eq(setrlimit(RLIMIT_AS, &memory), 0);
#endif
	(void)memory;
	ck_assert_int_eq(setrlimit(RLIMIT_CPU, &cpu), 0);
}

/* --- files, written block by block */

struct file {
	int fd;
	uint64_t end; /* of what is handed out */
};

/* A whole small recording, after which more comes. */
static struct file file_begin(void)
{
	struct rlk_header h;
	struct file f;

	tests_write_sample(FILE_NAME);
	f.fd = open(FILE_NAME, O_RDWR);
	ck_assert_int_eq(pread(f.fd, &h, sizeof h, 0), (ssize_t)sizeof h);
	f.end = h.used;
	return f;
}

static void file_end(struct file *f, uint64_t used, uint64_t size)
{
	ck_assert_int_eq(pwrite(f->fd, &used, sizeof used, offsetof(struct rlk_header, used)),
		(ssize_t)sizeof used);
	ck_assert_int_eq(ftruncate(f->fd, (off_t)size), 0);
	close(f->fd);
}

static uint64_t pages(uint64_t bytes)
{
	return (bytes + RLK_PAGE - 1) / RLK_PAGE * RLK_PAGE;
}

static void head_add(struct file *f, struct rlk_block head)
{
	head.magic = RLK_BLOCK_MAGIC;
	head.self = f->end;
	ck_assert_int_eq(pwrite(f->fd, &head, sizeof head, (off_t)f->end), (ssize_t)sizeof head);
	f->end += head.bytes;
}

/* A block of rows that differ in one field: `fill` makes each from its number. */
static void rows_add(struct file *f, enum rlk_block_type type, size_t row_size, uint32_t first,
	uint32_t count, uint32_t shard, void (*fill)(void *row, uint32_t number))
{
	unsigned char *rows = calloc(count, row_size);
	uint64_t at = f->end + sizeof(struct rlk_block);

	ck_assert_ptr_nonnull(rows);
	for (uint32_t i = 0; i < count; i++)
		fill(rows + i * row_size, first + i);
	ck_assert_int_eq(
		pwrite(f->fd, rows, count * row_size, (off_t)at), (ssize_t)(count * row_size));
	head_add(f, (struct rlk_block){.type = (uint16_t)type,
			    .row_size = (uint16_t)row_size,
			    .bytes = pages(sizeof(struct rlk_block) + count * row_size),
			    .capacity = count,
			    .first = first,
			    .shard = shard});
	free(rows);
}

/* --- reports over them */

/* Prints to nowhere: it is long. Returns the warnings, for free(). */
static char *report(enum report_format form, enum report_by by)
{
	const char *path = FILE_NAME;
	const struct report_options options = {
		.format = form, .by = by, .stacks = true, .rules = true};
	char *errors = NULL;
	size_t size;
	FILE *out = fopen("/dev/null", "w"), *err = open_memstream(&errors, &size);

	ck_assert_int_eq(report_run(&path, 1, &options, out, err), REPORT_OK);
	fclose(out);
	fclose(err);
	return errors;
}

/* Every format and table. Returns the warnings of the last; a text and a page have theirs in them.
 */
static char *report_all(void)
{
	char *errors = NULL, *said;

	for (unsigned form = REPORT_TEXT; form < REPORT_FORMATS; form++)
		for (unsigned by = REPORT_BY_LOCK; by <= REPORT_BY_THREAD; by++) {
			/* The JSON document has them all, and stacks are not by thread. */
			if ((form == REPORT_JSON && by != REPORT_BY_LOCK) ||
				(form == REPORT_FOLDED && by == REPORT_BY_THREAD))
				continue;
			said = report((enum report_format)form, (enum report_by)by);
			if (form == REPORT_TEXT || form == REPORT_HTML) {
				free(said);
				continue;
			}
			free(errors);
			errors = said;
		}
	return errors;
}

static void expect(const char *warning)
{
	char *errors = report_all();

	ck_assert_msg(strstr(errors, warning) != NULL, "%s", errors);
	free(errors);
}

static uint64_t acquired(void)
{
	struct model *m = tests_model_of(FILE_NAME);
	uint64_t count = m->total.acquired;

	model_free(m);
	return count;
}

#define SAMPLE_ACQUIRED (1000 + 500 + 90 + 10 + 7)

START_TEST(test_claims_16_eib)
{
	struct file f = file_begin();

	/* As long as a file system here lets it be. */
	for (int bits = 62; bits > 30 && ftruncate(f.fd, (off_t)1 << bits) != 0; bits--)
		;
	head_add(&f, (struct rlk_block){.type = RLK_ENTRIES,
			     .row_size = sizeof(struct rlk_entry),
			     .bytes = UINT64_MAX / 2 / RLK_PAGE * RLK_PAGE,
			     .capacity = UINT32_MAX,
			     .shard = 1});
	ck_assert_int_eq(pwrite(f.fd, &(uint64_t){UINT64_MAX}, sizeof(uint64_t),
				 offsetof(struct rlk_header, used)),
		(ssize_t)sizeof(uint64_t));
	close(f.fd);
	expect("cut short");
	ck_assert_uint_eq(acquired(), SAMPLE_ACQUIRED);
}
END_TEST

/* Each says that it has as many rows as there can be numbers for them, far apart. */
START_TEST(test_a_chain_of_endless_blocks)
{
	struct file f = file_begin();

	for (unsigned i = 0; i < 64; i++) {
		enum rlk_block_type type = RLK_MODULES + i % (RLK_STACKS - RLK_MODULES + 1);

		head_add(&f, (struct rlk_block){.type = (uint16_t)type,
				     .row_size = 4096,
				     .bytes = (uint64_t)1 << 36,
				     .capacity = UINT32_MAX,
				     .first = UINT32_MAX,
				     .shard = UINT32_MAX});
	}
	file_end(&f, f.end, f.end);
	expect("claims more rows than it has room for");
	ck_assert_uint_eq(acquired(), SAMPLE_ACQUIRED);
}
END_TEST

#define TINY_BLOCKS 20000

static void fill_entry(void *row, uint32_t number)
{
	struct rlk_entry *entry = row;

	entry->lock = 0x7000;
	entry->record = 1 + number % 2;
	entry->acquired = 1;
}

START_TEST(test_many_tiny_blocks)
{
	struct file f = file_begin();

	for (uint32_t i = 0; i < TINY_BLOCKS; i++)
		rows_add(&f, RLK_ENTRIES, sizeof(struct rlk_entry), 0, 1, 1 + i, fill_entry);
	file_end(&f, f.end, f.end);
	free(report_all());
	ck_assert_uint_eq(acquired(), SAMPLE_ACQUIRED + TINY_BLOCKS);
}
END_TEST

/* The second begins inside of the first, which says nothing of it. */
START_TEST(test_overlapping_blocks)
{
	struct file f = file_begin();
	uint64_t inner;

	rows_add(&f, RLK_ENTRIES, sizeof(struct rlk_entry), 0, 4096, 1, fill_entry);
	inner = f.end - 2 * RLK_PAGE;
	f.end = inner;
	head_add(&f, (struct rlk_block){.type = RLK_ENTRIES,
			     .row_size = sizeof(struct rlk_entry),
			     .bytes = 16 * RLK_PAGE,
			     .capacity = 1024,
			     .shard = 1});
	file_end(&f, f.end, f.end);
	free(report_all());
	/* The head is read as a row of the outer block, and may count for what it looks like. */
	ck_assert_uint_ge(
		acquired(), SAMPLE_ACQUIRED + 4096 - 2 * RLK_PAGE / sizeof(struct rlk_entry));
}
END_TEST

static void fill_module(void *row, uint32_t number)
{
	struct rlk_module *module = row;

	module->start = (uint64_t)(number + 1) << 20;
	module->end = module->start + 0x1000;
	module->build_id_length = 4;
	memcpy(module->build_id, &number, sizeof number);
	module->path = (struct rlk_text){0, 4000}; /* its place is filled in by the test */
}

static uint64_t text_at;

static void fill_module_with_text(void *row, uint32_t number)
{
	fill_module(row, number);
	((struct rlk_module *)row)->path.offset = text_at;
}

/* A text of gigabytes, and one of 4 KiB that very many modules have. */
START_TEST(test_long_texts)
{
	struct file f = file_begin();
	struct rlk_text all = {0, (uint64_t)3 << 30};
	char text[4096];

	memset(text, 'a', sizeof text);
	text_at = all.offset = f.end + sizeof(struct rlk_block);
	ck_assert_int_eq(pwrite(f.fd, text, sizeof text, (off_t)text_at), (ssize_t)sizeof text);
	head_add(&f,
		(struct rlk_block){.type = RLK_STRINGS, .row_size = 1, .bytes = (uint64_t)4 << 30});
	rows_add(&f, RLK_MODULES, sizeof(struct rlk_module), 1, 200000, 0, fill_module_with_text);
	ck_assert_int_eq(pwrite(f.fd, &all, sizeof all, offsetof(struct rlk_header, command)),
		(ssize_t)sizeof all);
	file_end(&f, f.end, f.end);
	model_bytes_max = 64 << 20;
	expect("a text lies outside");
	expect("too large: ");
	ck_assert_uint_eq(acquired(), SAMPLE_ACQUIRED);
}
END_TEST

/* --- more rows than are kept */

#define MANY 100000
#define BOUND (8 << 20) /* bytes of rows: some ten thousands */

static void fill_class(void *row, uint32_t number)
{
	struct rlk_class *class = row;

	class->address = 0x100000 + number;
	class->birth = RLK_BORN_INIT;
	class->kind = RLK_KIND_MUTEX;
}

static void fill_record(void *row, uint32_t number)
{
	struct rlk_record *record = row;

	record->lock = 0x100000 + number * 64ull;
	record->class_index = number;
	record->generations = 1;
	record->rule = 1 + number % 64;
}

static void fill_own_entry(void *row, uint32_t number)
{
	fill_entry(row, number);
	((struct rlk_entry *)row)->record = 1 + number;
}

static void fill_strange_entry(void *row, uint32_t number)
{
	fill_own_entry(row, number);
	((struct rlk_entry *)row)->lock = 0x1000000 + number * 64ull;
}

START_TEST(test_many_locks_and_classes)
{
	struct file f = file_begin();
	struct model *m;

	rows_add(&f, RLK_CLASSES, sizeof(struct rlk_class), 100, MANY, 0, fill_class);
	rows_add(&f, RLK_RECORDS, sizeof(struct rlk_record), 100, MANY, 0, fill_record);
	rows_add(&f, RLK_ENTRIES, sizeof(struct rlk_entry), 100, MANY, 1, fill_own_entry);
	file_end(&f, f.end, f.end);
	ck_assert_uint_eq(acquired(), SAMPLE_ACQUIRED + MANY);
	model_bytes_max = BOUND;
	expect("too large: ");
	m = tests_model_of(FILE_NAME);
	ck_assert_uint_eq(m->total.acquired, SAMPLE_ACQUIRED + MANY);
	/* None takes the room of another. */
	ck_assert_uint_gt(m->locks.count, MANY / 10);
	ck_assert_uint_gt(m->classes.count, MANY / 50);
	ck_assert(!tests_warned(m, "damaged"));
	model_free(m);
}
END_TEST

/* Without any record, each of another address. */
START_TEST(test_many_locks_without_a_record)
{
	struct file f = file_begin();

	rows_add(&f, RLK_ENTRIES, sizeof(struct rlk_entry), 100, MANY, 1, fill_strange_entry);
	file_end(&f, f.end, f.end);
	model_bytes_max = BOUND;
	expect("too large: ");
	ck_assert_uint_eq(acquired(), SAMPLE_ACQUIRED + MANY);
}
END_TEST

static void fill_site(void *row, uint32_t number)
{
	struct rlk_site *site = row;

	site->address = 0x100000 + number;
	site->module = 1;
}

static void fill_stack(void *row, uint32_t number)
{
	struct rlk_stack *stack = row;

	stack->depth = RLK_STACK_FRAMES;
	for (uint32_t i = 0; i < RLK_STACK_FRAMES; i++)
		stack->site[i] = 100 + (number >> i % 16) % MANY;
}

static void fill_thread(void *row, uint32_t number)
{
	struct rlk_thread *thread = row;

	thread->birth_ticks = 1 + number;
	thread->shard = number;
}

static void fill_pair(void *row, uint32_t number)
{
	struct rlk_pair *pair = row;

	pair->record = 1 + number % 1000;
	pair->waiter = RLK_CONTEXT_STACK(100 + number % MANY);
	pair->holder = RLK_CONTEXT_SITE(100 + number % MANY);
	pair->count = 1;
	pair->wait_total = 1000000 + number;
}

static void fill_yield(void *row, uint32_t number)
{
	struct rlk_yield_site *yield = row;

	yield->address = 0x100000 + number;
	yield->kind = RLK_YIELD_SCHED;
	yield->count = 1000000;
}

static void fill_shard(void *row, uint32_t number)
{
	struct rlk_shard *shard = row;

	shard->state = 1;
	shard->move.from = 1 + number;
	shard->move.to = 2 + number;
}

START_TEST(test_many_of_everything_else)
{
	struct file f = file_begin();

	rows_add(&f, RLK_SITES, sizeof(struct rlk_site), 100, MANY, 0, fill_site);
	rows_add(&f, RLK_STACKS, sizeof(struct rlk_stack), 100, MANY, 0, fill_stack);
	rows_add(&f, RLK_THREADS, sizeof(struct rlk_thread), 100, MANY, 0, fill_thread);
	rows_add(&f, RLK_PAIRS, sizeof(struct rlk_pair), 100, MANY, 1, fill_pair);
	rows_add(&f, RLK_YIELD_SITES, sizeof(struct rlk_yield_site), 100, MANY, 1, fill_yield);
	rows_add(&f, RLK_SHARDS, sizeof(struct rlk_shard), 100, MANY, 1, fill_shard);
	file_end(&f, f.end, f.end);
	model_bytes_max = BOUND;
	expect("too large: ");
	ck_assert_uint_eq(acquired(), SAMPLE_ACQUIRED);
}
END_TEST

static void fill_wrapper_module(void *row, uint32_t number)
{
	struct rlk_module *module = row;

	(void)number;
	module->start = module->bias = 0x100000;
	module->end = 0x110000;
	module->path = (struct rlk_text){text_at, strlen(REPORT_ELF_FILES "/wrapper")};
}

static void fill_wrapper_site(void *row, uint32_t number)
{
	struct rlk_site *site = row;

	site->address = 0x101001 + number % 256; /* of the call before it */
	site->module = 3;
}

/* A number, written in sites. */
static void fill_wrapper_stack(void *row, uint32_t number)
{
	struct rlk_stack *stack = row;

	stack->depth = 4;
	for (uint32_t i = 0; i < stack->depth; i++)
		stack->site[i] = 256 + (number >> 8 * i) % 255;
}

static void fill_wrapper_class(void *row, uint32_t number)
{
	fill_class(row, number);
	((struct rlk_class *)row)->context = RLK_CONTEXT_STACK(number);
}

#define WRAPPED 250000

/* Classes born in a wrapper are called after the place that waits most for their locks. */
START_TEST(test_many_classes_born_in_wrappers)
{
	static const char path[] = REPORT_ELF_FILES "/wrapper";
	struct file f = file_begin();

	text_at = f.end + sizeof(struct rlk_block);
	ck_assert_int_eq(pwrite(f.fd, path, sizeof path, (off_t)text_at), (ssize_t)sizeof path);
	head_add(&f, (struct rlk_block){.type = RLK_STRINGS, .row_size = 1, .bytes = RLK_PAGE});
	rows_add(&f, RLK_MODULES, sizeof(struct rlk_module), 2, 1, 0, fill_wrapper_module);
	rows_add(&f, RLK_SITES, sizeof(struct rlk_site), 256, 256, 0, fill_wrapper_site);
	rows_add(&f, RLK_STACKS, sizeof(struct rlk_stack), 100, WRAPPED, 0, fill_wrapper_stack);
	rows_add(&f, RLK_CLASSES, sizeof(struct rlk_class), 100, WRAPPED, 0, fill_wrapper_class);
	rows_add(&f, RLK_RECORDS, sizeof(struct rlk_record), 100, WRAPPED, 0, fill_record);
	rows_add(&f, RLK_ENTRIES, sizeof(struct rlk_entry), 100, WRAPPED, 1, fill_own_entry);
	rows_add(&f, RLK_PAIRS, sizeof(struct rlk_pair), 100, WRAPPED, 1, fill_pair);
	file_end(&f, f.end, f.end);
	free(report(REPORT_CSV, REPORT_BY_CLASS));
}
END_TEST

static void fill_cell(void *row, uint32_t number)
{
	struct rlk_cell *cell = row;

	cell->record = 1 + number;
	builder_wait(cell, 50000000, 100);
	builder_hold(cell, 100, 10000);
	cell->wait_hist[number % RLK_HIST_BUCKETS]++;
	cell->burst_acquired = 100000;
	cell->burst_total = 100000;
}

#define CELLS 20000

/* What was quadratic: classes and threads that each looked through all pairs and threads. */
START_TEST(test_many_waits)
{
	struct file f = file_begin();
	uint64_t contended;
	struct model *m;

	rows_add(&f, RLK_SITES, sizeof(struct rlk_site), 100, MANY, 0, fill_site);
	rows_add(&f, RLK_CLASSES, sizeof(struct rlk_class), 100, CELLS, 0, fill_class);
	rows_add(&f, RLK_RECORDS, sizeof(struct rlk_record), 100, CELLS, 0, fill_record);
	rows_add(&f, RLK_CELLS, sizeof(struct rlk_cell), 100, CELLS, 1, fill_cell);
	rows_add(&f, RLK_PAIRS, sizeof(struct rlk_pair), 100, MANY, 1, fill_pair);
	rows_add(&f, RLK_THREADS, sizeof(struct rlk_thread), 100, MANY, 0, fill_thread);
	file_end(&f, f.end, f.end);
	free(report_all());
	m = tests_model_of(FILE_NAME);
	contended = m->total.counter[COUNT_contended];
	model_free(m);
	model_bytes_max = BOUND;
	expect("too large: ");
	m = tests_model_of(FILE_NAME);
	ck_assert_uint_eq(m->total.counter[COUNT_contended], contended);
	model_free(m);
}
END_TEST

/* A long configuration, and very many locks that say a rule in it chose their policy. */
START_TEST(test_long_configuration)
{
	struct file f = file_begin();
	struct rlk_text config = {0, 1 << 20};
	char *text = malloc(config.length);

	for (size_t i = 0; i < config.length; i++)
		text[i] = i % 8 == 7 ? '\n' : "lock.x="[i % 8];
	memcpy(text + config.length - 64, "\nlock.2 = a=spin ; x\nlock.3 = ", 30);
	config.offset = f.end + sizeof(struct rlk_block);
	ck_assert_int_eq(
		pwrite(f.fd, text, config.length, (off_t)config.offset), (ssize_t)config.length);
	free(text);
	head_add(&f,
		(struct rlk_block){.type = RLK_STRINGS, .row_size = 1, .bytes = (uint64_t)2 << 20});
	rows_add(&f, RLK_CLASSES, sizeof(struct rlk_class), 100, MANY, 0, fill_class);
	rows_add(&f, RLK_RECORDS, sizeof(struct rlk_record), 100, MANY, 0, fill_record);
	ck_assert_int_eq(pwrite(f.fd, &config, sizeof config, offsetof(struct rlk_header, config)),
		(ssize_t)sizeof config);
	file_end(&f, f.end, f.end);
	free(report_all());
}
END_TEST

Suite *report_large_suite(void)
{
	Suite *suite = suite_create("large");
	TCase *tests = tcase_create("large");

	tcase_add_checked_fixture(tests, setup, NULL);
	tcase_set_timeout(tests, 300);
	tcase_add_test(tests, test_claims_16_eib);
	tcase_add_test(tests, test_a_chain_of_endless_blocks);
	tcase_add_test(tests, test_many_tiny_blocks);
	tcase_add_test(tests, test_overlapping_blocks);
	tcase_add_test(tests, test_long_texts);
	tcase_add_test(tests, test_many_locks_and_classes);
	tcase_add_test(tests, test_many_locks_without_a_record);
	tcase_add_test(tests, test_many_of_everything_else);
	tcase_add_test(tests, test_many_classes_born_in_wrappers);
	tcase_add_test(tests, test_many_waits);
	tcase_add_test(tests, test_long_configuration);
	suite_add_tcase(suite, tests);
	return suite;
}
