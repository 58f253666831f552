/* Condition variables: every call × clock × sharing × kind of mutex. */
#include "actors.h"
#include "families.h"
#include "mutex.h"
#include "transcript.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>

/* Both lie in one place: the condition variable first, the mutex behind it. */
#define MUTEX_OFFSET 128

static int do_wait(struct call *c)
{
	return pthread_cond_wait(c->lock, c->second);
}

static int do_timedwait(struct call *c)
{
	return pthread_cond_timedwait(c->lock, c->second, &c->deadline);
}

static int do_clockwait(struct call *c)
{
	return pthread_cond_clockwait(c->lock, c->second, c->clock, &c->deadline);
}

static int do_signal(struct call *c)
{
	return pthread_cond_signal(c->lock);
}

static int do_broadcast(struct call *c)
{
	return pthread_cond_broadcast(c->lock);
}

struct scene {
	const struct mutex_variant *variant;
	bool monotonic; /* the clock of the condition variable */
	struct place place;
	struct call call;
};

static void *mutex_at(void *place)
{
	return (char *)place + MUTEX_OFFSET;
}

static int call_by(enum actor_id id, int (*function)(struct call *), void *lock)
{
	struct call call = {.function = function, .lock = lock};

	actor_run(id, call_step, &call);
	return call.rc;
}

static int make(struct scene *s)
{
	pthread_condattr_t attributes;
	int rc;

	s->place = memory_place(s->variant->shared);
	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, s->monotonic ? CLOCK_MONOTONIC : CLOCK_REALTIME);
	pthread_condattr_setpshared(&attributes, s->variant->shared);
	rc = pthread_cond_init(s->place.subject, &attributes);
	pthread_condattr_destroy(&attributes);
	return rc ? rc : mutex_make(mutex_at(s->place.subject), s->variant);
}

static bool begin(struct scene *s, const char *name)
{
	case_begin(
		"cond/%s/%s/%s", s->variant->name, s->monotonic ? "monotonic" : "realtime", name);
	if (make(s) == 0)
		return true;
	case_fact("skipped", "no-such-mutex");
	case_end();
	return false;
}

static void prepare(
	struct scene *s, int (*function)(struct call *), clockid_t clock, enum when when)
{
	s->call = (struct call){.function = function,
		.lock = s->place.subject,
		.second = mutex_at(s->place.subject),
		.clock = clock,
		.when = when};
}

/* The subject, owner of the mutex, starts to wait; once the mutex could be had it does wait. */
static void start_waiting(struct scene *s)
{
	case_rc("lock", call_by(SUBJECT, mutex_lock, s->call.second));
	actor_begin(SUBJECT, call_step, &s->call);
	actor_await_waiting(SUBJECT);
}

static void end(struct scene *s)
{
	pthread_mutex_t *mutex = mutex_at(s->place.subject);

	case_call(&s->call);
	case_fact("owner", "%s", actor_name(mutex->__data.__owner));
	case_fact("count", "%u", mutex->__data.__count);
	case_fact("users", "%u", mutex->__data.__nusers);
	for (int i = 0; i < 3 && mutex->__data.__owner == actor_tid(SUBJECT); i++)
		case_rc("unlock", call_by(SUBJECT, mutex_unlock, mutex));
	case_rc("destroy", pthread_cond_destroy(s->place.subject));
	case_rc("destroy", pthread_mutex_destroy(mutex));
	case_end();
}

/* The other one changes the condition: in the mutex, or after it let it go. */
static void wake(struct scene *s, int (*function)(struct call *), bool inside)
{
	void *mutex = mutex_at(s->place.other);

	case_rc("other-lock", call_by(OTHER, mutex_lock, mutex));
	if (inside)
		case_rc("wake", call_by(OTHER, function, s->place.other));
	case_rc("other-unlock", call_by(OTHER, mutex_unlock, mutex));
	if (!inside)
		case_rc("wake", call_by(OTHER, function, s->place.other));
}

static void run_woken(
	struct scene *s, const char *name, int (*function)(struct call *), clockid_t clock)
{
	int (*const wakes[])(struct call *) = {do_signal, do_broadcast};

	for (int way = 0; way < 4; way++) {
		if (!begin(s, name))
			return;
		case_fact("by", "%s-%s", way & 1 ? "broadcast" : "signal",
			way & 2 ? "inside" : "outside");
		prepare(s, function, clock, FAR);
		start_waiting(s);
		wake(s, wakes[way & 1], way & 2);
		actor_finish(SUBJECT);
		end(s);
	}
}

static void run_deadline(struct scene *s, const char *name, int (*function)(struct call *),
	clockid_t clock, enum when when)
{
	if (!begin(s, name))
		return;
	case_fact("deadline", "%s", when_name(when));
	prepare(s, function, clock, when);
	start_waiting(s);
	actor_finish(SUBJECT);
	end(s);
}

/* Unlocking fails: the wait must not begin, and what the mutex was is what it is. */
static void run_unowned(struct scene *s, bool taken)
{
	if (!begin(s, taken ? "wait-in-others-mutex" : "wait-without-mutex"))
		return;
	if (taken)
		case_rc("other-lock", call_by(OTHER, mutex_lock, mutex_at(s->place.other)));
	prepare(s, do_timedwait, CLOCK_REALTIME, NEAR);
	actor_run(SUBJECT, call_step, &s->call);
	if (taken)
		case_rc("other-unlock", call_by(OTHER, mutex_unlock, mutex_at(s->place.other)));
	end(s);
}

static void run_destroyed_mutex(struct scene *s)
{
	if (!begin(s, "wait-with-destroyed-mutex"))
		return;
	pthread_mutex_destroy(mutex_at(s->place.subject));
	prepare(s, do_timedwait, CLOCK_REALTIME, NEAR);
	actor_run(SUBJECT, call_step, &s->call);
	end(s);
}

/* A recursive mutex held twice is given up once only. */
static void run_held_twice(struct scene *s)
{
	if (!begin(s, "wait-holding-twice"))
		return;
	prepare(s, do_timedwait, s->monotonic ? CLOCK_MONOTONIC : CLOCK_REALTIME, NEAR);
	case_rc("lock", call_by(SUBJECT, mutex_lock, s->call.second));
	start_waiting(s);
	case_rc("meanwhile", call_by(PROBE, mutex_trylock, mutex_at(s->place.other)));
	actor_finish(SUBJECT);
	end(s);
}

/* The mutex is in use while somebody waits with it. */
static void run_destroy_in_use(struct scene *s)
{
	pthread_mutex_t *mutex;

	if (!begin(s, "destroy-mutex-in-use"))
		return;
	prepare(s, do_wait, CLOCK_REALTIME, FAR);
	start_waiting(s);
	mutex = mutex_at(s->place.subject);
	case_rc("other-lock", call_by(OTHER, mutex_lock, mutex_at(s->place.other)));
	case_rc("other-unlock", call_by(OTHER, mutex_unlock, mutex_at(s->place.other)));
	case_fact("owner", "%s", actor_name(mutex->__data.__owner));
	case_fact("users", "%u", mutex->__data.__nusers);
	if (!s->variant->robust)
		case_rc("destroy", pthread_mutex_destroy(mutex));
	if (mutex->__data.__kind == -1)
		mutex_make(mutex, s->variant);
	wake(s, do_signal, true);
	actor_finish(SUBJECT);
	end(s);
}

/* Woken, the waiter finds the mutex taken and has to wait for that too. */
static void run_contended(struct scene *s)
{
	void *mutex;

	if (!begin(s, "reacquire-contended"))
		return;
	mutex = mutex_at(s->place.other);
	prepare(s, do_clockwait, CLOCK_MONOTONIC, FAR);
	start_waiting(s);
	case_rc("other-lock", call_by(OTHER, mutex_lock, mutex));
	case_rc("wake", call_by(OTHER, do_signal, s->place.other));
	case_rc("meanwhile", call_by(PROBE, mutex_trylock, mutex));
	actor_await_waiting(SUBJECT);
	case_fact("returned", actor_done(SUBJECT) ? "yes" : "no");
	case_rc("other-unlock", call_by(OTHER, mutex_unlock, mutex));
	actor_finish(SUBJECT);
	end(s);
}

/* A wait with a near deadline, begun in time for the other one to take the mutex before it ends. */
static void lose_mutex(struct scene *s)
{
	for (;;) {
		prepare(s, do_clockwait, CLOCK_MONOTONIC, NEAR);
		call_by(SUBJECT, mutex_lock, s->call.second);
		actor_begin(SUBJECT, call_step, &s->call);
		actor_await_waiting(SUBJECT);
		if (call_by(OTHER, mutex_trylock, mutex_at(s->place.other)) == 0)
			return;
		actor_finish(SUBJECT);
		call_by(SUBJECT, mutex_unlock, s->call.second);
	}
}

/* The deadline passes while another thread has the mutex. */
static void run_late(struct scene *s)
{
	struct timespec deadline;

	if (!begin(s, "timeout-contended"))
		return;
	lose_mutex(s);
	deadline = deadline_at(CLOCK_MONOTONIC, NEAR);
	while (!deadline_passed(CLOCK_MONOTONIC, &deadline))
		look_again();
	case_fact("returned", actor_done(SUBJECT) ? "yes" : "no");
	case_rc("other-unlock", call_by(OTHER, mutex_unlock, mutex_at(s->place.other)));
	actor_finish(SUBJECT);
	end(s);
}

/* Destroying is allowed as soon as all waiters were woken. */
static void run_destroy_after_broadcast(struct scene *s)
{
	if (!begin(s, "destroy-after-broadcast"))
		return;
	prepare(s, do_wait, CLOCK_REALTIME, FAR);
	start_waiting(s);
	wake(s, do_broadcast, false);
	case_rc("destroy", pthread_cond_destroy(s->place.subject));
	memset(s->place.subject, 0xff, sizeof(pthread_cond_t));
	actor_finish(SUBJECT);
	pthread_cond_init(s->place.subject, NULL);
	end(s);
}

/* One signal wakes one of two waiters, a broadcast what is left. */
static void run_two(struct scene *s)
{
	struct call second;

	if (!begin(s, "one-of-two"))
		return;
	prepare(s, do_wait, CLOCK_REALTIME, FAR);
	second = s->call;
	second.lock = s->place.other;
	second.second = mutex_at(s->place.other);
	start_waiting(s);
	call_by(PROBE, mutex_lock, second.second);
	actor_begin(PROBE, call_step, &second);
	actor_await_waiting(PROBE);
	wake(s, do_signal, true);
	while (!actor_done(SUBJECT) && !actor_done(PROBE))
		look_again();
	case_fact("woken", "%d", actor_done(SUBJECT) + actor_done(PROBE));
	for (int i = 0; i < 2; i++) {
		enum actor_id first = actor_done(SUBJECT) ? SUBJECT : PROBE;

		if (i == 1)
			first = second.when == NEAR ? PROBE : SUBJECT;
		actor_finish(first);
		call_by(first, mutex_unlock,
			mutex_at(first == SUBJECT ? s->place.subject : s->place.other));
		/* Who is left, in a field nobody needs any more. */
		second.when = first == SUBJECT ? NEAR : FAR;
		if (i == 0)
			wake(s, do_broadcast, true);
	}
	case_rc("other-rc", second.rc);
	end(s);
}

/* The owner dies while the waiter is woken: a robust mutex says so on the way out of the wait. */
static void run_owner_died(struct scene *s)
{
	if (!begin(s, "reacquire-after-death"))
		return;
	prepare(s, do_wait, CLOCK_REALTIME, FAR);
	start_waiting(s);
	case_rc("other-lock", call_by(OTHER, mutex_lock, mutex_at(s->place.other)));
	case_rc("wake", call_by(OTHER, do_signal, s->place.other));
	actor_replace(OTHER);
	actor_finish(SUBJECT);
	if (s->call.rc == EOWNERDEAD)
		case_rc("repair", pthread_mutex_consistent(mutex_at(s->place.subject)));
	end(s);
}

static void run_nobody(struct scene *s)
{
	if (!begin(s, "nobody-waits"))
		return;
	prepare(s, do_signal, CLOCK_REALTIME, PAST);
	actor_run(SUBJECT, call_step, &s->call);
	case_call(&s->call);
	prepare(s, do_broadcast, CLOCK_REALTIME, PAST);
	actor_run(SUBJECT, call_step, &s->call);
	end(s);
}

static void run_deadlines(struct scene *s)
{
	clockid_t own = s->monotonic ? CLOCK_MONOTONIC : CLOCK_REALTIME;

	for (int when = PAST; when <= SEC_NEGATIVE; when++) {
		if (when == FAR)
			continue;
		run_deadline(s, "timedwait", do_timedwait, own, when);
		run_deadline(s, "clockwait-realtime", do_clockwait, CLOCK_REALTIME, when);
		run_deadline(s, "clockwait-monotonic", do_clockwait, CLOCK_MONOTONIC, when);
	}
	run_deadline(s, "clockwait-unknown", do_clockwait, 999, PAST);
	run_deadline(s, "clockwait-cputime", do_clockwait, CLOCK_PROCESS_CPUTIME_ID, NEAR);
}

static void run_variant(const struct mutex_variant *v, bool monotonic)
{
	struct scene s = {.variant = v, .monotonic = monotonic};
	bool checks = v->type == PTHREAD_MUTEX_RECURSIVE || v->type == PTHREAD_MUTEX_ERRORCHECK;

	run_woken(&s, "wait", do_wait, CLOCK_REALTIME);
	run_woken(&s, "timedwait", do_timedwait, monotonic ? CLOCK_MONOTONIC : CLOCK_REALTIME);
	run_woken(&s, "clockwait", do_clockwait, monotonic ? CLOCK_REALTIME : CLOCK_MONOTONIC);
	run_deadlines(&s);
	run_destroyed_mutex(&s);
	run_contended(&s);
	run_late(&s);
	run_destroy_after_broadcast(&s);
	run_destroy_in_use(&s);
	run_two(&s);
	run_nobody(&s);
	if (checks || v->robust) {
		run_unowned(&s, false);
		run_unowned(&s, true);
	}
	if (v->type == PTHREAD_MUTEX_RECURSIVE)
		run_held_twice(&s);
	if (v->robust)
		run_owner_died(&s);
}

void family_cond(void)
{
	struct mutex_variant variant;

	for (int i = 0; mutex_variant_at(i, &variant); i++) {
		/* A ceiling nobody can reach cannot be locked, and so not be waited with. */
		if (variant.protocol == PTHREAD_PRIO_PROTECT && !variant.fifo)
			continue;
		actors_renew();
		if (!actors_priority(variant.fifo ? MUTEX_FIFO : 0))
			continue;
		run_variant(&variant, i & 1);
	}
	actors_renew();
}
