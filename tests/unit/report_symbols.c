/* Names from real files: a module built with debug information is loaded and recorded. */
#include "stats/report/headline.h"
#include "stats/report/labels.h"
#include "stats/report/view.h"
#include "tests/unit/report_tests.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>

#define FILE_NAME "symbols.rlk"

struct fixture_addresses {
	uintptr_t table_lock, table, table_entry, deep, in_function, inlined, mangled, constructor;
};

static const char *fixture; /* the one that is loaded */
static struct fixture_addresses at;
static struct rlk_module module;

static void read_build_id(const struct dl_phdr_info *info, const ElfW(Phdr) * header)
{
	const char *p = (const char *)info->dlpi_addr + header->p_vaddr;
	const char *end = p + header->p_memsz;

	while (p + sizeof(ElfW(Nhdr)) <= end) {
		const ElfW(Nhdr) *note = (const ElfW(Nhdr) *)p;
		const char *name = p + sizeof *note;
		const char *content = name + ((note->n_namesz + 3) & ~3u);

		if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4) {
			module.build_id_length = note->n_descsz;
			memcpy(module.build_id, content, note->n_descsz);
		}
		p = content + ((note->n_descsz + 3) & ~3u);
	}
}

static int find_module(struct dl_phdr_info *info, size_t size, void *unused)
{
	(void)size;
	(void)unused;
	if (strcmp(info->dlpi_name, fixture) != 0)
		return 0;
	module.bias = module.start = info->dlpi_addr;
	module.end = module.start + 0x100000;
	for (int i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_NOTE)
			read_build_id(info, &info->dlpi_phdr[i]);
	return 1;
}

static void load(const char *path)
{
	void *library = dlopen(path, RTLD_NOW);
	void (*ask)(struct fixture_addresses *);

	ck_assert_msg(library != NULL, "%s", dlerror());
	*(void **)&ask = dlsym(library, "fixture_addresses");
	ask(&at);
	fixture = path;
	ck_assert_int_eq(dl_iterate_phdr(find_module, NULL), 1);
	ck_assert_uint_eq(module.build_id_length, 20);
}

static void setup(void)
{
	load(REPORT_FIXTURE);
}

struct named {
	struct model *model;
	struct symbols *symbols;
	struct labels *labels;
};

static struct named open_named(const char *path)
{
	struct named n = {.model = tests_model_of(path)};

	n.symbols = symbols_new(n.model);
	n.labels = labels_new(n.model, n.symbols);
	return n;
}

static void close_named(struct named *n)
{
	labels_free(n->labels);
	symbols_free(n->symbols);
	model_free(n->model);
}

/* A recording of the module: one static lock, two in a table, a class born at an address. */
static void write_recording(uint8_t wrong_id, uint64_t birth)
{
	struct builder b;
	struct rlk_module row = module;
	uint32_t class, sites[2];
	uint64_t table[] = {at.table_lock, at.table + 8, at.table_entry, at.deep, at.in_function};

	builder_begin(&b);
	row.path = builder_text(&b, fixture);
	row.build_id[0] ^= wrong_id;
	builder_add(&b, RLK_MODULES, 0, &row);
	for (size_t i = 0; i < 5; i++) {
		class = builder_class(&b, RLK_BORN_STATIC, RLK_KIND_MUTEX, table[i], 1, 0);
		builder_lock(&b, table[i], class, RLK_KIND_MUTEX);
	}
	sites[0] = builder_site(&b, at.inlined, 1);
	sites[1] = builder_site(&b, at.mangled, 1);
	builder_stack(&b, sites, 2);
	class = builder_class(&b, RLK_BORN_INIT, RLK_KIND_MUTEX, birth, 1, 0);
	builder_lock(&b, 0x7000, class, RLK_KIND_MUTEX);
	builder_lock(&b, 0x8000, class, RLK_KIND_MUTEX);
	builder_write(&b, FILE_NAME);
	builder_end(&b);
}

static void expect_lock(struct named *n, uint32_t lock, const char *name)
{
	char *label = labels_lock(n->labels, lock);

	ck_assert_str_eq(label, name);
	free(label);
}

/* Compilers append numbers to the names of functions' variables: "once.0.guard". */
static void expect_lock_like(struct named *n, uint32_t lock, const char *start, const char *end)
{
	char *label = labels_lock(n->labels, lock);

	ck_assert_msg(strstr(label, start) != NULL, "%s", label);
	ck_assert_str_eq(label + strlen(label) - strlen(end), end);
	free(label);
}

START_TEST(test_static_locks_are_variables)
{
	struct named n;

	write_recording(0, at.constructor);
	n = open_named(FILE_NAME);
	expect_lock(&n, 0, "fixture_table_lock");
	expect_lock(&n, 1, "fixture_table[0].lock");
	expect_lock(&n, 2, "fixture_table[1].lock");
	expect_lock(&n, 3, "fixture_shards[1][2].inner.locks[1].lock");
	expect_lock_like(&n, 4, "once", ".guard");
	ck_assert_uint_eq(n.model->notes.count, 0);
	close_named(&n);
}
END_TEST

static void expect_class(struct named *n, uint32_t first_class, const char *name, uint32_t locks)
{
	struct view *v = view_new(n->model, n->labels, REPORT_BY_CLASS, 0);
	bool found = false;

	for (size_t i = 0; i < v->count; i++) {
		char *label;

		if (v->row[i].subject != first_class)
			continue;
		label = view_label(v, i);
		ck_assert_str_eq(label, name);
		ck_assert_uint_eq(v->row[i].count, locks);
		free(label);
		found = true;
	}
	ck_assert(found);
	view_free(v);
}

START_TEST(test_without_debug_information)
{
	struct named n;

	load(REPORT_FIXTURE_PLAIN);
	write_recording(0, at.constructor);
	n = open_named(FILE_NAME);
	expect_lock(&n, 0, "fixture_table_lock");
	expect_lock(&n, 1, "fixture_table+0x8");
	expect_lock(&n, 2, "fixture_table+0x38");
	expect_class(&n, 0, "fixture_table_lock", 1);
	expect_class(&n, 1, "fixture_table[]", 2);
	ck_assert_str_eq(symbols_site(n.symbols, 0)->frame[0].brief, "headline_function");
	ck_assert_ptr_null(symbols_site(n.symbols, 0)->frame[0].file);
	close_named(&n);
}
END_TEST

START_TEST(test_a_table_is_one_class)
{
	struct named n;

	write_recording(0, at.constructor);
	n = open_named(FILE_NAME);
	expect_class(&n, 0, "fixture_table_lock", 1);
	expect_class(&n, 1, "fixture_table[].lock", 2);
	expect_class(&n, 3, "fixture_shards[1][2].inner.locks[1].lock", 1);
	close_named(&n);
}
END_TEST

START_TEST(test_inlined_frames)
{
	struct named n;
	const struct frames *frames;
	const struct frame *headline;
	uint32_t context = RLK_CONTEXT_STACK(0);

	write_recording(0, at.constructor);
	n = open_named(FILE_NAME);
	frames = symbols_site(n.symbols, 0);
	ck_assert_uint_eq(frames->count, 2);
	ck_assert_str_eq(frames->frame[0].function, "Mutex_Lock");
	ck_assert(frames->frame[0].inlined && !frames->frame[1].inlined);
	ck_assert_str_eq(frames->frame[1].function, "headline_function");
	ck_assert_ptr_nonnull(strstr(frames->frame[1].file, "report_fixture.c"));
	ck_assert_int_gt(frames->frame[1].line, frames->frame[0].line);
	headline = headline_frame(n.symbols, n.model, context, NULL);
	ck_assert_str_eq(headline->function, "headline_function");
	ck_assert_ptr_nonnull(
		strstr(labels_context(n.labels, context), "headline_function (report_fixture.c:"));
	close_named(&n);
}
END_TEST

#ifdef RELOCK_HAVE_DEMANGLE
START_TEST(test_cxx_names)
{
	struct named n;
	const struct frames *frames;
	char *label;

	write_recording(0, at.constructor);
	n = open_named(FILE_NAME);
	frames = symbols_site(n.symbols, 1);
	ck_assert_str_eq(
		frames->frame[0].function, "leveldb::DBImpl::Write(leveldb::WriteOptions const&)");
	ck_assert_str_eq(frames->frame[0].brief, "leveldb::DBImpl::Write");
	/* Born in a constructor: called like the class, and numbered. */
	label = labels_lock(n.labels, 5);
	ck_assert_ptr_nonnull(strstr(label, "leveldb::DBImpl (report_fixture.c:"));
	ck_assert_ptr_nonnull(strstr(label, ") #1"));
	free(label);
	close_named(&n);
}
END_TEST
#endif

START_TEST(test_a_changed_file_gives_no_names)
{
	struct named n;
	const struct frames *frames;
	char expected[64];

	write_recording(1, at.constructor);
	n = open_named(FILE_NAME);
	frames = symbols_site(n.symbols, 1);
	snprintf(expected, sizeof expected, "libreport_fixture.so+0x%lx",
		(unsigned long)(at.mangled - module.bias));
	ck_assert_str_eq(frames->frame[0].function, expected);
	ck_assert(!frames->frame[0].known);
	ck_assert(tests_warned(n.model, "another build-id"));
	ck_assert_uint_eq(n.model->notes.count, 1);
	close_named(&n);
}
END_TEST

START_TEST(test_missing_and_odd_files)
{
	static const char *const paths[] = {
		"/nowhere/lib.so", "[vdso]", "/dev/null", "/etc/passwd"};
	struct builder b;
	struct named n;

	builder_begin(&b);
	for (uint32_t i = 0; i < 4; i++) {
		builder_module(&b, paths[i], 0x10000 * (i + 1), 0x10000 * (i + 2));
		builder_site(&b, 0x10000 * (i + 1) + 0x123, i + 1);
	}
	builder_site(&b, 0xabcdef, 0);
	builder_write(&b, FILE_NAME);
	builder_end(&b);
	n = open_named(FILE_NAME);
	ck_assert_str_eq(symbols_site(n.symbols, 0)->frame[0].function, "lib.so+0x123");
	ck_assert_str_eq(symbols_site(n.symbols, 1)->frame[0].function, "[vdso]+0x123");
	ck_assert_str_eq(symbols_site(n.symbols, 2)->frame[0].function, "null+0x123");
	ck_assert_str_eq(symbols_site(n.symbols, 3)->frame[0].function, "passwd+0x123");
	ck_assert_str_eq(symbols_site(n.symbols, 4)->frame[0].function, "0xabcdef");
	ck_assert(tests_warned(n.model, "/nowhere/lib.so: cannot be read"));
	ck_assert_uint_eq(n.model->notes.count, 3);
	close_named(&n);
}
END_TEST

START_TEST(test_no_network)
{
	struct named n;

	setenv("DEBUGINFOD_URLS", "https://debuginfod.invalid/", 1);
	write_recording(0, at.constructor);
	n = open_named(FILE_NAME);
	ck_assert_ptr_null(getenv("DEBUGINFOD_URLS"));
	close_named(&n);
}
END_TEST

/* A wrapper as birth place says little, so the place that waits most is added. */
START_TEST(test_wrappers_as_birth_place)
{
	struct builder b;
	struct named n;
	struct rlk_module row = module;
	struct rlk_pair pair = {.record = 1, .count = 1, .wait_total = 5};
	uint32_t class;

	builder_begin(&b);
	row.path = builder_text(&b, fixture);
	builder_add(&b, RLK_MODULES, 0, &row);
	class = builder_class(&b, RLK_BORN_INIT, RLK_KIND_MUTEX, at.inlined, 1, 0);
	builder_lock(&b, 0x7000, class, RLK_KIND_MUTEX);
	pair.waiter = RLK_CONTEXT_SITE(builder_site(&b, at.mangled, 1));
	builder_add(&b, RLK_PAIRS, 1, &pair);
	builder_write(&b, FILE_NAME);
	builder_end(&b);
	n = open_named(FILE_NAME);
	/* Its frames are Mutex_Lock, inlined into a function that is none. */
	ck_assert_ptr_nonnull(strstr(labels_class(n.labels, 0), "headline_function"));
	close_named(&n);
}
END_TEST

Suite *report_symbols_suite(void)
{
	Suite *suite = suite_create("symbols");
	TCase *tests = tcase_create("symbols");

	tcase_add_checked_fixture(tests, setup, NULL);
	tcase_set_timeout(tests, 20);
	tcase_add_test(tests, test_static_locks_are_variables);
	tcase_add_test(tests, test_without_debug_information);
	tcase_add_test(tests, test_a_table_is_one_class);
	tcase_add_test(tests, test_inlined_frames);
#ifdef RELOCK_HAVE_DEMANGLE
	tcase_add_test(tests, test_cxx_names);
#endif
	tcase_add_test(tests, test_a_changed_file_gives_no_names);
	tcase_add_test(tests, test_missing_and_odd_files);
	tcase_add_test(tests, test_no_network);
	tcase_add_test(tests, test_wrappers_as_birth_place);
	suite_add_tcase(suite, tests);
	return suite;
}
