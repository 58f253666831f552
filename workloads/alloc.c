/*
 * alloc: many threads allocate through one lock, and now and then the world is stopped.
 *
 * Source: JDK-8331411, openjdk/jdk PR 19570 (June 2024), ShenandoahLock. There, 32 threads a CPU
 * (light: 1) allocate objects of 128 bytes for 30 s after 1 s of settling; a garbage collection
 * needs a safepoint, and what is measured is the time to bring every thread to one (TTSP).
 *
 * Here: each thread, in a loop: poll; lock, bump a pointer, unlock, clear the 128 bytes, store
 * their address in a slot of its own, 64 words from the next one's. Every `--every` allocations a
 * coordinator stops the world, so the number of stops follows the rate of allocation. It looks at
 * the threads, sleeping 10 us between looks during the first millisecond and 1 ms afterwards, as
 * HotSpot does. The heap has room for twice as many objects as lie between two stops; a thread that
 * finds it full waits for the stop, as for a collection.
 *
 * When is a thread stopped? In the original: when it has parked at its poll, or is in the blocked
 * state, in which it yields, sleeps or blocks inside the lock's slow path; never while it spins. A
 * plain program cannot see what goes on inside pthread_mutex_lock. So each thread publishes what it
 * is about to do, and polls again right after it got the lock, before it touches anything: armed,
 * it gives the lock back and parks. A thread between "about to lock" and that poll is therefore
 * safe whatever it does, and counts as stopped when it is found off the CPU, its CPU time standing
 * still from one look to the next: asleep, blocked, or waiting for its turn after a yield.
 *
 * What differs from the original: a thread that was preempted while it span is off the CPU too, and
 * counts as stopped; there, it had to get its CPU back and leave the loop. Long spinning thus costs
 * less here: it shows only in how long the threads that hold the lock or clear memory have to wait
 * for a CPU. And the lock's CPU-time look costs the coordinator two system calls a thread.
 *
 * The urgent flag of relock is raised while threads are brought to a stop, if the library is there;
 * --urgent off leaves it alone, as the policy that is the document's baseline knew no such thing.
 */
#include "preload/relock.h"
#include "workloads/workload.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <linux/membarrier.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define OBJECT 128
#define SLOT_DISTANCE 64 /* words */

#define FINE_SLEEP_NS 10000u
#define COARSE_SLEEP_NS 1000000u

enum state { RUNNING, LOCKING, PARKED };

struct worker {
	_Alignas(CACHE_LINE) atomic_uint state;
	atomic_uint_least64_t allocated;
	pthread_t thread;
	clockid_t cpu_time;
	size_t number;
};

static const char *const switches[] = {"off", "on", NULL};
static uint64_t threads, every = 1u << 17;
static double seconds = 30, settle = 1;
static unsigned urgent = 1;

static pthread_mutex_t heap_lock = PTHREAD_MUTEX_INITIALIZER;
/* Under heap_lock, or by the coordinator while the world stands. */
static struct {
	char *start;
	uint64_t top, limit, trigger; /* objects */
} heap;

static struct worker *workers;
static void **slots;
static sem_t wanted;
static atomic_bool ending;
/* Futexes. */
static atomic_uint armed;
static atomic_uint epoch; /* stops that are over */
static bool no_membarrier;

static struct {
	double *ns;
	size_t count, capacity;
} stops;

static void futex_wait(atomic_uint *word, unsigned value)
{
	syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, NULL, NULL, 0);
}

static void futex_wake_all(atomic_uint *word)
{
	syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

/* --- workers */

static bool is_armed(void)
{
	/* Acquire pairs with the release in collect(): who finds the stop over finds the heap
	 * empty, and what others did to its memory before the stop done. */
	return atomic_load_explicit(&armed, memory_order_acquire) != 0;
}

/* Says what comes next, and keeps what comes next behind it. */
static void publish(struct worker *w, enum state state)
{
	/* Release pairs with the coordinator's load: what we allocated is there when it counts us
	 * as stopped. */
	atomic_store_explicit(&w->state, state, memory_order_release);
	if (no_membarrier)
		atomic_thread_fence(memory_order_seq_cst);
	else
		atomic_signal_fence(memory_order_seq_cst);
}

/* Between the coordinator's store to `armed` and its looks at the states. Either it sees that a
 * worker runs, or that worker sees that it has to stop: its own half of that is a fence per
 * allocation, unless the kernel can make all threads execute one when we ask for it. */
static void fence_all_threads(void)
{
	if (no_membarrier)
		atomic_thread_fence(memory_order_seq_cst);
	else
		syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0);
}

static void park_while_armed(struct worker *w)
{
	while (is_armed()) {
		publish(w, PARKED);
		futex_wait(&armed, 1);
		publish(w, RUNNING);
	}
}

static void park_until_collected(struct worker *w, unsigned seen)
{
	publish(w, PARKED);
	while (atomic_load_explicit(&epoch, memory_order_acquire) == seen &&
		!atomic_load_explicit(&ending, memory_order_relaxed))
		futex_wait(&epoch, seen);
	publish(w, RUNNING);
}

/* NULL: none now; everything that was to be waited for has been. */
static char *allocate(struct worker *w)
{
	char *object = NULL;
	bool full, trigger = false;
	unsigned seen;

	publish(w, LOCKING);
	pthread_mutex_lock(&heap_lock);
	publish(w, RUNNING);
	if (is_armed()) {
		pthread_mutex_unlock(&heap_lock);
		park_while_armed(w);
		return NULL;
	}
	full = heap.top == heap.limit;
	seen = atomic_load_explicit(&epoch, memory_order_relaxed);
	if (!full) {
		object = heap.start + heap.top++ * OBJECT;
		trigger = heap.top == heap.trigger;
	}
	pthread_mutex_unlock(&heap_lock);
	if (trigger)
		sem_post(&wanted);
	if (full)
		park_until_collected(w, seen);
	return object;
}

static void *worker_run(void *argument)
{
	struct worker *w = argument;
	uint64_t allocated = 0;

	while (!atomic_load_explicit(&ending, memory_order_relaxed)) {
		char *object;

		park_while_armed(w);
		object = allocate(w);
		if (!object)
			continue;
		memset(object, 0, OBJECT);
		slots[w->number * SLOT_DISTANCE] = object;
		atomic_store_explicit(&w->allocated, ++allocated, memory_order_relaxed);
	}
	publish(w, PARKED);
	return NULL;
}

/* --- the coordinator */

static uint64_t cpu_time_ns(const struct worker *w)
{
	struct timespec time = {0};

	clock_gettime(w->cpu_time, &time);
	return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static bool is_stopped(struct worker *w)
{
	switch (atomic_load_explicit(&w->state, memory_order_acquire)) {
	case PARKED:
		return true;
	case LOCKING:
		return cpu_time_ns(w) == cpu_time_ns(w);
	default:
		return false;
	}
}

/* Once found stopped, a thread gets no farther than its next poll. */
static void stop_the_world(struct worker **pending)
{
	uint64_t start = now_ns();
	size_t left = threads;

	for (size_t i = 0; i < threads; i++)
		pending[i] = &workers[i];
	for (;;) {
		size_t kept = 0;

		for (size_t i = 0; i < left; i++)
			if (!is_stopped(pending[i]))
				pending[kept++] = pending[i];
		left = kept;
		if (left == 0)
			return;
		sleep_ns(now_ns() - start < COARSE_SLEEP_NS ? FINE_SLEEP_NS : COARSE_SLEEP_NS);
	}
}

static void note_stop(uint64_t ns)
{
	if (stops.count == stops.capacity) {
		stops.capacity = stops.capacity ? 2 * stops.capacity : 1024;
		stops.ns = realloc(stops.ns, stops.capacity * sizeof(*stops.ns));
		if (!stops.ns)
			workload_fail("out of memory");
	}
	stops.ns[stops.count++] = (double)ns;
}

static void collect(struct worker **pending)
{
	uint64_t start = now_ns();

	if (urgent)
		RELOCK_URGENT_BEGIN();
	atomic_store_explicit(&armed, 1, memory_order_relaxed);
	fence_all_threads();
	stop_the_world(pending);
	note_stop(now_ns() - start);
	if (urgent)
		RELOCK_URGENT_END();
	heap.top = 0;
	/* Release: who finds this stop over, or us disarmed, finds the heap empty. */
	atomic_fetch_add_explicit(&epoch, 1, memory_order_release);
	atomic_store_explicit(&armed, 0, memory_order_release);
	futex_wake_all(&armed);
	futex_wake_all(&epoch);
}

static void coordinate(uint64_t until_ns, struct worker **pending)
{
	struct timespec until = {(time_t)(until_ns / 1000000000u), (long)(until_ns % 1000000000u)};

	while (now_ns() < until_ns)
		if (sem_clockwait(&wanted, CLOCK_MONOTONIC, &until) == 0)
			collect(pending);
}

/* --- the run */

static uint64_t allocated_in_all(void)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < threads; i++)
		sum += atomic_load_explicit(&workers[i].allocated, memory_order_relaxed);
	return sum;
}

static void set_up(void)
{
	if (threads == 0)
		threads = 32 * cpus_allowed();
	if (every == 0 || every > 1u << 24 || threads > 100000)
		workload_fail("--every goes from 1 to 16777216, --threads to 100000");
	heap.limit = 2 * every;
	heap.trigger = every;
	heap.start = memory_zeroed(heap.limit, OBJECT);
	workers = memory_zeroed(threads, sizeof(*workers));
	slots = memory_zeroed(threads * SLOT_DISTANCE, sizeof(*slots));
	sem_init(&wanted, 0, 0);
	no_membarrier =
		syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) != 0;
}

static void start_workers(void)
{
	for (size_t i = 0; i < threads; i++) {
		struct worker *w = &workers[i];

		w->number = i;
		w->thread = thread_start(worker_run, w);
		if (pthread_getcpuclockid(w->thread, &w->cpu_time) != 0)
			workload_fail("a thread's CPU time cannot be read");
	}
}

static void end_workers(void)
{
	atomic_store_explicit(&ending, true, memory_order_relaxed);
	atomic_fetch_add_explicit(&epoch, 1, memory_order_release);
	futex_wake_all(&epoch);
	for (size_t i = 0; i < threads; i++)
		thread_join(workers[i].thread);
}

static void report(uint64_t allocated, uint64_t ns)
{
	struct figures f = figures_of(stops.ns, stops.count);
	double rate = (double)allocated / ((double)ns * 1e-9);

	result_begin("alloc");
	result_count("threads", threads);
	result_count("cpus", cpus_allowed());
	result_number("seconds", (double)ns * 1e-9);
	result_count("polls", f.count);
	if (f.count) {
		result_number("ttsp_mean_ns", f.mean);
		result_number("ttsp_trimmed_ns", f.trimmed);
		result_number("ttsp_p50_ns", f.p50);
		result_number("ttsp_max_ns", f.max);
		result_number("ttsp_min_ns", f.min);
	}
	result_number("allocations_per_s", rate);
	if (!workload_json)
		printf("alloc: %llu threads, %.2fM allocations/s, %llu stops, time to stop: mean "
		       "%.1f us, max %.1f us, min %.1f us\n",
			(unsigned long long)threads, rate * 1e-6, (unsigned long long)f.count,
			f.mean * 1e-3, f.max * 1e-3, f.min * 1e-3);
	result_end();
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{"threads", OPTION_COUNT, &threads, NULL, "that allocate; 0: 32 for each CPU"},
		{"seconds", OPTION_SECONDS, &seconds, NULL, "that are measured"},
		{"settle", OPTION_SECONDS, &settle, NULL, "before"},
		{"every", OPTION_COUNT, &every, NULL, "allocations between two stops"},
		{"urgent", OPTION_CHOICE, &urgent, switches,
			"raise relock's urgent flag while stopping"},
		{0},
	};
	struct worker **pending;
	uint64_t start, before;

	workload_options(
		&(struct workload){"alloc",
			"allocate through one lock, and stop the world now and then", options},
		argc, argv);
	set_up();
	pending = memory_zeroed(threads, sizeof(struct worker *));
	start_workers();
	coordinate(now_ns() + (uint64_t)(settle * 1e9), pending);
	stops.count = 0;
	before = allocated_in_all();
	start = now_ns();
	coordinate(start + (uint64_t)(seconds * 1e9), pending);
	before = allocated_in_all() - before;
	start = now_ns() - start;
	end_workers();
	report(before, start);
	return 0;
}
