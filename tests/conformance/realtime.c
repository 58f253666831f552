/*
 * Two SCHED_FIFO priorities on one CPU: the higher one waits for what the lower one holds. Unless
 * the waiter gets off the CPU the owner never runs again.
 */
#include "actors.h"
#include "families.h"
#include "mutex.h"
#include "transcript.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#define LOW 5
#define HIGH 10

static struct {
	pthread_mutex_t mutex;
	pthread_rwlock_t rwlock;
	pthread_cond_t condition;
	atomic_bool held, asked;
	bool woken;
} scene;

static int rt_mutex(struct call *c)
{
	(void)c;
	return pthread_mutex_lock(&scene.mutex);
}

static int rt_timed(struct call *c)
{
	return pthread_mutex_timedlock(&scene.mutex, &c->deadline);
}

static int rt_clock(struct call *c)
{
	return pthread_mutex_clocklock(&scene.mutex, CLOCK_MONOTONIC, &c->deadline);
}

static int rt_read(struct call *c)
{
	(void)c;
	return pthread_rwlock_rdlock(&scene.rwlock);
}

static int rt_write(struct call *c)
{
	(void)c;
	return pthread_rwlock_wrlock(&scene.rwlock);
}

static int rt_timed_write(struct call *c)
{
	return pthread_rwlock_clockwrlock(&scene.rwlock, CLOCK_MONOTONIC, &c->deadline);
}

/* Woken inside the owner's critical section. */
static int rt_wait(struct call *c)
{
	int rc = pthread_mutex_lock(&scene.mutex);

	(void)c;
	atomic_store_explicit(&scene.asked, true, memory_order_release);
	while (rc == 0 && !scene.woken)
		rc = pthread_cond_wait(&scene.condition, &scene.mutex);
	return rc;
}

static const struct {
	const char *name;
	int (*function)(struct call *);
	bool mutex;
	clockid_t clock;
} calls[] = {
	{"mutex_lock", rt_mutex, true, CLOCK_REALTIME},
	{"mutex_timedlock", rt_timed, true, CLOCK_REALTIME},
	{"mutex_clocklock", rt_clock, true, CLOCK_MONOTONIC},
	{"rdlock", rt_read, false, CLOCK_REALTIME},
	{"wrlock", rt_write, false, CLOCK_REALTIME},
	{"clockwrlock", rt_timed_write, false, CLOCK_MONOTONIC},
};

/* The lower one takes the lock and keeps it until the higher one has asked for it. */
static void low_step(void *arg)
{
	bool mutex = *(const bool *)arg;

	if (mutex)
		pthread_mutex_lock(&scene.mutex);
	else
		pthread_rwlock_wrlock(&scene.rwlock);
	atomic_store_explicit(&scene.held, true, memory_order_release);
	/* Preempted here by the higher one, and back only when that has gone to sleep. */
	while (!atomic_load_explicit(&scene.asked, memory_order_acquire))
		;
	if (mutex)
		pthread_mutex_unlock(&scene.mutex);
	else
		pthread_rwlock_unlock(&scene.rwlock);
}

static void high_step(void *arg)
{
	atomic_store_explicit(&scene.asked, true, memory_order_release);
	call_step(arg);
}

static void waker_step(void *arg)
{
	(void)arg;
	while (!atomic_load_explicit(&scene.asked, memory_order_acquire))
		;
	pthread_mutex_lock(&scene.mutex);
	scene.woken = true;
	pthread_cond_signal(&scene.condition);
	pthread_mutex_unlock(&scene.mutex);
}

static void make(void)
{
	pthread_mutex_init(&scene.mutex, NULL);
	pthread_rwlock_init(&scene.rwlock, NULL);
	pthread_cond_init(&scene.condition, NULL);
	scene.held = scene.asked = scene.woken = false;
}

/* Pins both actors to the first CPU that is allowed. False: not permitted. */
static bool confine(void)
{
	cpu_set_t all, one;
	struct sched_param low = {.sched_priority = LOW}, high = {.sched_priority = HIGH};
	int cpu = 0;

	sched_getaffinity(0, sizeof(all), &all);
	while (!CPU_ISSET(cpu, &all))
		cpu++;
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	return pthread_setaffinity_np(actor_thread(OTHER), sizeof(one), &one) == 0 &&
	       pthread_setaffinity_np(actor_thread(SUBJECT), sizeof(one), &one) == 0 &&
	       pthread_setschedparam(actor_thread(OTHER), SCHED_FIFO, &low) == 0 &&
	       pthread_setschedparam(actor_thread(SUBJECT), SCHED_FIFO, &high) == 0;
}

static void run_lock(int i)
{
	struct call call = {.function = calls[i].function, .clock = calls[i].clock, .when = FAR};
	bool mutex = calls[i].mutex;

	make();
	case_begin("realtime/%s", calls[i].name);
	actor_begin(OTHER, low_step, &mutex);
	while (!atomic_load_explicit(&scene.held, memory_order_acquire))
		look_again();
	actor_begin(SUBJECT, high_step, &call);
	actor_finish(SUBJECT);
	actor_finish(OTHER);
	case_call(&call);
	case_end();
	/* The locks stay taken; fresh ones are made for the next case. */
}

static void run_wait(void)
{
	struct call call = {.function = rt_wait, .clock = CLOCK_REALTIME};

	make();
	case_begin("realtime/cond_wait");
	actor_begin(SUBJECT, call_step, &call);
	actor_begin(OTHER, waker_step, NULL);
	actor_finish(SUBJECT);
	actor_finish(OTHER);
	case_call(&call);
	case_end();
}

void family_realtime(void)
{
	actors_renew();
	if (!confine()) {
		case_begin("realtime");
		case_fact("skipped", "no-permission-for-SCHED_FIFO");
		case_end();
		actors_renew();
		return;
	}
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
		run_lock((int)i);
	run_wait();
	actors_renew();
}
