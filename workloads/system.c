/* Time, chance, memory, threads, CPUs and work. */
#include "workloads/workload.h"

#include <errno.h>
#include <limits.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

void sleep_ns(uint64_t ns)
{
	struct timespec length = {(time_t)(ns / 1000000000u), (long)(ns % 1000000000u)};

	while (clock_nanosleep(CLOCK_MONOTONIC, 0, &length, &length) == EINTR)
		;
}

uint64_t random_next(uint64_t *state)
{
	uint64_t bits = *state += 0x9e3779b97f4a7c15u;

	bits = (bits ^ bits >> 30) * 0xbf58476d1ce4e5b9u;
	bits = (bits ^ bits >> 27) * 0x94d049bb133111ebu;
	return bits ^ bits >> 31;
}

void *memory_zeroed(size_t count, size_t size)
{
	size_t bytes = (count * size + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE;
	void *memory;

	if (size && count > (SIZE_MAX - CACHE_LINE) / size)
		workload_fail("out of memory");
	memory = aligned_alloc(CACHE_LINE, bytes ? bytes : CACHE_LINE);
	if (!memory)
		workload_fail("out of memory");
	return memset(memory, 0, bytes);
}

/* --- threads */

/* Small stacks, so that thousands of threads fit. */
#define STACK_BYTES ((size_t)256 * 1024)

pthread_t thread_start(void *(*run)(void *), void *argument)
{
	pthread_attr_t attributes;
	pthread_t thread;
	int error;

	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, STACK_BYTES);
	error = pthread_create(&thread, &attributes, run, argument);
	pthread_attr_destroy(&attributes);
	if (error)
		workload_fail("a thread could not be started: %s", strerror(error));
	return thread;
}

void thread_join(pthread_t thread)
{
	pthread_join(thread, NULL);
}

/* --- CPUs */

static cpu_set_t allowed;

static void read_allowed(void)
{
	if (CPU_COUNT(&allowed) == 0 && sched_getaffinity(0, sizeof(allowed), &allowed) != 0)
		workload_fail("the CPUs allowed could not be read: %s", strerror(errno));
}

unsigned cpus_allowed(void)
{
	read_allowed();
	return (unsigned)CPU_COUNT(&allowed);
}

/* The `from`th CPU allowed and those after it, `count` in all. */
static void confine(unsigned from, unsigned count)
{
	cpu_set_t wanted;
	unsigned seen = 0;

	CPU_ZERO(&wanted);
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &allowed)) {
			if (seen >= from && seen - from < count)
				CPU_SET(cpu, &wanted);
			seen++;
		}
	if (sched_setaffinity(0, sizeof(wanted), &wanted) != 0)
		workload_fail("CPUs could not be chosen: %s", strerror(errno));
}

void cpus_confine(unsigned count)
{
	unsigned there = cpus_allowed();

	if (count > there)
		workload_fail("%u CPUs are asked for, and %u allowed", count, there);
	confine(0, count ? count : there);
}

void cpus_pin(unsigned number)
{
	confine(number % cpus_allowed(), 1);
}

/* --- work */

#define CALIBRATIONS 50
#define CALIBRATION_STEPS 20000u

static double steps_per_ns = 1;

/* Each step needs the one before. */
static void work_steps(uint64_t steps)
{
	uint64_t value = steps | 1;

	for (; steps > 0; steps--) {
		value = value * 6364136223846793005u + 1442695040888963407u;
		__asm__ volatile("" : "+r"(value));
	}
}

/* The shortest of many, as whatever disturbs makes it longer. */
void work_calibrate(void)
{
	uint64_t shortest = UINT64_MAX;

	for (int i = 0; i < CALIBRATIONS; i++) {
		uint64_t start = now_ns(), length;

		work_steps(CALIBRATION_STEPS);
		length = now_ns() - start;
		if (length > 0 && length < shortest)
			shortest = length;
	}
	steps_per_ns = CALIBRATION_STEPS / (double)shortest;
}

void work_ns(uint64_t ns)
{
	work_steps((uint64_t)((double)ns * steps_per_ns));
}
