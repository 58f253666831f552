/* Cancellation: where it strikes, where it must not, and what a cleanup handler finds. */
#include "actors.h"
#include "families.h"
#include "mutex.h"
#include "transcript.h"

#include <pthread.h>
#include <stdatomic.h>
#include <threads.h>

struct scene {
	pthread_mutex_t mutex;
	pthread_cond_t condition;
	pthread_rwlock_t rwlock;
	pthread_spinlock_t spin;
	int (*call)(struct scene *s);
	void (*leave)(struct scene *s);
	int owner_in_cleanup, count_in_cleanup;
	int rc, disabled;
	bool reached;          /* the call under test returned */
	atomic_bool requested; /* the subject has cancelled itself, and goes on */
};

static struct timespec far(clockid_t clock)
{
	return deadline_at(clock, FAR);
}

static int cond_wait(struct scene *s)
{
	return pthread_cond_wait(&s->condition, &s->mutex);
}

static int cond_timedwait(struct scene *s)
{
	struct timespec deadline = far(CLOCK_REALTIME);

	return pthread_cond_timedwait(&s->condition, &s->mutex, &deadline);
}

static int cond_clockwait(struct scene *s)
{
	struct timespec deadline = far(CLOCK_MONOTONIC);

	return pthread_cond_clockwait(&s->condition, &s->mutex, CLOCK_MONOTONIC, &deadline);
}

/* In glibc the C11 types are the pthread types under another name. */
static int c11_wait(struct scene *s)
{
	return cnd_wait((cnd_t *)&s->condition, (mtx_t *)&s->mutex);
}

static int c11_timedwait(struct scene *s)
{
	struct timespec deadline = far(CLOCK_REALTIME);

	return cnd_timedwait((cnd_t *)&s->condition, (mtx_t *)&s->mutex, &deadline);
}

static void cleanup(void *arg)
{
	struct scene *s = arg;

	s->owner_in_cleanup = s->mutex.__data.__owner;
	s->count_in_cleanup = (int)s->mutex.__data.__count;
	pthread_mutex_unlock(&s->mutex);
}

/* Locks, waits, and cleans up when it is cancelled. */
static void wait_step(void *arg)
{
	struct scene *s = arg;
	int state;

	pthread_setcancelstate(s->disabled, &state);
	pthread_mutex_lock(&s->mutex);
	pthread_cleanup_push(cleanup, s);
	s->rc = s->call(s);
	s->reached = true;
	pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &state);
	pthread_cleanup_pop(1);
}

static const struct {
	const char *name;
	int (*call)(struct scene *s);
} waits[] = {
	{"cond_wait", cond_wait},
	{"cond_timedwait", cond_timedwait},
	{"cond_clockwait", cond_clockwait},
	{"cnd_wait", c11_wait},
	{"cnd_timedwait", c11_timedwait},
};

static int call_by(enum actor_id id, int (*function)(struct call *), void *lock)
{
	struct call call = {.function = function, .lock = lock};

	actor_run(id, call_step, &call);
	return call.rc;
}

static void make(struct scene *s, const struct mutex_variant *v)
{
	*s = (struct scene){.call = s->call, .disabled = s->disabled};
	mutex_make(&s->mutex, v);
	pthread_cond_init(&s->condition, NULL);
	pthread_rwlock_init(&s->rwlock, NULL);
	pthread_spin_init(&s->spin, PTHREAD_PROCESS_PRIVATE);
}

static void tell_cleanup(struct scene *s, pid_t subject)
{
	case_fact("returned", s->reached ? "yes" : "no");
	case_fact("cleanup-owner", s->owner_in_cleanup == subject ? "subject" : "wrong");
	case_fact("cleanup-count", "%d", s->count_in_cleanup);
	case_rc("probe", call_by(PROBE, mutex_trylock, &s->mutex));
	case_rc("unlock", call_by(PROBE, mutex_unlock, &s->mutex));
	/* The condition variable works as before. */
	case_rc("destroy", pthread_cond_destroy(&s->condition));
	case_rc("destroy", pthread_mutex_destroy(&s->mutex));
}

/* The mutex could be had: the subject has given it up, so it waits. */
static void await_wait(struct scene *s)
{
	actor_await_waiting(SUBJECT);
	case_rc("other-lock", call_by(OTHER, mutex_lock, &s->mutex));
	case_rc("other-unlock", call_by(OTHER, mutex_unlock, &s->mutex));
}

static void run_wait(const struct mutex_variant *v, int which)
{
	struct scene s = {.call = waits[which].call};
	pid_t subject = actor_tid(SUBJECT);

	make(&s, v);
	case_begin("cancel/%s/%s", waits[which].name, v->name);
	actor_begin(SUBJECT, wait_step, &s);
	await_wait(&s);
	case_fact("cancelled", actor_cancel(SUBJECT) ? "yes" : "no");
	tell_cleanup(&s, subject);
	case_end();
}

/* Cancelled while another thread has the mutex: the cleanup handler runs once it is had again. */
static void cancel_step(void *arg)
{
	*(bool *)arg = actor_cancel(SUBJECT);
}

static void run_wait_contended(const struct mutex_variant *v, int which)
{
	struct scene s = {.call = waits[which].call};
	pid_t subject = actor_tid(SUBJECT);
	bool cancelled = false;

	make(&s, v);
	case_begin("cancel/%s-contended/%s", waits[which].name, v->name);
	actor_begin(SUBJECT, wait_step, &s);
	actor_await_waiting(SUBJECT);
	case_rc("other-lock", call_by(OTHER, mutex_lock, &s.mutex));
	actor_begin(PROBE, cancel_step, &cancelled);
	actor_await_waiting(PROBE);
	case_fact("cleanup-ran", s.owner_in_cleanup ? "yes" : "no");
	case_rc("other-unlock", call_by(OTHER, mutex_unlock, &s.mutex));
	actor_finish(PROBE);
	case_fact("cancelled", cancelled ? "yes" : "no");
	tell_cleanup(&s, subject);
	case_end();
}

static void request_cancel(struct scene *s)
{
	pthread_cancel(pthread_self());
	atomic_store_explicit(&s->requested, true, memory_order_release);
}

static int pending_wait(struct scene *s)
{
	request_cancel(s);
	return cond_wait(s);
}

/* A request that is there already strikes at once, inside the wait, with the mutex held. */
static void run_pending(const struct mutex_variant *v)
{
	struct scene s = {.call = pending_wait};
	pid_t subject = actor_tid(SUBJECT);

	make(&s, v);
	case_begin("cancel/pending/%s", v->name);
	actor_begin(SUBJECT, wait_step, &s);
	while (!atomic_load_explicit(&s.requested, memory_order_acquire))
		look_again();
	case_fact("cancelled", actor_cancel(SUBJECT) ? "yes" : "no");
	tell_cleanup(&s, subject);
	case_end();
}

/* With cancellation disabled the wait ends by a signal, as ever. */
static void run_disabled(const struct mutex_variant *v)
{
	struct scene s = {.call = cond_wait, .disabled = PTHREAD_CANCEL_DISABLE};
	pid_t subject = actor_tid(SUBJECT);

	make(&s, v);
	case_begin("cancel/disabled/%s", v->name);
	actor_begin(SUBJECT, wait_step, &s);
	await_wait(&s);
	pthread_cancel(actor_thread(SUBJECT));
	case_rc("wake", pthread_cond_signal(&s.condition));
	case_fact("cancelled", actor_cancel(SUBJECT) ? "yes" : "no");
	case_rc("rc", s.rc);
	tell_cleanup(&s, subject);
	case_end();
}

static int mutex_contended(struct scene *s)
{
	return pthread_mutex_lock(&s->mutex);
}

static int mutex_contended_timed(struct scene *s)
{
	struct timespec deadline = far(CLOCK_REALTIME);

	return pthread_mutex_timedlock(&s->mutex, &deadline);
}

static int mutex_contended_clock(struct scene *s)
{
	struct timespec deadline = far(CLOCK_MONOTONIC);

	return pthread_mutex_clocklock(&s->mutex, CLOCK_MONOTONIC, &deadline);
}

static int rdlock_contended(struct scene *s)
{
	return pthread_rwlock_rdlock(&s->rwlock);
}

static int wrlock_contended(struct scene *s)
{
	return pthread_rwlock_wrlock(&s->rwlock);
}

static int spin_contended(struct scene *s)
{
	return pthread_spin_lock(&s->spin);
}

static void leave_mutex(struct scene *s)
{
	pthread_mutex_unlock(&s->mutex);
}

static void leave_rwlock(struct scene *s)
{
	pthread_rwlock_unlock(&s->rwlock);
}

static void leave_spin(struct scene *s)
{
	pthread_spin_unlock(&s->spin);
}

static const struct {
	const char *name;
	int (*call)(struct scene *s);
	void (*leave)(struct scene *s);
} locks[] = {
	{"mutex_lock", mutex_contended, leave_mutex},
	{"mutex_timedlock", mutex_contended_timed, leave_mutex},
	{"mutex_clocklock", mutex_contended_clock, leave_mutex},
	{"rwlock_rdlock", rdlock_contended, leave_rwlock},
	{"rwlock_wrlock", wrlock_contended, leave_rwlock},
	{"spin_lock", spin_contended, leave_spin},
};

/* Asked to end before the lock and while waiting for it, it gets the lock all the same. */
static void lock_step(void *arg)
{
	struct scene *s = arg;

	request_cancel(s);
	s->rc = s->call(s);
	s->reached = true;
	s->leave(s);
	pthread_testcancel();
}

static void hold_step(void *arg)
{
	struct scene *s = arg;

	pthread_mutex_lock(&s->mutex);
	pthread_rwlock_wrlock(&s->rwlock);
	pthread_spin_lock(&s->spin);
}

static void release_step(void *arg)
{
	struct scene *s = arg;

	pthread_mutex_unlock(&s->mutex);
	pthread_rwlock_unlock(&s->rwlock);
	pthread_spin_unlock(&s->spin);
}

static void run_lock(const struct mutex_variant *v, int which)
{
	struct scene s = {.call = locks[which].call};

	make(&s, v);
	s.leave = locks[which].leave;
	case_begin("cancel/%s/%s", locks[which].name, v->name);
	actor_run(OTHER, hold_step, &s);
	actor_begin(SUBJECT, lock_step, &s);
	actor_await_waiting(SUBJECT);
	case_fact("returned", s.reached ? "yes" : "no");
	pthread_cancel(actor_thread(SUBJECT));
	actor_run(OTHER, release_step, &s);
	case_fact("cancelled", actor_cancel(SUBJECT) ? "yes" : "no");
	case_fact("returned", s.reached ? "yes" : "no");
	case_rc("rc", s.rc);
	actor_run(PROBE, hold_step, &s);
	actor_run(PROBE, release_step, &s);
	case_end();
}

void family_cancel(void)
{
	struct mutex_variant v;

	/* Normal, recursive, errorcheck, adaptive; then the same with priority inheritance. */
	for (int i = 0; i < 8; i++) {
		mutex_variant_at(i, &v);
		for (size_t which = 0; which < sizeof(waits) / sizeof(waits[0]); which++) {
			run_wait(&v, which);
			run_wait_contended(&v, which);
		}
		run_pending(&v);
		run_disabled(&v);
		for (size_t which = 0; which < sizeof(locks) / sizeof(locks[0]); which++)
			run_lock(&v, which);
	}
}
