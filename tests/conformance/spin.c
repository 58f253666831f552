/* Spinlocks: every call × sharing × situation. */
#include "actors.h"
#include "call.h"
#include "families.h"
#include "transcript.h"

#include <errno.h>
#include <pthread.h>

/* Spinlocks are declared volatile by the interface under test. */
static pthread_spinlock_t *spin(const struct call *call)
{
	return call->lock;
}

static int do_lock(struct call *c)
{
	return pthread_spin_lock(spin(c));
}

static int do_trylock(struct call *c)
{
	return pthread_spin_trylock(spin(c));
}

static int do_unlock(struct call *c)
{
	return pthread_spin_unlock(spin(c));
}

static int do_destroy(struct call *c)
{
	return pthread_spin_destroy(spin(c));
}

static int do_init(struct call *c)
{
	return pthread_spin_init(spin(c), PTHREAD_PROCESS_PRIVATE);
}

static int do_init_shared(struct call *c)
{
	return pthread_spin_init(spin(c), PTHREAD_PROCESS_SHARED);
}

static int do_init_unknown(struct call *c)
{
	return pthread_spin_init(spin(c), 99);
}

static const struct spin_op {
	const char *name;
	int (*function)(struct call *);
} ops[] = {
	{"lock", do_lock},
	{"trylock", do_trylock},
	{"unlock", do_unlock},
	{"destroy", do_destroy},
	{"init", do_init},
	{"init-shared", do_init_shared},
	{"init-unknown", do_init_unknown},
};

enum situation { FREE, SELF, OTHERS, SITUATIONS };

static const char *const situation_names[SITUATIONS] = {"free", "self", "other"};

static int call_by(enum actor_id id, int (*function)(struct call *), void *lock)
{
	struct call call = {.function = function, .lock = lock};

	actor_run(id, call_step, &call);
	return call.rc;
}

static void relock_step(void *arg)
{
	struct call *call = arg;

	do_init(call);
	do_lock(call);
	call_exit(call);
}

/* What others see, and how many unlocks make it free. */
static void describe(const struct place *place)
{
	int rc = call_by(PROBE, do_trylock, place->other);

	case_rc("probe", rc);
	if (rc == EBUSY)
		case_rc("unlock", call_by(SUBJECT, do_unlock, place->subject));
	else
		case_rc("probe-unlock", call_by(PROBE, do_unlock, place->other));
	case_rc("again", call_by(PROBE, do_trylock, place->other));
}

static void contend(struct call *call, const struct place *place)
{
	actor_begin(SUBJECT, call_step, call);
	actor_await_waiting(SUBJECT);
	case_rc("released", call_by(OTHER, do_unlock, place->other));
	actor_finish(SUBJECT);
}

static void run_case(bool shared, enum situation situation, const struct spin_op *op)
{
	struct place place = memory_place(shared);
	struct call call = {.function = op->function, .lock = place.subject};

	case_begin("spin/%s/%s/%s", shared ? "shared" : "private", situation_names[situation],
		op->name);
	if (situation == SELF && op->function == do_lock) {
		case_fact("fate", "%s", child_end_name(child_run(relock_step, &call), true));
		case_end();
		return;
	}
	pthread_spin_init(place.subject, shared);
	if (situation != FREE)
		call_by(situation == SELF ? SUBJECT : OTHER, do_lock,
			situation == SELF ? place.subject : place.other);
	if (situation == OTHERS && op->function == do_lock)
		contend(&call, &place);
	else
		actor_run(SUBJECT, call_step, &call);
	case_call(&call);
	describe(&place);
	case_end();
}

void family_spin(void)
{
	for (int shared = 0; shared < 2; shared++)
		for (int situation = FREE; situation < SITUATIONS; situation++)
			for (size_t i = 0; i < sizeof(ops) / sizeof(ops[0]); i++)
				run_case(shared, situation, &ops[i]);
}
