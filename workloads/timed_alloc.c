/*
 * timed_alloc: what one allocation costs while a cleaner takes the same lock over and over.
 *
 * Source: JDK-8335356, openjdk/jdk PR 20086 (July 2024), ShenandoahFreeSet::recycle_trash. There, a
 * thread allocates objects of 40 KB and times each, in ten rounds of 3 s; average and maximum are
 * reported. Recycling a region takes some 600 ns.
 *
 * Here: an allocator on one CPU (lock, bump, unlock, clear 40 KB; more with --threads), a cleaner
 * on the next CPU, which every 20 ms (± 10 %, by --seed) recycles 640 items of 600 ns of
 * arithmetic.
 *
 * --mode per-item, the old way: for each item that is trash: lock, look again, recycle, unlock, one
 * pause of 20 ns.
 * --mode deadline, the change: yield, lock, recycle until 30 us are over by a clock read for each
 * item, unlock, and again.
 * --mode count, a later refinement (JDK-8341379): batches of 32 items with one clock read each; the
 * lock is given back when the predicted end of the next batch lies beyond 10 us, and threads that
 * wait get their chance by a yield in between.
 * --mode hold: all items under one hold.
 *
 * A thread that loses its CPU meanwhile makes one allocation long by a time slice of the scheduler,
 * whatever the mode. Such allocations are reported apart: those during which the allocator itself
 * was preempted, and those that overlap a pass of the cleaner in which the cleaner was. Preemption
 * by a hypervisor cannot be seen and stays in.
 */
#include "workloads/workload.h"

#include <fcntl.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define OBJECT (40u * 1024)
#define HEAP_OBJECTS 256
#define PASS_NS 20000000u
#define ITEM_NS 600u
#define GAP_NS 20u
#define DEADLINE_NS 30000u
#define COUNT_DEADLINE_NS 10000u
#define COUNT_BATCH 32
/* From here on an allocation is kept with its times. */
#define SLOW_NS 10000u
/* A thread that is woken waits some microseconds for its CPU anyway. */
#define PREEMPTED_NS 10000u
#define TIME_SLICE_NS 4000000u

enum mode { PER_ITEM, DEADLINE, COUNT, HOLD };

struct span {
	uint64_t start, end;
	bool preempted;
};

struct spans {
	struct span *row;
	size_t count, capacity;
};

struct allocator {
	_Alignas(CACHE_LINE) pthread_t thread;
	unsigned number;
	uint64_t count, total_ns, fast_max_ns;
	struct spans slow;
};

static const char *const modes[] = {"per-item", "deadline", "count", "hold", NULL};
static unsigned mode;
static uint64_t threads = 1, items = 640;
static double seconds = 3, settle = 0.2;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t top;       /* under the lock */
static atomic_uint *trash; /* one an item; changed under the lock */
static char *heap;
static atomic_bool measuring, ending;
static struct spans passes;
static uint64_t acquisitions; /* the cleaner's */

static void span_add(struct spans *list, uint64_t start, uint64_t end, bool preempted)
{
	if (list->count == list->capacity) {
		list->capacity = list->capacity ? 2 * list->capacity : 1024;
		list->row = realloc(list->row, list->capacity * sizeof(*list->row));
		if (!list->row)
			workload_fail("out of memory");
	}
	list->row[list->count++] = (struct span){start, end, preempted};
}

/* How long the calling thread was ready to run and another had its CPU: the second figure of its
 * schedstat. Kernels without it count how often that happened instead, each worth a time slice. */
static uint64_t cpu_lost_ns(int *schedstat)
{
	char text[96];
	struct rusage usage;
	ssize_t length;
	char *end;

	if (*schedstat < 0)
		*schedstat = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
	length = pread(*schedstat, text, sizeof(text) - 1, 0);
	if (length > 0) {
		text[length] = '\0';
		strtoull(text, &end, 10);
		return strtoull(end, NULL, 10);
	}
	getrusage(RUSAGE_THREAD, &usage);
	return (uint64_t)usage.ru_nivcsw * TIME_SLICE_NS;
}

/* --- the allocator */

static void allocate(const struct allocator *a)
{
	char *object;

	pthread_mutex_lock(&lock);
	object = heap + (top++ % HEAP_OBJECTS + a->number * HEAP_OBJECTS) * OBJECT;
	pthread_mutex_unlock(&lock);
	memset(object, 0, OBJECT);
	__asm__ volatile("" : : "r"(object) : "memory");
}

static void *allocator_run(void *argument)
{
	struct allocator *a = argument;
	int schedstat = -1;
	uint64_t before;

	cpus_pin(a->number);
	before = cpu_lost_ns(&schedstat);
	while (!atomic_load_explicit(&ending, memory_order_relaxed)) {
		uint64_t start = now_ns(), length;

		allocate(a);
		length = now_ns() - start;
		if (length >= SLOW_NS) {
			uint64_t now = cpu_lost_ns(&schedstat);

			if (atomic_load_explicit(&measuring, memory_order_relaxed))
				span_add(&a->slow, start, start + length,
					now - before >= PREEMPTED_NS);
			before = now;
		} else if (length > a->fast_max_ns) {
			a->fast_max_ns = length;
		}
		if (!atomic_load_explicit(&measuring, memory_order_relaxed))
			continue;
		a->count++;
		a->total_ns += length;
	}
	return NULL;
}

/* --- the cleaner */

static void take(void)
{
	pthread_mutex_lock(&lock);
	acquisitions++;
}

static bool is_trash(size_t item)
{
	return atomic_load_explicit(&trash[item], memory_order_relaxed) != 0;
}

static void recycle(size_t item)
{
	if (!is_trash(item))
		return;
	work_ns(ITEM_NS);
	atomic_store_explicit(&trash[item], 0, memory_order_relaxed);
}

static void clean_per_item(void)
{
	for (size_t i = 0; i < items; i++) {
		if (!is_trash(i))
			continue;
		take();
		recycle(i);
		pthread_mutex_unlock(&lock);
		work_ns(GAP_NS);
	}
}

static void clean_by_deadline(void)
{
	for (size_t i = 0; i < items;) {
		uint64_t deadline;

		sched_yield();
		take();
		deadline = now_ns() + DEADLINE_NS;
		while (i < items && now_ns() < deadline)
			recycle(i++);
		pthread_mutex_unlock(&lock);
	}
}

static void clean_by_count(void)
{
	uint64_t start = now_ns(), ended = start, batches = 0;

	for (size_t i = 0; i < items;) {
		uint64_t deadline = ended + COUNT_DEADLINE_NS, predicted;

		if (i > 0)
			sched_yield();
		take();
		do {
			for (size_t n = 0; n < COUNT_BATCH && i < items; n++)
				recycle(i++);
			ended = now_ns();
			predicted = ended + (ended - start) / ++batches;
		} while (i < items && predicted < deadline);
		pthread_mutex_unlock(&lock);
	}
}

static void clean_in_one_hold(void)
{
	take();
	for (size_t i = 0; i < items; i++)
		recycle(i);
	pthread_mutex_unlock(&lock);
}

static void clean(int *schedstat)
{
	static void (*const ways[])(void) = {
		[PER_ITEM] = clean_per_item,
		[DEADLINE] = clean_by_deadline,
		[COUNT] = clean_by_count,
		[HOLD] = clean_in_one_hold,
	};
	uint64_t start, end, before;

	for (size_t i = 0; i < items; i++)
		atomic_store_explicit(&trash[i], 1, memory_order_relaxed);
	before = cpu_lost_ns(schedstat);
	start = now_ns();
	ways[mode]();
	end = now_ns();
	if (atomic_load_explicit(&measuring, memory_order_relaxed))
		span_add(&passes, start, end, cpu_lost_ns(schedstat) - before >= PREEMPTED_NS);
}

static void *cleaner_run(void *argument)
{
	uint64_t random = workload_seed;
	int schedstat = -1;

	(void)argument;
	cpus_pin((unsigned)threads);
	while (!atomic_load_explicit(&ending, memory_order_relaxed)) {
		sleep_ns(PASS_NS * 9 / 10 + random_next(&random) % (PASS_NS / 5));
		clean(&schedstat);
	}
	return NULL;
}

/* --- the result */

/* Whether the cleaner lost its CPU in a pass that overlaps. Passes are in order of time. */
static bool is_disturbed(const struct span *slow)
{
	for (size_t i = 0; i < passes.count && passes.row[i].start < slow->end; i++)
		if (passes.row[i].preempted && passes.row[i].end > slow->start)
			return true;
	return slow->preempted;
}

struct summary {
	uint64_t count, max_ns, quiet_max_ns, disturbed;
	double average_ns, quiet_average_ns, pass_ns;
	uint64_t passes_disturbed;
};

static struct summary summarise(const struct allocator *allocators)
{
	struct summary s = {0};
	uint64_t total = 0, lost = 0;

	for (size_t i = 0; i < threads; i++) {
		const struct allocator *a = &allocators[i];

		s.count += a->count;
		total += a->total_ns;
		if (a->fast_max_ns > s.max_ns)
			s.max_ns = a->fast_max_ns;
		if (a->fast_max_ns > s.quiet_max_ns)
			s.quiet_max_ns = a->fast_max_ns;
		for (size_t j = 0; j < a->slow.count; j++) {
			const struct span *slow = &a->slow.row[j];
			uint64_t length = slow->end - slow->start;
			bool disturbed = is_disturbed(slow);

			s.disturbed += disturbed;
			lost += disturbed ? length : 0;
			if (length > s.max_ns)
				s.max_ns = length;
			if (!disturbed && length > s.quiet_max_ns)
				s.quiet_max_ns = length;
		}
	}
	s.average_ns = s.count ? (double)total / (double)s.count : 0;
	if (s.count > s.disturbed)
		s.quiet_average_ns = (double)(total - lost) / (double)(s.count - s.disturbed);
	for (size_t i = 0; i < passes.count; i++) {
		s.pass_ns +=
			(double)(passes.row[i].end - passes.row[i].start) / (double)passes.count;
		s.passes_disturbed += passes.row[i].preempted;
	}
	return s;
}

static void report(const struct summary *s)
{
	result_begin("timed_alloc");
	result_text("mode", modes[mode]);
	result_count("threads", threads);
	result_count("cpus", cpus_allowed());
	result_count("allocations", s->count);
	result_number("average_ns", s->quiet_average_ns);
	result_number("average_with_preemption_ns", s->average_ns);
	result_count("max_ns", s->quiet_max_ns);
	result_count("max_with_preemption_ns", s->max_ns);
	result_count("preempted_allocations", s->disturbed);
	result_count("passes", passes.count);
	result_count("preempted_passes", s->passes_disturbed);
	result_number("pass_ns", s->pass_ns);
	result_number("item_ns", items ? s->pass_ns / (double)items : 0);
	result_count("acquisitions", acquisitions);
	if (!workload_json)
		printf("timed_alloc: %s, %llu allocations, average %.0f ns, max %.1f us (%.1f us "
		       "with "
		       "%llu preempted), %.0f ns an item\n",
			modes[mode], (unsigned long long)s->count, s->quiet_average_ns,
			(double)s->quiet_max_ns * 1e-3, (double)s->max_ns * 1e-3,
			(unsigned long long)s->disturbed, items ? s->pass_ns / (double)items : 0);
	result_end();
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{"mode", OPTION_CHOICE, &mode, modes, "how the cleaner takes the lock"},
		{"threads", OPTION_COUNT, &threads, NULL, "that allocate"},
		{"items", OPTION_COUNT, &items, NULL, "in a pass of the cleaner"},
		{"seconds", OPTION_SECONDS, &seconds, NULL, "that are measured"},
		{"settle", OPTION_SECONDS, &settle, NULL, "before"},
		{0},
	};
	struct allocator *allocators;
	struct summary s;
	pthread_t cleaner;

	workload_options(&(struct workload){"timed_alloc",
				 "time allocations while a cleaner takes the same lock", options},
		argc, argv);
	if (threads == 0 || threads > 1000 || items > 1000000)
		workload_fail("--threads goes from 1 to 1000, --items to 1000000");
	work_calibrate();
	heap = memory_zeroed(threads * HEAP_OBJECTS, OBJECT);
	trash = memory_zeroed(items, sizeof(*trash));
	allocators = memory_zeroed(threads, sizeof(*allocators));
	cleaner = thread_start(cleaner_run, NULL);
	for (size_t i = 0; i < threads; i++) {
		allocators[i].number = (unsigned)i;
		allocators[i].thread = thread_start(allocator_run, &allocators[i]);
	}
	sleep_ns((uint64_t)(settle * 1e9));
	atomic_store_explicit(&measuring, true, memory_order_relaxed);
	sleep_ns((uint64_t)(seconds * 1e9));
	atomic_store_explicit(&ending, true, memory_order_relaxed);
	for (size_t i = 0; i < threads; i++)
		thread_join(allocators[i].thread);
	thread_join(cleaner);
	s = summarise(allocators);
	report(&s);
	return 0;
}
