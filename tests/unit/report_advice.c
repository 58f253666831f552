/* Advice: each kind fires on what proves it, and not on a little less. */
#include "stats/report/advice.h"
#include "tests/unit/report_tests.h"

#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

#define FILE_NAME "advice.rlk"
#define MS 1000000u
#define US 1000u

/* One lock, or many alike, of a program that computed for 1 s on 4 CPUs. */
struct scene {
	enum rlk_kind kind;
	struct rlk_cell cell; /* of its first side */
	uint64_t acquired;
	uint32_t locks; /* of its class, each with the cell; 0 is one */
	uint64_t created, destroyed;
	uint32_t threads, cpus; /* 0: one thread, four CPUs */
	struct rlk_pair pair[2];
	struct rlk_yield_site yield;
	const char *policy;
	bool two_kinds_of_policy;
	uint64_t other_wait_ns; /* of a lock of another class, in one wait */
};

static void add_threads(struct builder *b, uint32_t count)
{
	for (uint32_t i = 0; i < (count ? count : 1); i++) {
		struct rlk_shard shard = {.index = i, .state = 1, .thread = i};
		struct rlk_thread thread = {
			.birth_ticks = 1000, .tid = 100 + (int)i, .shard = i, .name = "worker"};

		builder_add(b, RLK_SHARDS, i + 1, &shard);
		builder_add(b, RLK_THREADS, 0, &thread);
	}
}

static void add_locks(struct builder *b, const struct scene *s, uint32_t module)
{
	struct rlk_class class = {.address = 0x10030,
		.birth = RLK_BORN_INIT,
		.kind = s->kind == RLK_KIND_WRLOCK ? RLK_KIND_RDLOCK : s->kind,
		.context = RLK_CONTEXT_SITE(builder_site(b, 0x10030, module + 1)),
		.module = module + 1,
		.created = s->created,
		.destroyed = s->destroyed};
	uint32_t row = builder_add(b, RLK_CLASSES, 0, &class);

	for (uint32_t i = 0; i < (s->locks ? s->locks : 1); i++) {
		uint64_t address = 0x700000 + 64 * i;
		uint32_t lock = builder_lock(b, address, row, class.kind);
		struct rlk_cell cell = s->cell;

		cell.record = lock + 1;
		cell.kind = s->kind;
		builder_entry(b, 0, lock, address, s->kind, s->acquired);
		if (cell.contended || cell.holds || cell.burst_acquired)
			builder_add(b, RLK_CELLS, 1, &cell);
	}
}

static void add_other(struct builder *b, const struct scene *s)
{
	uint32_t class = builder_class(b, RLK_BORN_INIT, RLK_KIND_MUTEX, 0x999, 0, 0);
	uint32_t lock = builder_lock(b, 0x9000, class, RLK_KIND_MUTEX);
	struct rlk_cell cell = {.record = lock + 1, .parked_total = s->other_wait_ns};

	builder_wait(&cell, s->other_wait_ns, 1);
	builder_entry(b, 0, lock, 0x9000, RLK_KIND_MUTEX, 1);
	builder_add(b, RLK_CELLS, 1, &cell);
}

static void scene_fill(struct builder *b, const struct scene *s)
{
	uint32_t module = builder_module(b, "/nowhere/libmade-up.so", 0x10000, 0x20000);

	b->header.cpus_allowed = s->cpus ? s->cpus : 4;
	for (unsigned kind = 0; kind < RLK_KINDS; kind++)
		b->header.policy[kind] = builder_text(b, s->policy ? s->policy : "native");
	if (s->two_kinds_of_policy)
		b->header.policy[RLK_KIND_SPIN] = builder_text(b, "backoff:spins=256");
	add_threads(b, s->threads);
	add_locks(b, s, module);
	if (s->other_wait_ns)
		add_other(b, s);
	for (unsigned i = 0; i < 2; i++)
		if (s->pair[i].record)
			builder_add(b, RLK_PAIRS, 1, &s->pair[i]);
	if (s->yield.kind)
		builder_add(b, RLK_YIELD_SITES, 1, &s->yield);
}

static void scene_write(const struct scene *s)
{
	struct builder b;

	builder_begin(&b);
	scene_fill(&b, s);
	builder_write(&b, FILE_NAME);
	builder_end(&b);
}

/* The kinds of advice on a scene, separated by spaces; commands too, each before a '|'. */
static const char *advised_how(const struct scene *s, bool commands)
{
	static char text[1024];
	struct model *m;
	struct symbols *symbols;
	struct advice_words words;
	struct advices *list;

	scene_write(s);
	m = tests_model_of(FILE_NAME);
	symbols = symbols_new(m);
	words = (struct advice_words){.labels = labels_new(m, symbols)};
	words.list = list = advices_new(m, words.labels);
	text[0] = '\0';
	for (size_t i = 0; i < list->count; i++) {
		char *command = advice_command(&words, &list->row[i]);

		snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s",
			i > 0 && !commands ? " " : "",
			commands ? command : advice_kind_names[list->row[i].kind]);
		free(command);
	}
	advices_free(list);
	labels_free(words.labels);
	symbols_free(symbols);
	model_free(m);
	return text;
}

static void expect_kinds(const struct scene *s, const char *kinds)
{
	ck_assert_str_eq(advised_how(s, false), kinds);
}

static void expect_command(const struct scene *s, const char *command)
{
	ck_assert_str_eq(advised_how(s, true), command);
}

/* The report, which has to contain a text. */
static void expect_text(const struct scene *s, const char *part)
{
	const char *path = FILE_NAME;
	struct report_options options = {0};
	char *text;

	scene_write(s);
	setenv("LC_ALL", "C.UTF-8", 1);
	text = tests_report(&path, 1, &options, NULL, NULL);
	ck_assert_msg(strstr(text, part) != NULL, "no \"%s\" in:\n%s", part, text);
	free(text);
}

/* --- spinning in vain */

static struct scene vain_spins(void)
{
	struct scene s = {.acquired = 10000, .policy = "spin-park:spins=1000"};

	builder_wait(&s.cell, 50 * US, 1000);
	builder_hold(&s.cell, 50 * US, 1000);
	s.cell.pauses = 1000000;
	s.cell.parked_total = 20 * MS;
	return s;
}

START_TEST(test_vain_spins)
{
	struct scene s = vain_spins();

	expect_kinds(&s, "vain-spins");
	expect_text(&s,
		"\nadvice   100% of the waits for lock 1 spun, 30 µs each, and then blocked "
		"all the same: spinning less would save up to 30 ms of CPU\n");
	expect_command(&s, "relock compare -p spin-park:spins=1000 -p native -p "
			   "spin-park:spins=100 -- prog --fast");
	s.cell.ended_block = 790;
	s.cell.ended_spin = 210;
	expect_kinds(&s, "");
}
END_TEST

START_TEST(test_vain_spins_without_evidence)
{
	struct scene s = vain_spins();

	s.cell.pauses = 0; /* it did not spin */
	expect_kinds(&s, "");
	s = vain_spins();
	s.cell.parked_total = 31 * MS; /* less than 2 % of 1 s */
	expect_kinds(&s, "");
	s = (struct scene){.acquired = 10000, .policy = "spin-park"};
	builder_wait(&s.cell, 500 * US, 99);
	s.cell.pauses = 1000000;
	expect_kinds(&s, "");
	s = vain_spins();
	s.kind = RLK_KIND_SPIN; /* has nothing else than spinning */
	expect_kinds(&s, "");
}
END_TEST

/* --- holds shorter than a wake-up */

static struct scene short_holds(void)
{
	struct scene s = {.acquired = 1000000};

	builder_wait(&s.cell, 20 * US, 10000);
	builder_hold(&s.cell, 1000, 100);
	s.cell.parked_total = s.cell.wait_total;
	return s;
}

START_TEST(test_short_holds)
{
	struct scene s = short_holds();

	expect_kinds(&s, "short-holds");
	expect_text(&s, "\nadvice   lock 1 is held 960 ns at p90, but waits that block take "
			"18 µs at the median: spinning for some 1.9 µs first may spare most of ");
	expect_text(&s,
		"\nnext     relock compare -p native --sweep spin-park:spins=50,250,1000 -- "
		"prog --fast\n");
}
END_TEST

START_TEST(test_short_holds_without_evidence)
{
	struct scene s = short_holds();

	s.cell.holds = 99;
	expect_kinds(&s, "");
	s = short_holds();
	s.cell.ended_block = 4900;
	s.cell.ended_spin = 5100;
	expect_kinds(&s, "");
	s = short_holds();
	s.cpus = 1; /* nobody can spin */
	expect_kinds(&s, "");
	s = short_holds();
	s.kind = RLK_KIND_SPIN;
	expect_kinds(&s, "");
	s = short_holds();
	s.cell.pauses = 1000000; /* has spun for 3 us already */
	s.cell.parked_total -= 30 * MS;
	expect_kinds(&s, "vain-spins");
}
END_TEST

START_TEST(test_short_holds_by_length)
{
	struct scene s = {.acquired = 1000000};

	builder_wait(&s.cell, 20 * US, 2000); /* 40 ms of a busy second */
	builder_hold(&s.cell, 1000, 100);
	s.cell.parked_total = s.cell.wait_total;
	expect_kinds(&s, "");
	builder_wait(&s.cell, 20 * US, 2000);
	s.cell.parked_total = s.cell.wait_total;
	expect_kinds(&s, "short-holds");
	builder_hold(&s.cell, 12 * US, 100); /* p90: too long to spin for */
	expect_kinds(&s, "");
	s = short_holds();
	builder_hold(&s.cell, 8 * US, 100); /* the waits are not four times that */
	expect_kinds(&s, "");
	s = (struct scene){.acquired = 1000000};
	builder_wait(&s.cell, 300 * US, 1000); /* no wake-up takes that long */
	builder_hold(&s.cell, 1000, 100);
	s.cell.parked_total = s.cell.wait_total;
	expect_kinds(&s, "");
}
END_TEST

/* --- holders without a CPU */

static struct scene descheduled(void)
{
	struct scene s = {.acquired = 1000000, .threads = 8};

	builder_wait(&s.cell, 5 * MS, 100);
	builder_hold(&s.cell, 1000, 100);
	s.cell.parked_total = s.cell.wait_total;
	return s;
}

START_TEST(test_descheduled)
{
	struct scene s = descheduled();

	expect_kinds(&s, "descheduled");
	expect_text(&s,
		"advice   lock 1 is held 960 ns at p99, but 500 ms of 500 ms waiting for it "
		"went by in waits of 1 ms and more: with 8 threads on 4 CPUs, ");
	expect_text(&s, "next     relock compare -p native -p spin-yield -p spin-yield-sleep -- ");
	s.threads = 7;
	expect_kinds(&s, "");
	s = descheduled();
	builder_hold(&s.cell, 200 * US, 2); /* holds are long themselves */
	expect_kinds(&s, "");
	s = (struct scene){.acquired = 1000000, .threads = 8};
	builder_wait(&s.cell, 5 * MS, 19);
	builder_wait(&s.cell, 1 * US, 100);
	builder_hold(&s.cell, 1000, 100);
	expect_kinds(&s, "");
	builder_wait(&s.cell, 5 * MS, 1);
	expect_kinds(&s, "descheduled");
}
END_TEST

/* --- a long holder */

static struct rlk_pair pair_of(uint32_t site, uint64_t count, uint64_t each)
{
	return (struct rlk_pair){.record = 1,
		.holder = RLK_CONTEXT_SITE(site),
		.count = count,
		.wait_total = count * each,
		.wait_max = each};
}

/* Site 0 is where the class was born. */
static struct scene long_holder(void)
{
	struct scene s = {.acquired = 1000000};

	builder_wait(&s.cell, 200 * US, 1000);
	builder_hold(&s.cell, 1000, 950);
	builder_hold(&s.cell, 300 * US, 50);
	s.cell.parked_total = s.cell.wait_total;
	s.pair[0] = pair_of(0, 900, 200 * US);
	return s;
}

START_TEST(test_long_holder_by_its_holds)
{
	struct scene s = long_holder();

	expect_kinds(&s, "long-holder");
	expect_text(&s,
		"advice   lock 1 is held 960 ns at the median but 295 µs at p99: the long "
		"holder is libmade-up.so+0x30, for which 900 waits took 180 ms, 100% of the "
		"waiting\n");
	expect_text(&s, "next     relock report --stacks advice.rlk\n");
	s.pair[0] = pair_of(0, 400, 200 * US);
	s.pair[1] = pair_of(0, 410, 200 * US);
	s.pair[1].holder = 0; /* not known */
	expect_kinds(&s, "");
	s = long_holder();
	s.pair[0].holder = 0;
	expect_kinds(&s, "");
	s = long_holder();
	s.cell.holds = 999; /* one in a hundred of them is not known */
	expect_kinds(&s, "");
}
END_TEST

/* Too rare for p99 to see. */
START_TEST(test_long_holder_by_waits)
{
	struct scene s = {.acquired = 1000000};

	builder_wait(&s.cell, 1 * MS, 100);
	builder_wait(&s.cell, 2 * US, 900);
	builder_hold(&s.cell, 1000, 100);
	s.pair[0] = pair_of(0, 100, 1 * MS);
	s.pair[1] = pair_of(1, 900, 2 * US);
	expect_kinds(&s, "long-holder");
	s.pair[1].holder = 0;
	expect_kinds(&s, "long-holder");
	s.pair[0].count = 19;
	expect_kinds(&s, "");
	/* All waits for it are as long as these: it is how the lock is used. */
	s.pair[0] = pair_of(0, 600, 1 * MS);
	s.pair[1] = pair_of(0, 400, 1 * MS);
	s.pair[1].holder = 0;
	expect_kinds(&s, "");
}
END_TEST

/* --- bursts */

static struct scene bursts(void)
{
	struct scene s = {.acquired = 1000000};

	s.cell.burst_acquired = 1000000;
	s.cell.burst_total = 400 * MS;
	builder_hold(&s.cell, 150, 1000);
	return s;
}

START_TEST(test_bursts)
{
	struct scene s = bursts();

	expect_kinds(&s, "bursts");
	expect_text(&s, "advice   thread 100 (worker) took lock 1 1.00M times in runs, one in 400 "
			"ns, held 150 ns: one hold for many would save up to 250 ns each, 25.0% of "
			"the thread's time, if nothing else is done in between\n");
	/* The program has to be changed first. */
	expect_text(&s, "next     relock doctor /usr/bin/prog\n");
	expect_command(&s, "relock diff advice.rlk AFTER.rlk");
	s.cell.burst_acquired = 9999;
	expect_kinds(&s, "");
	s = bursts();
	s.cell.holds = 99;
	expect_kinds(&s, "");
	s = bursts();
	s.cell.burst_total = 240 * MS; /* 90 ns each: 9 % */
	expect_kinds(&s, "");
	s = bursts();
	s.cell.burst_total = 140 * MS; /* holds that were timed were longer than the others */
	expect_kinds(&s, "");
}
END_TEST

START_TEST(test_bursts_with_work_in_between)
{
	struct scene s = bursts();

	s.acquired = s.cell.burst_acquired = 200000; /* 1850 ns in between */
	expect_kinds(&s, "");
	/* 950 of them were spent waiting. */
	builder_wait(&s.cell, 380000, 500);
	s.cell.parked_total = s.cell.wait_total;
	expect_kinds(&s, "bursts");
}
END_TEST

START_TEST(test_bursts_of_threads_that_followed_each_other)
{
	const char *path = FILE_NAME;
	struct scene s = bursts();
	struct rlk_thread next = {.birth_ticks = 500001000, .tid = 200, .before_acquired = 500000};
	struct report_options options = {0};
	struct builder b;
	char *text;

	builder_begin(&b);
	scene_fill(&b, &s);
	builder_add(&b, RLK_THREADS, 0, &next);
	builder_write(&b, FILE_NAME);
	builder_end(&b);
	setenv("LC_ALL", "C.UTF-8", 1);
	text = tests_report(&path, 1, &options, NULL, NULL);
	ck_assert_ptr_nonnull(strstr(text, "advice   2 threads, one after the other, took lock 1"));
	free(text);
}
END_TEST

/* --- classes */

START_TEST(test_many_locks)
{
	struct scene s = {.acquired = 100, .locks = 1000};

	builder_wait(&s.cell, 50 * US, 2);
	s.cell.parked_total = 50 * US;
	expect_kinds(&s, "many-locks");
	expect_text(&s, "advice   100 ms of waiting is spread over the 1000 locks "
			"libmade-up.so+0x30, 0.1% at most for one of them: ");
	expect_command(&s, "relock compare -p native -p spin-park -- prog --fast");
	s.locks = 999;
	expect_kinds(&s, "");
	s.locks = 1000;
	s.cell.wait_total = 50 * US; /* 50 ms in all, not 5 % of a second and that */
	expect_kinds(&s, "");
}
END_TEST

START_TEST(test_churn)
{
	struct scene s = {.acquired = 200000, .created = 100000, .destroyed = 90000};

	expect_kinds(&s, "churn");
	expect_text(&s, "advice   100k locks were made at libmade-up.so+0x30 and 90.0k destroyed, "
			"100k a second, each taken 2.0 times: ");
	s.created = 99999;
	expect_kinds(&s, "");
	s.created = 100000;
	s.destroyed = 89999;
	expect_kinds(&s, "");
	s.destroyed = 90000;
	s.acquired = 400001;
	expect_kinds(&s, "");
}
END_TEST

/* --- CPU time */

static struct scene burnt(void)
{
	struct scene s = {.acquired = 100000, .threads = 8, .policy = "spin"};

	builder_wait(&s.cell, 20 * MS, 100); /* 2 s of 8 thread seconds and one of CPU time */
	s.cell.ended_block = 0;
	s.cell.ended_spin = 100;
	s.cell.pauses = 1000000;
	return s;
}

START_TEST(test_cpu_burnt)
{
	struct scene s = burnt();

	expect_kinds(&s, "cpu-burnt");
	expect_text(&s,
		"advice   25.0% of the CPU time, 250 ms, went into waiting for locks, with 8 "
		"threads on 4 CPUs: let waiters block\n");
	expect_text(&s, "next     relock compare -p spin -p native -p spin-park -- prog --fast\n");
	s.threads = 7; /* enough CPUs, nearly */
	expect_kinds(&s, "");
	s = burnt();
	s.cell.parked_total = 50 * MS;
	expect_kinds(&s, "");
	s = burnt();
	s.cell.contended = 99;
	expect_kinds(&s, "");
}
END_TEST

START_TEST(test_cpu_burnt_in_yields)
{
	struct scene s = burnt();

	s.cell.yielded_total = s.cell.wait_total;
	s.cell.yields = 840000; /* of 300 ns and more */
	expect_kinds(&s, "cpu-burnt");
	s.cell.yields = 820000;
	expect_kinds(&s, "");
}
END_TEST

/* What the C library's own loop burns is counted as blocking. */
START_TEST(test_cpu_burnt_by_native_spinlocks)
{
	struct scene s = burnt();

	s.kind = RLK_KIND_SPIN;
	s.policy = "native";
	s.cell.pauses = 0;
	s.cell.blocks = 100;
	s.cell.parked_total = s.cell.wait_total;
	expect_kinds(&s, "cpu-burnt");
	s.kind = RLK_KIND_MUTEX;
	expect_kinds(&s, "");
}
END_TEST

/* --- how locks are used */

START_TEST(test_only_written)
{
	struct scene s = {.kind = RLK_KIND_WRLOCK, .acquired = 1000000};

	expect_kinds(&s, "only-written");
	expect_text(&s, "advice   lock 1 was write-locked 1.00M times and never read-locked: ");
	s.acquired = 999999; /* 10 ns each, of a second */
	expect_kinds(&s, "");
	s.kind = RLK_KIND_RDLOCK;
	s.acquired = 1000000;
	expect_kinds(&s, "");
}
END_TEST

START_TEST(test_home_made)
{
	struct scene s = {.yield = {.address = 0x10040, .kind = RLK_YIELD_SCHED, .count = 10000}};

	expect_kinds(&s, "home-made");
	expect_text(&s,
		"advice   libmade-up.so+0x40 called sched_yield 10.0k times, 10.0k a second: "
		"it waits in a loop of its own, which no policy reaches\n");
	s.yield.count = 9999;
	expect_kinds(&s, "");
	s.yield = (struct rlk_yield_site){
		.address = 0x10040, .kind = RLK_YIELD_SLEEP, .count = 10000, .asked_ns = 1000 * MS};
	expect_kinds(&s, "home-made");
	s.yield.asked_ns++; /* 100 us each, and a bit: that is pacing */
	expect_kinds(&s, "");
}
END_TEST

/* --- commands */

START_TEST(test_command_for_some_locks)
{
	struct scene s = short_holds();

	s.other_wait_ns = 250 * MS; /* most waiting is for another lock */
	expect_command(&s, "relock compare -p native -r "
			   "class=libmade-up.so+0x30=spin-park:spins=50 -r "
			   "class=libmade-up.so+0x30=spin-park:spins=250 -r "
			   "class=libmade-up.so+0x30=spin-park:spins=1000 -- prog --fast");
	s.other_wait_ns = 0;
	s.two_kinds_of_policy = true;
	expect_command(&s, "relock compare -p mutex=native --sweep "
			   "mutex=spin-park:spins=50,250,1000 -- prog --fast");
}
END_TEST

START_TEST(test_command_names_what_is_not_default)
{
	struct scene s = vain_spins();

	s.policy = "spin-park:spins=100,hint=default,hint_count=3";
	expect_command(&s, "relock compare -p spin-park:hint_count=3 -p native -p "
			   "spin-park:spins=10 -- prog --fast");
	s.policy = "nonsense:x=1";
	expect_command(&s, "relock compare -p nonsense:x=1 -p native -p spin-park -- prog --fast");
}
END_TEST

/* --- the documents */

START_TEST(test_json)
{
	const char *path = FILE_NAME;
	struct report_options options = {.format = REPORT_JSON};
	struct scene s = bursts();
	cJSON *document, *list, *first;
	char *text;

	s.yield = (struct rlk_yield_site){
		.address = 0x10040, .kind = RLK_YIELD_SCHED, .count = 20000};
	scene_write(&s);
	text = tests_report(&path, 1, &options, NULL, NULL);
	document = cJSON_Parse(text);
	ck_assert_msg(document != NULL, "no JSON: %s", text);
	list = cJSON_GetObjectItem(document, "advice");
	ck_assert_int_eq(cJSON_GetArraySize(list), 2);
	first = cJSON_GetArrayItem(list, 0);
	ck_assert_str_eq(cJSON_GetObjectItem(first, "kind")->valuestring, "bursts");
	ck_assert_str_eq(cJSON_GetObjectItem(first, "thread")->valuestring, "worker");
	ck_assert_int_eq(cJSON_GetObjectItem(first, "tid")->valueint, 100);
	ck_assert_int_eq(cJSON_GetObjectItem(first, "lock")->valueint, 0);
	ck_assert_int_eq(cJSON_GetObjectItem(first, "stake_ns")->valueint, 250000000);
	ck_assert(cJSON_IsTrue(cJSON_GetObjectItem(first, "needs_change")));
	ck_assert_ptr_nonnull(
		strstr(cJSON_GetObjectItem(first, "text")->valuestring, "libmade-up.so+0x30"));
	first = cJSON_GetObjectItem(first, "numbers");
	ck_assert_int_eq(cJSON_GetObjectItem(first, "between_ns")->valueint, 250);
	ck_assert_ptr_null(cJSON_GetObjectItem(first, "spun_total_ns"));
	first = cJSON_GetArrayItem(list, 1);
	ck_assert(cJSON_IsNull(cJSON_GetObjectItem(first, "lock")));
	ck_assert(cJSON_IsNull(cJSON_GetObjectItem(first, "thread")));
	cJSON_Delete(document);
	free(text);
}
END_TEST

START_TEST(test_no_advice_on_little)
{
	const char *path = FILE_NAME;
	struct report_options options = {.format = REPORT_JSON};
	char *text;

	tests_write_sample(FILE_NAME);
	text = tests_report(&path, 1, &options, NULL, NULL);
	ck_assert_ptr_nonnull(strstr(text, ",\n\"advice\":[],\n"));
	free(text);
}
END_TEST

Suite *report_advice_suite(void)
{
	Suite *suite = suite_create("advice");
	TCase *tests = tcase_create("advice");

	tcase_set_timeout(tests, 60);
	tcase_add_test(tests, test_vain_spins);
	tcase_add_test(tests, test_vain_spins_without_evidence);
	tcase_add_test(tests, test_short_holds);
	tcase_add_test(tests, test_short_holds_without_evidence);
	tcase_add_test(tests, test_short_holds_by_length);
	tcase_add_test(tests, test_descheduled);
	tcase_add_test(tests, test_long_holder_by_its_holds);
	tcase_add_test(tests, test_long_holder_by_waits);
	tcase_add_test(tests, test_bursts);
	tcase_add_test(tests, test_bursts_with_work_in_between);
	tcase_add_test(tests, test_bursts_of_threads_that_followed_each_other);
	tcase_add_test(tests, test_many_locks);
	tcase_add_test(tests, test_churn);
	tcase_add_test(tests, test_cpu_burnt);
	tcase_add_test(tests, test_cpu_burnt_in_yields);
	tcase_add_test(tests, test_cpu_burnt_by_native_spinlocks);
	tcase_add_test(tests, test_only_written);
	tcase_add_test(tests, test_home_made);
	tcase_add_test(tests, test_command_for_some_locks);
	tcase_add_test(tests, test_command_names_what_is_not_default);
	tcase_add_test(tests, test_json);
	tcase_add_test(tests, test_no_advice_on_little);
	suite_add_tcase(suite, tests);
	return suite;
}
