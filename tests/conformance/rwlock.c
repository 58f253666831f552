/* Read-write locks: every call × preference × sharing × situation. */
#include "actors.h"
#include "call.h"
#include "families.h"
#include "transcript.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

static int do_rdlock(struct call *c)
{
	return pthread_rwlock_rdlock(c->lock);
}

static int do_wrlock(struct call *c)
{
	return pthread_rwlock_wrlock(c->lock);
}

static int do_tryrdlock(struct call *c)
{
	return pthread_rwlock_tryrdlock(c->lock);
}

static int do_trywrlock(struct call *c)
{
	return pthread_rwlock_trywrlock(c->lock);
}

static int do_timedrdlock(struct call *c)
{
	return pthread_rwlock_timedrdlock(c->lock, &c->deadline);
}

static int do_timedwrlock(struct call *c)
{
	return pthread_rwlock_timedwrlock(c->lock, &c->deadline);
}

static int do_clockrdlock(struct call *c)
{
	return pthread_rwlock_clockrdlock(c->lock, c->clock, &c->deadline);
}

static int do_clockwrlock(struct call *c)
{
	return pthread_rwlock_clockwrlock(c->lock, c->clock, &c->deadline);
}

static int do_unlock(struct call *c)
{
	return pthread_rwlock_unlock(c->lock);
}

static int do_destroy(struct call *c)
{
	return pthread_rwlock_destroy(c->lock);
}

enum side { READS, WRITES, NEITHER };

static const struct rw_op {
	const char *name;
	int (*function)(struct call *);
	enum side side;
	clockid_t clock;
	bool endless; /* waits without a deadline it could meet */
	bool timed;   /* repeated for every moment */
} ops[] = {
	{"rdlock", do_rdlock, READS, CLOCK_REALTIME, true, false},
	{"wrlock", do_wrlock, WRITES, CLOCK_REALTIME, true, false},
	{"tryrdlock", do_tryrdlock, READS, CLOCK_REALTIME, false, false},
	{"trywrlock", do_trywrlock, WRITES, CLOCK_REALTIME, false, false},
	{"timedrdlock", do_timedrdlock, READS, CLOCK_REALTIME, false, true},
	{"timedwrlock", do_timedwrlock, WRITES, CLOCK_REALTIME, false, true},
	{"clockrdlock-realtime", do_clockrdlock, READS, CLOCK_REALTIME, false, true},
	{"clockwrlock-realtime", do_clockwrlock, WRITES, CLOCK_REALTIME, false, true},
	{"clockrdlock-monotonic", do_clockrdlock, READS, CLOCK_MONOTONIC, false, true},
	{"clockwrlock-monotonic", do_clockwrlock, WRITES, CLOCK_MONOTONIC, false, true},
	{"clockrdlock-unknown", do_clockrdlock, READS, 999, false, false},
	{"clockwrlock-unknown", do_clockwrlock, WRITES, 999, false, false},
	{"unlock", do_unlock, NEITHER, CLOCK_REALTIME, false, false},
	{"destroy", do_destroy, NEITHER, CLOCK_REALTIME, false, false},
};

enum situation {
	FREE,
	SELF_READS,
	SELF_WRITES,
	OTHER_READS,
	OTHER_WRITES,
	WRITER_WAITS,
	SITUATIONS
};

static const char *const situation_names[SITUATIONS] = {
	"free", "self-reads", "self-writes", "other-reads", "other-writes", "writer-waits"};

static const struct {
	const char *name;
	int value;
} kinds[] = {
	{"prefer-reader", PTHREAD_RWLOCK_PREFER_READER_NP},
	{"prefer-writer", PTHREAD_RWLOCK_PREFER_WRITER_NP},
	{"prefer-writer-nonrecursive", PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP},
};

struct scene {
	int kind;
	bool shared;
	enum situation situation;
	const struct rw_op *op;
	struct place place;
	struct call call, writer; /* writer: the PROBE's wrlock, where one waits */
};

static void make(const struct scene *s)
{
	pthread_rwlockattr_t attributes;

	pthread_rwlockattr_init(&attributes);
	pthread_rwlockattr_setkind_np(&attributes, kinds[s->kind].value);
	pthread_rwlockattr_setpshared(&attributes, s->shared);
	pthread_rwlock_init(s->place.subject, &attributes);
	pthread_rwlockattr_destroy(&attributes);
}

static int call_by(enum actor_id id, int (*function)(struct call *), void *lock)
{
	struct call call = {.function = function, .lock = lock};

	actor_run(id, call_step, &call);
	return call.rc;
}

static void arrange(struct scene *s)
{
	make(s);
	switch (s->situation) {
	case SELF_READS:
		call_by(SUBJECT, do_rdlock, s->place.subject);
		break;
	case SELF_WRITES:
		call_by(SUBJECT, do_wrlock, s->place.subject);
		break;
	case OTHER_READS:
	case WRITER_WAITS:
		call_by(OTHER, do_rdlock, s->place.other);
		break;
	case OTHER_WRITES:
		call_by(OTHER, do_wrlock, s->place.other);
		break;
	default:
		break;
	}
	if (s->situation != WRITER_WAITS)
		return;
	s->writer = (struct call){.function = do_wrlock, .lock = s->place.other};
	actor_begin(PROBE, call_step, &s->writer);
	actor_await_waiting(PROBE);
}

static void block_step(void *arg)
{
	struct scene *s = arg;

	make(s);
	if ((s->situation == SELF_READS ? do_rdlock : do_wrlock)(&s->call) != 0)
		_Exit(99);
	call_exit(&s->call);
}

static bool waits_for_other(const struct scene *s)
{
	if (!s->op->endless && s->call.when != FAR)
		return false;
	return (s->situation == OTHER_READS && s->op->side == WRITES) ||
	       (s->situation == OTHER_WRITES && s->op->side != NEITHER);
}

static void probe(const struct scene *s, const char *key, int (*function)(struct call *))
{
	int rc = call_by(PROBE, function, s->place.other);

	case_rc(key, rc);
	if (rc == 0)
		call_by(PROBE, do_unlock, s->place.other);
}

static void describe(const struct scene *s)
{
	const pthread_rwlock_t *lock = s->place.subject;

	case_fact("writer", "%s", actor_name(lock->__data.__cur_writer));
	case_fact("readers", "%u", lock->__data.__readers >> 3);
	probe(s, "tryrd", do_tryrdlock);
	probe(s, "trywr", do_trywrlock);
	if (s->call.rc == 0 && s->op->side != NEITHER)
		case_rc("unlock", call_by(SUBJECT, do_unlock, s->place.subject));
	probe(s, "then-trywr", do_trywrlock);
	case_rc("destroy", pthread_rwlock_destroy(s->place.subject));
}

static void contend(struct scene *s)
{
	actor_begin(SUBJECT, call_step, &s->call);
	actor_await_waiting(SUBJECT);
	case_rc("released", call_by(OTHER, do_unlock, s->place.other));
	actor_finish(SUBJECT);
}

static void leave(struct scene *s, enum actor_id id)
{
	bool writer = id == PROBE;
	const struct call *call = writer ? &s->writer : &s->call;

	actor_finish(id);
	case_rc(writer ? "writer" : "reader", call->rc);
	if (call->rc == 0)
		case_rc("unlock", call_by(id, do_unlock, call->lock));
}

/*
 * A reader holds the lock, a writer waits, the subject comes third. Does it pass the writer? Who
 * is next? All three get their turn in the end.
 */
static void third(struct scene *s)
{
	bool passes;

	actor_begin(SUBJECT, call_step, &s->call);
	actor_await_waiting(SUBJECT);
	passes = actor_done(SUBJECT);
	case_fact("subject", passes ? "does-not-wait" : "waits");
	if (passes)
		leave(s, SUBJECT);
	case_rc("released", call_by(OTHER, do_unlock, s->place.other));
	while (!actor_done(PROBE) && !(actor_done(SUBJECT) && !passes))
		look_again();
	if (actor_done(PROBE)) {
		leave(s, PROBE);
		if (!passes)
			leave(s, SUBJECT);
	} else {
		leave(s, SUBJECT);
		leave(s, PROBE);
	}
	case_fact("errno", s->call.errno_kept ? "kept" : "changed");
	case_rc("destroy", pthread_rwlock_destroy(s->place.subject));
}

static bool is_blocked_by_self(const struct scene *s)
{
	return s->situation == SELF_READS && s->op->side == WRITES;
}

static void run_case(struct scene *s)
{
	s->place = memory_place(s->shared);
	s->call = (struct call){.function = s->op->function,
		.lock = s->place.subject,
		.clock = s->op->clock,
		.when = s->call.when};
	if (is_blocked_by_self(s) && s->call.when == FAR && !s->op->endless)
		return;
	/* Unlocking what another thread writes, or what is free, has no meaning in glibc. */
	if (s->op->function == do_unlock && (s->situation == OTHER_WRITES || s->situation == FREE))
		return;
	/* With a writer in the queue: the readers' calls only, and those that do not wait. */
	if (s->situation == WRITER_WAITS && (s->op->side != READS || s->call.when == NEAR))
		return;
	case_begin("rwlock/%s/%s/%s/%s", kinds[s->kind].name, s->shared ? "shared" : "private",
		situation_names[s->situation], s->op->name);
	if (s->op->timed)
		case_fact("deadline", "%s", when_name(s->call.when));
	if (is_blocked_by_self(s) && s->op->endless) {
		case_fact("fate", "%s", child_end_name(child_run(block_step, s), true));
		case_end();
		return;
	}
	arrange(s);
	if (s->situation == WRITER_WAITS) {
		third(s);
		case_end();
		return;
	}
	if (waits_for_other(s))
		contend(s);
	else
		actor_run(SUBJECT, call_step, &s->call);
	case_call(&s->call);
	describe(s);
	case_end();
}

static void run_op(struct scene *s)
{
	if (!s->op->timed) {
		s->call.when = s->op->endless ? FAR : PAST;
		run_case(s);
		return;
	}
	for (int when = PAST; when <= SEC_NEGATIVE; when++) {
		s->call.when = when;
		run_case(s);
	}
}

/* The static initialiser, and a lock over zeroed memory. */
static void run_static(void)
{
	static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
	static pthread_rwlock_t writer = PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;
	pthread_rwlock_t *const locks[] = {&lock, &writer};

	for (int i = 0; i < 2; i++) {
		case_begin("rwlock/static/%d", i);
		case_rc("rdlock", call_by(SUBJECT, do_rdlock, locks[i]));
		case_rc("other-rdlock", call_by(OTHER, do_rdlock, locks[i]));
		case_rc("trywrlock", call_by(PROBE, do_trywrlock, locks[i]));
		case_rc("unlock", call_by(SUBJECT, do_unlock, locks[i]));
		case_rc("other-unlock", call_by(OTHER, do_unlock, locks[i]));
		case_rc("wrlock", call_by(PROBE, do_wrlock, locks[i]));
		case_rc("wrlock-again", call_by(PROBE, do_wrlock, locks[i]));
		case_rc("rdlock-inside", call_by(PROBE, do_rdlock, locks[i]));
		case_rc("unlock", call_by(PROBE, do_unlock, locks[i]));
		case_end();
	}
}

void family_rwlock(void)
{
	struct scene s = {0};

	run_static();
	for (int variant = 0; variant < 6; variant++) {
		s.kind = variant / 2;
		s.shared = variant % 2;
		for (int situation = FREE; situation < SITUATIONS; situation++)
			for (size_t i = 0; i < sizeof(ops) / sizeof(ops[0]); i++) {
				s.situation = situation;
				s.op = &ops[i];
				run_op(&s);
			}
	}
}
