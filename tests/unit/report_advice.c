/* Advice on waits: each kind fires on what proves it, and not on a little less. */
#include "tests/unit/report_advice_scene.h"

/* --- spinning in vain */

START_TEST(test_vain_spins)
{
	struct scene s = scene_vain_spins();

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
	struct scene s = scene_vain_spins();

	s.cell.pauses = 0; /* it did not spin */
	expect_kinds(&s, "");
	s = scene_vain_spins();
	s.cell.parked_total = 31 * MS; /* less than 2 % of 1 s */
	expect_kinds(&s, "");
	s = (struct scene){.acquired = 10000, .policy = "spin-park"};
	builder_wait(&s.cell, 500 * US, 99);
	s.cell.pauses = 1000000;
	expect_kinds(&s, "");
	s = scene_vain_spins();
	s.kind = RLK_KIND_SPIN; /* has nothing else than spinning */
	expect_kinds(&s, "");
}
END_TEST

/* --- holds shorter than a wake-up */

START_TEST(test_short_holds)
{
	struct scene s = scene_short_holds();

	expect_kinds(&s, "short-holds");
	expect_text(&s,
		"\nadvice   lock 1 is held 960 ns at p90, but a wait, most of which block, "
		"takes 20 µs on average: spinning for some 1.9 µs first may spare most of ");
	expect_text(&s,
		"\nnext     relock compare -p native --sweep spin-park:spins=50,250,1000 -- "
		"prog --fast\n");
}
END_TEST

START_TEST(test_short_holds_without_evidence)
{
	struct scene s = scene_short_holds();

	s.cell.holds = 99;
	expect_kinds(&s, "");
	s = scene_short_holds();
	s.cell.ended_block = 4900;
	s.cell.ended_spin = 5100;
	expect_kinds(&s, "");
	s = scene_short_holds();
	s.cpus = 1; /* nobody can spin */
	expect_kinds(&s, "");
	s = scene_short_holds();
	s.kind = RLK_KIND_SPIN;
	expect_kinds(&s, "");
	s = scene_short_holds();
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
	s = scene_short_holds();
	builder_hold(&s.cell, 8 * US, 100); /* the waits are not four times that */
	expect_kinds(&s, "");
	s = (struct scene){.acquired = 1000000};
	builder_wait(&s.cell, 300 * US, 1000); /* no wake-up takes that long */
	builder_hold(&s.cell, 1000, 100);
	s.cell.parked_total = s.cell.wait_total;
	expect_kinds(&s, "");
	builder_hold(&s.cell, 1000, 1000); /* nor does any hold, and there are CPUs for all */
	expect_kinds(&s, "short-holds");
	s.threads = 8;
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
		"advice   lock 1 is held 960 ns at p99, but 500 ms of 500 ms went by in "
		"waits of 1 ms and more: with 8 threads on 4 CPUs, who holds it or is next ");
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
	advice_program_tests(tests);
	advice_words_tests(tests);
	suite_add_tcase(suite, tests);
	return suite;
}
