/*
 * Recordings for tests of advice: one lock, or many alike, of a program that computed for 1 s on
 * four CPUs.
 *
 * Use: struct scene s = {.acquired = 1000}; builder_wait(&s.cell, …); expect_kinds(&s, "bursts").
 */
#ifndef RELOCK_TESTS_UNIT_REPORT_ADVICE_SCENE_H
#define RELOCK_TESTS_UNIT_REPORT_ADVICE_SCENE_H

#include "stats/report/advice.h"
#include "tests/unit/report_tests.h"

#define SCENE_FILE "advice.rlk"
#define MS 1000000u
#define US 1000u

struct scene {
	enum rlk_kind kind;
	struct rlk_cell cell;          /* of its first side */
	const struct rlk_cell *second; /* of the second thread; may be NULL */
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

/* The recording, unwritten. */
void scene_fill(struct builder *b, const struct scene *scene);
void scene_write(const struct scene *scene);

/* The kinds of advice on it, strongest first, separated by spaces. */
void expect_kinds(const struct scene *scene, const char *kinds);
/* The commands, one after the other. */
void expect_command(const struct scene *scene, const char *commands);
/* The report, which has to contain a text. */
void expect_text(const struct scene *scene, const char *part);

/* Thousands of waits that block for 20 us, and holds of 1 us. */
struct scene scene_short_holds(void);
/* A thread that takes a lock a million times in a row. */
struct scene scene_bursts(void);
/* Waits that spun for 30 us and then blocked. */
struct scene scene_vain_spins(void);

void advice_program_tests(TCase *tests);
void advice_words_tests(TCase *tests);

#endif
