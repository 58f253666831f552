/* Threads: how they are made, what they are given, how they end. */
#include "actors.h"
#include "families.h"
#include "transcript.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <threads.h>

#define ERRNO_MARK 4242

struct newborn {
	pthread_t self, id;
	void *argument;
	size_t stack_size, guard_size;
	int detached;
	bool on_given_stack, mask_as_asked;
	char *stack;
	int cpus;
	atomic_int over;
};

static void look(struct newborn *n)
{
	pthread_attr_t attributes;
	cpu_set_t set;
	sigset_t mask;
	char here = 0;

	n->self = pthread_self();
	if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
		pthread_attr_getstacksize(&attributes, &n->stack_size);
		pthread_attr_getguardsize(&attributes, &n->guard_size);
		pthread_attr_getdetachstate(&attributes, &n->detached);
		pthread_attr_destroy(&attributes);
	}
	n->on_given_stack = n->stack && (uintptr_t)&here - (uintptr_t)n->stack < 1 << 18;
	pthread_sigmask(SIG_SETMASK, NULL, &mask);
	n->mask_as_asked = sigismember(&mask, SIGUSR1) && !sigismember(&mask, SIGUSR2);
	n->cpus = sched_getaffinity(0, sizeof(set), &set) == 0 ? CPU_COUNT(&set) : -1;
}

static void *born(void *argument)
{
	struct newborn *n = argument;

	n->argument = argument;
	look(n);
	atomic_store_explicit(&n->over, 1, memory_order_release);
	return (char *)argument + 1;
}

static void *born_to_exit(void *argument)
{
	born(argument);
	pthread_exit((char *)argument + 2);
}

static void *born_to_be_cancelled(void *argument)
{
	born(argument);
	for (;;)
		pthread_testcancel();
	return NULL;
}

static int create(struct newborn *n, const pthread_attr_t *attributes, void *(*body)(void *))
{
	int rc;

	errno = ERRNO_MARK;
	rc = pthread_create(&n->id, attributes, body, n);
	case_rc("rc", rc);
	case_fact("errno", errno == ERRNO_MARK ? "kept" : "changed");
	return rc;
}

static void join(struct newborn *n)
{
	void *result = NULL;

	case_rc("join", pthread_join(n->id, &result));
	case_fact("result", "%s",
		result == PTHREAD_CANCELED                                ? "cancelled"
		: result >= (void *)n && (char *)result < (char *)(n + 1) ? "offset"
									  : "other");
	if (result != PTHREAD_CANCELED)
		case_fact("offset", "%ld", (long)((char *)result - (char *)n));
	case_fact("self", pthread_equal(n->self, n->id) ? "same" : "differs");
	case_fact("argument", n->argument == n ? "same" : "differs");
}

static void run_plain(void)
{
	void *(*const bodies[])(void *) = {born, born_to_exit, born_to_be_cancelled};

	for (int i = 0; i < 3; i++) {
		struct newborn n = {0};

		case_begin("birth/plain/%d", i);
		if (create(&n, NULL, bodies[i]) == 0) {
			if (i == 2)
				case_rc("cancel", pthread_cancel(n.id));
			/* A request that comes before the thread's first step strikes at its first.
			 */
			while (i == 2 && !atomic_load_explicit(&n.over, memory_order_acquire))
				look_again();
			join(&n);
		}
		case_fact("stack", "%zu", n.stack_size);
		case_fact("guard", "%zu", n.guard_size);
		case_end();
	}
}

static void run_sizes(void)
{
	static const size_t sizes[] = {16384, 65536, 1000000, 1 << 24};

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct newborn n = {0};
		pthread_attr_t attributes;

		case_begin("birth/size/%zu", sizes[i]);
		pthread_attr_init(&attributes);
		case_rc("set", pthread_attr_setstacksize(&attributes, sizes[i]));
		pthread_attr_setguardsize(&attributes, i * 4096);
		if (create(&n, &attributes, born) == 0)
			join(&n);
		case_fact("stack", "%zu", n.stack_size);
		case_fact("guard", "%zu", n.guard_size);
		pthread_attr_destroy(&attributes);
		case_end();
	}
}

static void run_given_stack(void)
{
	struct newborn n = {0};
	pthread_attr_t attributes;

	n.stack = mmap(NULL, 1 << 18, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	case_begin("birth/given-stack");
	pthread_attr_init(&attributes);
	case_rc("set", pthread_attr_setstack(&attributes, n.stack, 1 << 18));
	for (int i = 0; i < 3; i++)
		if (create(&n, &attributes, born) == 0)
			join(&n);
	case_fact("there", n.on_given_stack ? "yes" : "no");
	munmap(n.stack, 1 << 18);
	case_end();
}

static void run_detached(void)
{
	struct newborn n = {0};
	pthread_attr_t attributes;

	case_begin("birth/detached");
	pthread_attr_init(&attributes);
	pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
	if (create(&n, &attributes, born) == 0)
		while (!atomic_load_explicit(&n.over, memory_order_acquire))
			look_again();
	case_fact("detached", n.detached == PTHREAD_CREATE_DETACHED ? "yes" : "no");
	/* Its record of itself is this function's. */
	case_end();
}

static void run_mask_and_cpus(void)
{
	struct newborn n = {0};
	pthread_attr_t attributes;
	cpu_set_t set;
	sigset_t mask;
	int cpu = 0;

	case_begin("birth/mask-and-cpus");
	sched_getaffinity(0, sizeof(set), &set);
	while (!CPU_ISSET(cpu, &set))
		cpu++;
	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sigemptyset(&mask);
	sigaddset(&mask, SIGUSR1);
	pthread_attr_init(&attributes);
	case_rc("mask", pthread_attr_setsigmask_np(&attributes, &mask));
	case_rc("cpus", pthread_attr_setaffinity_np(&attributes, sizeof(set), &set));
	if (create(&n, &attributes, born) == 0)
		join(&n);
	case_fact("cpus", "%d", n.cpus);
	case_fact("mask", n.mask_as_asked ? "as-asked" : "other");
	pthread_attr_destroy(&attributes);
	case_end();
}

/* What cannot be made is refused as ever, and leaves nothing behind. */
static void run_refused(void)
{
	struct newborn n = {0};
	pthread_attr_t attributes;
	struct sched_param parameter = {.sched_priority = 1000};
	cpu_set_t none;

	case_begin("birth/refused/stack");
	pthread_attr_init(&attributes);
	case_rc("set", pthread_attr_setstacksize(&attributes, (size_t)1 << 46));
	create(&n, &attributes, born);
	case_end();
	pthread_attr_init(&attributes);
	case_begin("birth/refused/cpus");
	CPU_ZERO(&none);
	case_rc("set", pthread_attr_setaffinity_np(&attributes, sizeof(none), &none));
	create(&n, &attributes, born);
	case_end();
	pthread_attr_init(&attributes);
	case_begin("birth/refused/priority");
	pthread_attr_setinheritsched(&attributes, PTHREAD_EXPLICIT_SCHED);
	case_rc("policy", pthread_attr_setschedpolicy(&attributes, SCHED_FIFO));
	case_rc("set", pthread_attr_setschedparam(&attributes, &parameter));
	case_end();
}

static int c11_born(void *argument)
{
	struct newborn *n = argument;

	n->argument = argument;
	look(n);
	return 42;
}

static int c11_exits(void *argument)
{
	c11_born(argument);
	thrd_exit(-7);
}

static void run_c11(void)
{
	const thrd_start_t bodies[] = {c11_born, c11_exits};

	for (int i = 0; i < 2; i++) {
		struct newborn n = {0};
		thrd_t id;
		int result = 0;

		case_begin("birth/c11/%d", i);
		errno = ERRNO_MARK;
		case_fact("rc", "%d", thrd_create(&id, bodies[i], &n));
		case_fact("errno", errno == ERRNO_MARK ? "kept" : "changed");
		case_fact("join", "%d", thrd_join(id, &result));
		case_fact("result", "%d", result);
		case_fact("self", thrd_equal(n.self, id) ? "same" : "differs");
		case_fact("argument", n.argument == &n ? "same" : "differs");
		case_fact("stack", "%zu", n.stack_size);
		case_end();
	}
}

/* Destructors of thread-specific data and clean-up handlers, in their order. */
static struct {
	pthread_key_t first, second;
	pthread_mutex_t mutex;
	char order[64];
	int length;
} ends;

static void note(char what)
{
	pthread_mutex_lock(&ends.mutex);
	if (ends.length < 60)
		ends.order[ends.length++] = what;
	pthread_mutex_unlock(&ends.mutex);
}

static void first_destructor(void *value)
{
	note('1');
	if ((intptr_t)value > 1)
		pthread_setspecific(ends.first, (void *)((intptr_t)value - 1));
}

static void second_destructor(void *value)
{
	(void)value;
	note('2');
}

static void cleanup(void *argument)
{
	note(*(const char *)argument);
}

static void *ending(void *argument)
{
	pthread_setspecific(ends.first, (void *)10);
	pthread_setspecific(ends.second, (void *)1);
	pthread_cleanup_push(cleanup, "a");
	pthread_cleanup_push(cleanup, "b");
	if (argument)
		pthread_exit(NULL);
	pthread_cancel(pthread_self());
	pthread_testcancel();
	pthread_cleanup_pop(0);
	pthread_cleanup_pop(0);
	return NULL;
}

static void run_ends(void)
{
	pthread_mutex_init(&ends.mutex, NULL);
	pthread_key_create(&ends.first, first_destructor);
	pthread_key_create(&ends.second, second_destructor);
	for (int way = 0; way < 2; way++) {
		pthread_t id;

		memset(ends.order, 0, sizeof(ends.order));
		ends.length = 0;
		case_begin("birth/ends/%d", way);
		case_rc("rc", pthread_create(&id, NULL, ending, way ? &ends : NULL));
		case_rc("join", pthread_join(id, NULL));
		case_fact("order", "%s", ends.order);
		case_end();
	}
	pthread_key_delete(ends.first);
	pthread_key_delete(ends.second);
}

void family_births(void)
{
	run_plain();
	run_sizes();
	run_given_stack();
	run_detached();
	run_mask_and_cpus();
	run_refused();
	run_c11();
	run_ends();
}
