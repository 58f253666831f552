/* Advice on how locks are used and where CPU time goes, likewise. */
#include "tests/unit/report_advice_scene.h"

#include <stdlib.h>
#include <string.h>

/* --- bursts */

START_TEST(test_bursts)
{
	struct scene s = scene_bursts();

	expect_kinds(&s, "bursts");
	expect_text(&s,
		"advice   thread 100 (worker) took lock 1 1.00M times in runs, one in 290 "
		"ns, held 150 ns: one hold for many would save up to 140 ns each, 140 ms in "
		"all, if nothing else is done in between\n");
	/* The program has to be changed first. */
	expect_text(&s, "next     relock doctor /usr/bin/prog\n");
	expect_command(&s, "relock diff advice.rlk AFTER.rlk");
	s.cell.burst_acquired = 9999;
	expect_kinds(&s, "");
	s = (struct scene){.acquired = 1000000};
	s.cell.burst_acquired = 1000000;
	s.cell.burst_total = 290 * MS;
	builder_hold(&s.cell, 150, 99);
	expect_kinds(&s, "");
	builder_hold(&s.cell, 10 * MS, 5); /* not in a run: they say nothing about it */
	expect_kinds(&s, "");
	builder_hold(&s.cell, 150, 1);
	expect_kinds(&s, "bursts");
	s = scene_bursts();
	s.cell.burst_total = 240 * MS; /* 90 ns each: 9 % */
	expect_kinds(&s, "");
	s = scene_bursts();
	s.cell.burst_total = 140 * MS; /* holds that were timed were longer than the others */
	expect_kinds(&s, "");
}
END_TEST

/* From one hold to the next it takes longer than acquiring does, unless it waited meanwhile. */
START_TEST(test_bursts_with_work_in_between)
{
	struct scene s = scene_bursts();

	s.cell.burst_total += 100 * MS;
	expect_kinds(&s, "");
	builder_wait(&s.cell, 10 * MS, 10); /* that ended the run */
	s.cell.parked_total = s.cell.wait_total;
	expect_kinds(&s, "");
	s = scene_bursts();
	s.cell.burst_total += 100 * MS;
	builder_wait(&s.cell, 100 * US, 1000);
	s.cell.parked_total = s.cell.wait_total;
	s.cell.ended_yield = s.cell.ended_block;
	s.cell.ended_block = 0;
	expect_kinds(&s, "bursts");
}
END_TEST

START_TEST(test_bursts_of_several_threads)
{
	struct scene s = scene_bursts();
	struct rlk_cell second = s.cell;

	second.record = 1;
	second.burst_total += 5 * MS;
	s.threads = 2;
	s.second = &second;
	expect_kinds(&s, "bursts");
	expect_text(&s,
		"advice   thread 101 (worker), like 1 other, took lock 1 1.00M times in runs, "
		"one in 295 ns, held 150 ns: ");
}
END_TEST

START_TEST(test_bursts_of_threads_that_followed_each_other)
{
	const char *path = SCENE_FILE;
	struct scene s = scene_bursts();
	struct rlk_thread next = {.birth_ticks = 500001000, .tid = 200, .before_acquired = 500000};
	struct report_options options = {0};
	struct builder b;
	char *text;

	builder_begin(&b);
	scene_fill(&b, &s);
	builder_add(&b, RLK_THREADS, 0, &next);
	builder_write(&b, SCENE_FILE);
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
	s.cell.contended = 19;
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

void advice_program_tests(TCase *tests)
{
	tcase_add_test(tests, test_bursts);
	tcase_add_test(tests, test_bursts_with_work_in_between);
	tcase_add_test(tests, test_bursts_of_several_threads);
	tcase_add_test(tests, test_bursts_of_threads_that_followed_each_other);
	tcase_add_test(tests, test_many_locks);
	tcase_add_test(tests, test_churn);
	tcase_add_test(tests, test_cpu_burnt);
	tcase_add_test(tests, test_cpu_burnt_in_yields);
	tcase_add_test(tests, test_cpu_burnt_by_native_spinlocks);
	tcase_add_test(tests, test_only_written);
	tcase_add_test(tests, test_home_made);
}
