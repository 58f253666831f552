/* Signal handlers that run inside a lock call, and lock something themselves. */
#include "actors.h"
#include "families.h"
#include "mutex.h"
#include "transcript.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>

/* What the handler does, and what it saw. One scene at a time. */
static struct {
	pthread_mutex_t inner;
	pthread_spinlock_t inner_spin;
	pthread_rwlock_t inner_rwlock;
	atomic_int runs, failures;
} handler;

static void on_signal(int number)
{
	int saved = errno;
	int failures = 0;

	(void)number;
	errno = 77;
	failures += pthread_mutex_lock(&handler.inner) != 0;
	failures += pthread_mutex_trylock(&handler.inner) != EBUSY;
	failures += pthread_mutex_unlock(&handler.inner) != 0;
	failures += pthread_spin_lock(&handler.inner_spin) != 0;
	failures += pthread_spin_unlock(&handler.inner_spin) != 0;
	failures += pthread_rwlock_rdlock(&handler.inner_rwlock) != 0;
	failures += pthread_rwlock_unlock(&handler.inner_rwlock) != 0;
	failures += errno != 77;
	atomic_fetch_add_explicit(&handler.failures, failures, memory_order_relaxed);
	atomic_fetch_add_explicit(&handler.runs, 1, memory_order_release);
	errno = saved;
}

static void handler_install(void)
{
	struct sigaction action = {.sa_handler = on_signal};

	pthread_mutex_init(&handler.inner, NULL);
	pthread_spin_init(&handler.inner_spin, PTHREAD_PROCESS_PRIVATE);
	pthread_rwlock_init(&handler.inner_rwlock, NULL);
	atomic_store_explicit(&handler.runs, 0, memory_order_relaxed);
	atomic_store_explicit(&handler.failures, 0, memory_order_relaxed);
	sigaction(SIGUSR1, &action, NULL);
}

static void send(int times)
{
	for (int i = 1; i <= times; i++) {
		pthread_kill(actor_thread(SUBJECT), SIGUSR1);
		while (atomic_load_explicit(&handler.runs, memory_order_acquire) < i)
			look_again();
	}
}

static int do_spin(struct call *c)
{
	return pthread_spin_lock((pthread_spinlock_t *)c->lock);
}

static int do_rdlock(struct call *c)
{
	return pthread_rwlock_rdlock(c->lock);
}

static int do_wrlock(struct call *c)
{
	return pthread_rwlock_wrlock(c->lock);
}

static int do_cond_wait(struct call *c)
{
	return pthread_cond_wait(c->lock, c->second);
}

static int do_cond_clockwait(struct call *c)
{
	return pthread_cond_clockwait(c->lock, c->second, CLOCK_MONOTONIC, &c->deadline);
}

enum kind { MUTEX, SPIN, RWLOCK };

static const struct {
	const char *name;
	int (*function)(struct call *);
	enum kind kind;
	enum when when;
} locks[] = {
	{"mutex_lock", mutex_lock, MUTEX, FAR},
	{"mutex_timedlock", mutex_timedlock, MUTEX, FAR},
	{"mutex_clocklock-near", mutex_clocklock, MUTEX, NEAR},
	{"spin_lock", do_spin, SPIN, FAR},
	{"rdlock", do_rdlock, RWLOCK, FAR},
	{"wrlock", do_wrlock, RWLOCK, FAR},
};

static union {
	pthread_mutex_t mutex;
	pthread_spinlock_t spin;
	pthread_rwlock_t rwlock;
} outer;

static void hold_step(void *arg)
{
	switch (*(enum kind *)arg) {
	case MUTEX:
		pthread_mutex_init(&outer.mutex, NULL);
		pthread_mutex_lock(&outer.mutex);
		break;
	case SPIN:
		pthread_spin_init(&outer.spin, PTHREAD_PROCESS_PRIVATE);
		pthread_spin_lock(&outer.spin);
		break;
	case RWLOCK:
		pthread_rwlock_init(&outer.rwlock, NULL);
		pthread_rwlock_wrlock(&outer.rwlock);
		break;
	}
}

static void release_step(void *arg)
{
	switch (*(enum kind *)arg) {
	case MUTEX:
		pthread_mutex_unlock(&outer.mutex);
		break;
	case SPIN:
		pthread_spin_unlock(&outer.spin);
		break;
	case RWLOCK:
		pthread_rwlock_unlock(&outer.rwlock);
		break;
	}
}

static void run_lock(int which)
{
	enum kind kind = locks[which].kind;
	struct call call = {.function = locks[which].function,
		.lock = &outer,
		.clock = locks[which].when == NEAR ? CLOCK_MONOTONIC : CLOCK_REALTIME,
		.when = locks[which].when};

	handler_install();
	case_begin("signal/%s", locks[which].name);
	actor_run(OTHER, hold_step, &kind);
	actor_begin(SUBJECT, call_step, &call);
	actor_await_waiting(SUBJECT);
	send(3);
	if (call.when == NEAR)
		actor_finish(SUBJECT);
	actor_run(OTHER, release_step, &kind);
	if (call.when != NEAR) {
		actor_finish(SUBJECT);
		actor_run(SUBJECT, release_step, &kind);
	}
	case_call(&call);
	case_fact("failures", "%d", atomic_load(&handler.failures));
	actor_run(PROBE, hold_step, &kind);
	actor_run(PROBE, release_step, &kind);
	case_end();
}

/* A condition wait goes on after the handler ran. */
static void run_wait(const char *name, int (*function)(struct call *))
{
	pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
	pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
	struct call call = {.function = function,
		.lock = &condition,
		.second = &mutex,
		.clock = CLOCK_MONOTONIC,
		.when = FAR};
	struct call lock = {.function = mutex_lock, .lock = &mutex};
	struct call unlock = {.function = mutex_unlock, .lock = &mutex};

	handler_install();
	case_begin("signal/%s", name);
	actor_run(SUBJECT, call_step, &lock);
	actor_begin(SUBJECT, call_step, &call);
	actor_await_waiting(SUBJECT);
	actor_run(OTHER, call_step, &lock);
	actor_run(OTHER, call_step, &unlock);
	send(3);
	case_fact("returned", actor_done(SUBJECT) ? "yes" : "no");
	actor_run(OTHER, call_step, &lock);
	case_rc("wake", pthread_cond_signal(&condition));
	/* The handler interrupts the waiter on its way back to the mutex, too. */
	actor_await_waiting(SUBJECT);
	handler_install();
	send(2);
	actor_run(OTHER, call_step, &unlock);
	actor_finish(SUBJECT);
	case_call(&call);
	case_fact("failures", "%d", atomic_load(&handler.failures));
	actor_run(SUBJECT, call_step, &unlock);
	case_end();
}

/* The handler itself has to wait for a mutex that another thread holds. */
static void run_handler_waits(void)
{
	pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
	struct call call = {.function = mutex_lock, .lock = &mutex};
	struct call inner_lock = {.function = mutex_lock, .lock = &handler.inner};
	struct call inner_unlock = {.function = mutex_unlock, .lock = &handler.inner};

	handler_install();
	case_begin("signal/handler-waits");
	pthread_mutex_lock(&mutex);
	actor_run(PROBE, call_step, &inner_lock);
	actor_begin(SUBJECT, call_step, &call);
	actor_await_waiting(SUBJECT);
	pthread_kill(actor_thread(SUBJECT), SIGUSR1);
	for (int i = 0; i < 20; i++)
		look_again();
	/* Free, but the subject is in its handler. */
	pthread_mutex_unlock(&mutex);
	actor_run(PROBE, call_step, &inner_unlock);
	actor_finish(SUBJECT);
	case_call(&call);
	while (atomic_load_explicit(&handler.runs, memory_order_acquire) < 1)
		look_again();
	case_fact("failures", "%d", atomic_load(&handler.failures));
	case_rc("probe", pthread_mutex_trylock(&mutex));
	case_end();
}

struct storm {
	pthread_mutex_t mutex;
	atomic_bool stop;
	int failures;
	long sum;
};

static void storm_step(void *arg)
{
	struct storm *storm = arg;

	while (!atomic_load_explicit(&storm->stop, memory_order_relaxed)) {
		errno = 55;
		storm->failures += pthread_mutex_lock(&storm->mutex) != 0;
		storm->sum++;
		storm->failures += pthread_mutex_unlock(&storm->mutex) != 0;
		storm->failures += errno != 55;
	}
}

/* Signals hit every point of the hooks of a thread that locks without pause. */
static void run_storm(void)
{
	struct storm storm = {.mutex = PTHREAD_MUTEX_INITIALIZER};

	handler_install();
	case_begin("signal/storm");
	actor_begin(SUBJECT, storm_step, &storm);
	send(300);
	atomic_store_explicit(&storm.stop, true, memory_order_relaxed);
	actor_finish(SUBJECT);
	case_fact("failures", "%d", storm.failures + atomic_load(&handler.failures));
	case_end();
}

void family_signals(void)
{
	for (size_t i = 0; i < sizeof(locks) / sizeof(locks[0]); i++)
		run_lock((int)i);
	run_wait("cond_wait", do_cond_wait);
	run_wait("cond_clockwait", do_cond_clockwait);
	run_handler_waits();
	run_storm();
}
