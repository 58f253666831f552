/*
 * What the workloads share: options, threads and CPUs, figures, work of a known length, output.
 *
 * Use:
 *	static const struct option options[] = {{"threads", OPTION_COUNT, &threads, …}, …, {0}};
 *	workload_options(&(struct workload){"alloc", "…", options}, argc, argv);
 *	…
 *	result_begin("alloc");  result_count("polls", polls);  …  result_end(workload_json);
 *
 * Contract: mistakes in the arguments and failures of the system end the program, with a message
 * and status 2. Nothing here uses a pthread mutex, spinlock or condition variable: those that a run
 * under relock sees are the workload's own.
 */
#ifndef RELOCK_WORKLOADS_WORKLOAD_H
#define RELOCK_WORKLOADS_WORKLOAD_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

/* --- options: "--name value" or "--name=value"; --help, --json and --seed N are always there */

enum option_kind {
	OPTION_COUNT,   /* uint64_t */
	OPTION_SECONDS, /* double */
	OPTION_CHOICE,  /* unsigned, index into `choices` */
	OPTION_FLAG,    /* bool, set by the name alone */
};

struct option {
	const char *name; /* NULL ends the table */
	enum option_kind kind;
	void *value;                /* holds the default before */
	const char *const *choices; /* ended by NULL */
	const char *help;
};

struct workload {
	const char *name, *summary;
	const struct option *options;
};

extern bool workload_json;
extern uint64_t workload_seed;

void workload_options(const struct workload *workload, int argc, char **argv);
void workload_fail(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));

/* --- time, chance, memory */

uint64_t now_ns(void);
void sleep_ns(uint64_t ns);
/* The next number of the sequence *state stands for (splitmix64, Steele et al. 2014). */
uint64_t random_next(uint64_t *state);
void *memory_zeroed(size_t count, size_t size); /* on a cache line of its own */

/* --- threads and CPUs */

#define CACHE_LINE 128

pthread_t thread_start(void *(*run)(void *), void *argument);
void thread_join(pthread_t thread);
/* CPUs this process was allowed when it started, at least 1. */
unsigned cpus_allowed(void);
/* Confines the calling thread, and those it starts from now on, to the first `count` of them; 0:
 * all. */
void cpus_confine(unsigned count);
/* Confines the calling thread to one of them, by number; numbers beyond the last start over. */
void cpus_pin(unsigned number);

/* --- work of a known length: arithmetic that touches no memory */

void work_calibrate(void);
void work_ns(uint64_t ns);

/* --- figures of many values; sorts them */

struct figures {
	uint64_t count;
	double mean, trimmed; /* without the upper and lower 2 % */
	double p50, p99, max, min;
};

struct figures figures_of(double *values, size_t count);

/* --- output: one line of JSON, or one to read */

void result_begin(const char *name);
void result_count(const char *key, uint64_t value);
void result_number(const char *key, double value);
void result_text(const char *key, const char *value);
/* Prints what was collected when JSON was asked for. */
void result_end(void);

#endif
