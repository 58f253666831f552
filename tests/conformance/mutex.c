/* Mutexes: every call × type × protocol × robustness × sharing × situation. */
#include "mutex.h"

#include "actors.h"
#include "families.h"
#include "transcript.h"

#include <errno.h>
#include <limits.h>
#include <sched.h>
#include <string.h>
#include <unistd.h>

enum situation { FREE, SELF, SELF_FULL, OTHERS, DIED, LOST, DESTROYED, SITUATIONS };

static const char *const situation_names[SITUATIONS] = {
	"free", "self", "self-full", "other", "died", "lost", "destroyed"};

static int do_consistent(struct call *c)
{
	return pthread_mutex_consistent(c->lock);
}

static int do_destroy(struct call *c)
{
	return pthread_mutex_destroy(c->lock);
}

static const struct mutex_op {
	const char *name;
	int (*function)(struct call *);
	clockid_t clock;
	enum when when;
} ops[] = {
	{"lock", mutex_lock, CLOCK_REALTIME, FAR},
	{"trylock", mutex_trylock, CLOCK_REALTIME, PAST},
	{"timedlock", mutex_timedlock, CLOCK_REALTIME, PAST},
	{"timedlock", mutex_timedlock, CLOCK_REALTIME, NEAR},
	{"timedlock", mutex_timedlock, CLOCK_REALTIME, FAR},
	{"timedlock", mutex_timedlock, CLOCK_REALTIME, NSEC_LOW},
	{"timedlock", mutex_timedlock, CLOCK_REALTIME, NSEC_HIGH},
	{"timedlock", mutex_timedlock, CLOCK_REALTIME, SEC_NEGATIVE},
	{"clocklock-realtime", mutex_clocklock, CLOCK_REALTIME, PAST},
	{"clocklock-realtime", mutex_clocklock, CLOCK_REALTIME, NEAR},
	{"clocklock-realtime", mutex_clocklock, CLOCK_REALTIME, FAR},
	{"clocklock-realtime", mutex_clocklock, CLOCK_REALTIME, NSEC_HIGH},
	{"clocklock-monotonic", mutex_clocklock, CLOCK_MONOTONIC, PAST},
	{"clocklock-monotonic", mutex_clocklock, CLOCK_MONOTONIC, NEAR},
	{"clocklock-monotonic", mutex_clocklock, CLOCK_MONOTONIC, FAR},
	{"clocklock-monotonic", mutex_clocklock, CLOCK_MONOTONIC, NSEC_LOW},
	{"clocklock-monotonic", mutex_clocklock, CLOCK_MONOTONIC, NSEC_HIGH},
	{"clocklock-monotonic", mutex_clocklock, CLOCK_MONOTONIC, SEC_NEGATIVE},
	{"clocklock-cputime", mutex_clocklock, CLOCK_PROCESS_CPUTIME_ID, NEAR},
	{"clocklock-unknown", mutex_clocklock, 999, PAST},
	{"unlock", mutex_unlock, CLOCK_REALTIME, PAST},
	{"consistent", do_consistent, CLOCK_REALTIME, PAST},
	{"destroy", do_destroy, CLOCK_REALTIME, PAST},
};

/* What a case needs; also passed to a child process that is expected to block. */
struct scene {
	const struct mutex_variant *variant;
	struct place place;
	struct call call;
};

static int lock_by(enum actor_id id, void *lock)
{
	struct call call = {.function = mutex_lock, .lock = lock};

	actor_run(id, call_step, &call);
	return call.rc;
}

static int unlock_by(enum actor_id id, void *lock)
{
	struct call call = {.function = mutex_unlock, .lock = lock};

	actor_run(id, call_step, &call);
	return call.rc;
}

/* Brings the mutex into its situation. False: this kind cannot be in it. */
static bool arrange(struct scene *s, enum situation situation)
{
	const struct mutex_variant *v = s->variant;

	switch (situation) {
	case FREE:
		return true;
	case SELF:
		return lock_by(SUBJECT, s->place.subject) == 0;
	case SELF_FULL:
		if (v->type != PTHREAD_MUTEX_RECURSIVE || lock_by(SUBJECT, s->place.subject) != 0)
			return false;
		((pthread_mutex_t *)s->place.subject)->__data.__count = UINT_MAX;
		return true;
	case OTHERS:
		return lock_by(OTHER, s->place.other) == 0;
	case DIED:
	case LOST:
		if (lock_by(OTHER, s->place.other) != 0)
			return false;
		actor_replace(OTHER);
		actors_priority(v->fifo ? MUTEX_FIFO : 0);
		if (situation == DIED)
			return true;
		return v->robust && lock_by(OTHER, s->place.other) == EOWNERDEAD &&
		       unlock_by(OTHER, s->place.other) == 0;
	case DESTROYED:
		return pthread_mutex_destroy(s->place.subject) == 0;
	default:
		return false;
	}
}

static bool is_endless(const struct mutex_op *op)
{
	return op->function == mutex_lock || op->when == FAR;
}

/* Would the call wait for ever in this situation? */
static bool deadlocks(const struct mutex_variant *v, enum situation situation)
{
	bool checks = v->type == PTHREAD_MUTEX_RECURSIVE || v->type == PTHREAD_MUTEX_ERRORCHECK;

	return (situation == SELF && !checks) || (situation == DIED && !v->robust);
}

/* In a child of its own: lock, then the call that blocks. */
static void block_step(void *arg)
{
	struct scene *s = arg;
	struct sched_param parameter = {.sched_priority = MUTEX_FIFO};

	if (s->variant->fifo && sched_setscheduler(0, SCHED_FIFO, &parameter) != 0)
		_exit(99);
	if (mutex_make(s->place.subject, s->variant) != 0 ||
		pthread_mutex_lock(s->place.subject) != 0)
		_exit(98);
	call_exit(&s->call);
}

/* Afterwards: what the mutex says of itself, what another thread sees, and a tidy end. */
static void describe(struct scene *s)
{
	const pthread_mutex_t *m = s->place.subject;
	struct call probe = {.function = mutex_trylock, .lock = s->place.other};

	case_fact("owner", "%s", actor_name(m->__data.__owner));
	case_fact("count", "%u", m->__data.__count);
	case_fact("users", "%u", m->__data.__nusers);
	case_fact("kind", "%d", m->__data.__kind);
	actor_run(PROBE, call_step, &probe);
	case_rc("probe", probe.rc);
	if (probe.rc == 0 || probe.rc == EOWNERDEAD)
		case_rc("probe-unlock", unlock_by(PROBE, s->place.other));
	if (s->call.rc == EOWNERDEAD) {
		struct call repair = {.function = do_consistent, .lock = s->place.subject};

		actor_run(SUBJECT, call_step, &repair);
		case_rc("repair", repair.rc);
	}
	for (int i = 0; i < 3 && m->__data.__owner == actor_tid(SUBJECT); i++)
		case_rc("unlock", unlock_by(SUBJECT, s->place.subject));
	for (int i = 0; i < 3 && m->__data.__owner == actor_tid(OTHER); i++)
		case_rc("other-unlock", unlock_by(OTHER, s->place.other));
	case_fact("count", "%u", m->__data.__count);
	case_rc("destroy", pthread_mutex_destroy(s->place.subject));
}

/* The subject waits, the other one lets go. */
static void contend(struct scene *s)
{
	actor_begin(SUBJECT, call_step, &s->call);
	actor_await_waiting(SUBJECT);
	case_rc("released", unlock_by(OTHER, s->place.other));
	actor_finish(SUBJECT);
}

static void run_case(
	const struct mutex_variant *v, enum situation situation, const struct mutex_op *op)
{
	struct scene s = {v, memory_place(v->shared),
		{.function = op->function, .clock = op->clock, .when = op->when}};

	s.call.lock = s.place.subject;
	/* A ceiling that a thread could not reach stays counted in the thread: take fresh ones. */
	if (v->protocol == PTHREAD_PRIO_PROTECT && !v->fifo)
		actors_renew();
	if (is_endless(op) && deadlocks(v, situation)) {
		/* The other endless forms differ in nothing but their deadline. */
		if (op->function != mutex_lock || situation != SELF)
			return;
		case_begin("mutex/%s/%s/%s", v->name, situation_names[situation], op->name);
		case_fact("fate", "%s", child_end_name(child_run(block_step, &s), false));
		case_end();
		return;
	}
	if (mutex_make(s.place.subject, v) != 0 || !arrange(&s, situation))
		return;
	case_begin("mutex/%s/%s/%s", v->name, situation_names[situation], op->name);
	if (op->function == mutex_timedlock || op->function == mutex_clocklock)
		case_fact("deadline", "%s", when_name(op->when));
	if (situation == OTHERS && is_endless(op))
		contend(&s);
	else
		actor_run(SUBJECT, call_step, &s.call);
	case_call(&s.call);
	describe(&s);
	case_end();
	/* A destroyed robust mutex stays on its owner's list. */
	if (v->robust && op->function == do_destroy)
		actors_renew();
}

static void run_variant(const struct mutex_variant *v)
{
	actors_renew();
	if (!actors_priority(v->fifo ? MUTEX_FIFO : 0)) {
		case_begin("mutex/%s", v->name);
		case_fact("skipped", "no-permission-for-SCHED_FIFO");
		case_end();
		return;
	}
	case_begin("mutex/%s/init", v->name);
	case_rc("rc", mutex_make(memory_place(v->shared).subject, v));
	case_end();
	for (int situation = FREE; situation < SITUATIONS; situation++)
		for (size_t i = 0; i < sizeof(ops) / sizeof(ops[0]); i++)
			run_case(v, situation, &ops[i]);
}

void family_mutex(void)
{
	struct mutex_variant variant;

	for (int i = 0; mutex_variant_at(i, &variant); i++)
		run_variant(&variant);
	actors_priority(0);
}
