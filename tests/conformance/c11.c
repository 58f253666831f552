/* C11 <threads.h>: glibc's mtx_* and cnd_* call its own internals, not the pthread symbols. */
#include "actors.h"
#include "call.h"
#include "families.h"
#include "transcript.h"

#include <stdlib.h>
#include <threads.h>

static const char *result_name(int result)
{
	static const struct {
		int value;
		const char *name;
	} names[] = {{thrd_success, "success"}, {thrd_busy, "busy"}, {thrd_error, "error"},
		{thrd_nomem, "nomem"}, {thrd_timedout, "timedout"}};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (names[i].value == result)
			return names[i].name;
	return "unknown";
}

static int do_lock(struct call *c)
{
	return mtx_lock(c->lock);
}

static int do_trylock(struct call *c)
{
	return mtx_trylock(c->lock);
}

static int do_timedlock(struct call *c)
{
	return mtx_timedlock(c->lock, &c->deadline);
}

static int do_unlock(struct call *c)
{
	return mtx_unlock(c->lock);
}

static int do_wait(struct call *c)
{
	return cnd_wait(c->lock, c->second);
}

static int do_timedwait(struct call *c)
{
	return cnd_timedwait(c->lock, c->second, &c->deadline);
}

static int do_signal(struct call *c)
{
	return cnd_signal(c->lock);
}

static int do_broadcast(struct call *c)
{
	return cnd_broadcast(c->lock);
}

static int call_by(enum actor_id id, int (*function)(struct call *), void *lock)
{
	struct call call = {.function = function, .lock = lock};

	actor_run(id, call_step, &call);
	return call.rc;
}

static void case_result(const char *key, int result)
{
	case_fact(key, "%s", result_name(result));
}

static const struct {
	const char *name;
	int type;
} types[] = {
	{"plain", mtx_plain},
	{"timed", mtx_timed},
	{"plain-recursive", mtx_plain | mtx_recursive},
	{"timed-recursive", mtx_timed | mtx_recursive},
};

enum situation { FREE, SELF, OTHERS, SITUATIONS };

static const char *const situation_names[SITUATIONS] = {"free", "self", "other"};

static const struct {
	const char *name;
	int (*function)(struct call *);
	bool timed;
} ops[] = {
	{"lock", do_lock, false},
	{"trylock", do_trylock, false},
	{"timedlock", do_timedlock, true},
	{"unlock", do_unlock, false},
};

struct scene {
	int type;
	mtx_t *mutex;
	struct call call;
};

static void relock_step(void *arg)
{
	struct scene *s = arg;

	if (mtx_init(s->mutex, s->type) != thrd_success || mtx_lock(s->mutex) != thrd_success)
		_Exit(99);
	call_exit(&s->call);
}

static void describe(const struct scene *s)
{
	int probe = call_by(PROBE, do_trylock, s->mutex);

	case_result("probe", probe);
	if (probe == thrd_success)
		case_result("probe-unlock", call_by(PROBE, do_unlock, s->mutex));
	else
		for (int i = 0; i < 3 && probe == thrd_busy; i++) {
			case_result("unlock", call_by(SUBJECT, do_unlock, s->mutex));
			probe = call_by(PROBE, do_trylock, s->mutex);
		}
}

static void run_mutex_case(struct scene *s, enum situation situation, int op)
{
	bool endless = ops[op].function == do_lock || s->call.when == FAR;

	s->call.function = ops[op].function;
	s->call.lock = s->mutex;
	if (situation == SELF && endless && !(s->type & mtx_recursive)) {
		if (ops[op].timed)
			return;
		case_fact("fate", "%s", child_end_name(child_run(relock_step, s), false));
		return;
	}
	case_result("init", mtx_init(s->mutex, s->type));
	if (situation != FREE)
		call_by(situation == SELF ? SUBJECT : OTHER, do_lock, s->mutex);
	actor_begin(SUBJECT, call_step, &s->call);
	if (situation == OTHERS && endless) {
		actor_await_waiting(SUBJECT);
		case_result("released", call_by(OTHER, do_unlock, s->mutex));
	}
	actor_finish(SUBJECT);
	case_result("rc", s->call.rc);
	case_fact("errno", s->call.errno_kept ? "kept" : "changed");
	describe(s);
	mtx_destroy(s->mutex);
}

static void run_mutex(int type, int situation, int op)
{
	struct scene s = {.type = types[type].type, .mutex = memory_place(false).subject};

	for (int when = PAST; when <= SEC_NEGATIVE; when++) {
		if (!ops[op].timed && when != PAST)
			return;
		s.call = (struct call){.clock = CLOCK_REALTIME, .when = when};
		case_begin(
			"c11/%s/%s/%s", types[type].name, situation_names[situation], ops[op].name);
		if (ops[op].timed)
			case_fact("deadline", "%s", when_name(when));
		run_mutex_case(&s, situation, op);
		case_end();
	}
}

struct pair {
	cnd_t condition;
	mtx_t mutex;
};

static void run_condition(int type, int (*wait)(struct call *), enum when when,
	int (*wake)(struct call *), const char *name)
{
	struct pair *pair = memory_place(false).subject;
	struct call call = {.function = wait,
		.lock = &pair->condition,
		.second = &pair->mutex,
		.clock = CLOCK_REALTIME,
		.when = when};

	case_begin("c11/%s/%s", types[type].name, name);
	case_fact("deadline", "%s", when_name(when));
	case_result("init", cnd_init(&pair->condition));
	mtx_init(&pair->mutex, types[type].type);
	call_by(SUBJECT, do_lock, &pair->mutex);
	actor_begin(SUBJECT, call_step, &call);
	actor_await_waiting(SUBJECT);
	if (wake) {
		case_result("other-lock", call_by(OTHER, do_lock, &pair->mutex));
		case_result("wake", call_by(OTHER, wake, &pair->condition));
		actor_await_waiting(SUBJECT);
		case_result("other-unlock", call_by(OTHER, do_unlock, &pair->mutex));
	}
	actor_finish(SUBJECT);
	case_result("rc", call.rc);
	case_fact("errno", call.errno_kept ? "kept" : "changed");
	case_result("probe", call_by(PROBE, do_trylock, &pair->mutex));
	case_result("unlock", call_by(SUBJECT, do_unlock, &pair->mutex));
	cnd_destroy(&pair->condition);
	mtx_destroy(&pair->mutex);
	case_end();
}

static void run_nobody(void)
{
	cnd_t condition;

	cnd_init(&condition);
	case_begin("c11/nobody-waits");
	case_result("signal", call_by(OTHER, do_signal, &condition));
	case_result("broadcast", call_by(OTHER, do_broadcast, &condition));
	case_end();
	cnd_destroy(&condition);
}

/* Types outside the table are refused. */
static void run_init(void)
{
	mtx_t mutex;

	for (int type = -1; type < 8; type++) {
		case_begin("c11/init/%d", type);
		case_result("rc", mtx_init(&mutex, type));
		case_end();
	}
}

void family_c11(void)
{
	run_init();
	run_nobody();
	for (int type = 0; type < 4; type++) {
		for (int situation = FREE; situation < SITUATIONS; situation++)
			for (size_t op = 0; op < sizeof(ops) / sizeof(ops[0]); op++)
				run_mutex(type, situation, op);
		run_condition(type, do_wait, FAR, do_signal, "wait-signal");
		run_condition(type, do_wait, FAR, do_broadcast, "wait-broadcast");
		run_condition(type, do_timedwait, FAR, do_signal, "timedwait-signal");
		for (int when = PAST; when <= SEC_NEGATIVE; when++)
			if (when != FAR)
				run_condition(type, do_timedwait, when, NULL, "timedwait");
	}
}
