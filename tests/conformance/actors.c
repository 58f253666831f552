#include "actors.h"

#include <errno.h>
#include <limits.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

struct actor {
	pthread_t thread;
	pid_t tid;
	sem_t go, done;
	step_fn step; /* NULL: exit */
	void *arg;
	atomic_bool busy;
	long long start_cpu_ns; /* as the step began */
	long start_switches;
};

static struct actor actors[ACTORS];

/* A step that has burnt this much, or has switched this often, is waiting and not on its way. */
#define WAITING_CPU_NS 300000
#define WAITING_SWITCHES 3

static void take(sem_t *semaphore)
{
	while (sem_wait(semaphore) != 0 && errno == EINTR)
		;
}

static long long cpu_ns(clockid_t clock)
{
	struct timespec now;

	if (clock_gettime(clock, &now) != 0)
		return 0;
	return now.tv_sec * 1000000000LL + now.tv_nsec;
}

static void *actor_main(void *arg)
{
	struct actor *a = arg;
	struct rusage usage;

	a->tid = gettid();
	sem_post(&a->done);
	for (;;) {
		take(&a->go);
		if (!a->step)
			return NULL;
		getrusage(RUSAGE_THREAD, &usage);
		a->start_switches = usage.ru_nvcsw;
		a->start_cpu_ns = cpu_ns(CLOCK_THREAD_CPUTIME_ID);
		atomic_store_explicit(&a->busy, true, memory_order_release);
		a->step(a->arg);
		atomic_store_explicit(&a->busy, false, memory_order_release);
		sem_post(&a->done);
	}
}

static void actor_start(struct actor *a)
{
	atomic_store_explicit(&a->busy, false, memory_order_relaxed);
	sem_init(&a->go, 0, 0);
	sem_init(&a->done, 0, 0);
	if (pthread_create(&a->thread, NULL, actor_main, a) != 0) {
		fputs("conformance: cannot create a thread\n", stderr);
		exit(2);
	}
	take(&a->done);
}

void actors_start(void)
{
	for (int i = 0; i < ACTORS; i++)
		actor_start(&actors[i]);
}

void actor_begin(enum actor_id id, step_fn step, void *arg)
{
	struct actor *a = &actors[id];

	a->step = step;
	a->arg = arg;
	sem_post(&a->go);
}

void actor_finish(enum actor_id id)
{
	take(&actors[id].done);
}

void actor_run(enum actor_id id, step_fn step, void *arg)
{
	actor_begin(id, step, arg);
	actor_finish(id);
}

bool actor_done(enum actor_id id)
{
	int value = 0;

	sem_getvalue(&actors[id].done, &value);
	return value > 0;
}

bool actor_await_waiting(enum actor_id id)
{
	struct actor *a = &actors[id];
	char task[64];
	clockid_t clock;

	snprintf(task, sizeof(task), "/proc/self/task/%d", (int)a->tid);
	pthread_getcpuclockid(a->thread, &clock);
	while (!actor_done(id)) {
		if (atomic_load_explicit(&a->busy, memory_order_acquire)) {
			if (task_in_futex(task))
				return true;
			if (cpu_ns(clock) - a->start_cpu_ns > WAITING_CPU_NS ||
				task_switches(task) - a->start_switches > WAITING_SWITCHES)
				return false;
		}
		look_again();
	}
	return false;
}

void actor_replace(enum actor_id id)
{
	actor_begin(id, NULL, NULL);
	pthread_join(actors[id].thread, NULL);
	actor_start(&actors[id]);
}

bool actor_cancel(enum actor_id id)
{
	void *result = NULL;

	pthread_cancel(actors[id].thread);
	pthread_join(actors[id].thread, &result);
	actor_start(&actors[id]);
	return result == PTHREAD_CANCELED;
}

void actors_renew(void)
{
	for (int i = 0; i < ACTORS; i++)
		actor_replace(i);
}

bool actors_priority(int priority)
{
	struct sched_param parameter = {.sched_priority = priority};
	int policy = priority ? SCHED_FIFO : SCHED_OTHER;

	for (int i = 0; i < ACTORS; i++)
		if (pthread_setschedparam(actors[i].thread, policy, &parameter) != 0)
			return false;
	return true;
}

const char *actor_name(pid_t tid)
{
	static const char *const names[ACTORS] = {"subject", "other", "probe"};

	switch (tid) {
	case 0:
		return "none";
	case INT_MAX:
		return "inconsistent";
	case INT_MAX - 1:
		return "not-recoverable";
	}
	for (int i = 0; i < ACTORS; i++)
		if (actors[i].tid == tid)
			return names[i];
	return tid == gettid() ? "self" : "gone";
}

pthread_t actor_thread(enum actor_id id)
{
	return actors[id].thread;
}

pid_t actor_tid(enum actor_id id)
{
	return actors[id].tid;
}
