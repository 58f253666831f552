/* Births and deaths of mutexes that no table covers, and uses that run through several states. */
#include "actors.h"
#include "families.h"
#include "mutex.h"
#include "transcript.h"

#include <errno.h>
#include <string.h>

static int call_by(enum actor_id id, int (*function)(struct call *), void *lock)
{
	struct call call = {.function = function, .lock = lock};

	actor_run(id, call_step, &call);
	return call.rc;
}

static void run_static(void)
{
	static pthread_mutex_t plain = PTHREAD_MUTEX_INITIALIZER;
	static pthread_mutex_t recursive = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
	static pthread_mutex_t errorcheck = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
	static pthread_mutex_t adaptive = PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP;
	pthread_mutex_t *const all[] = {&plain, &recursive, &errorcheck, &adaptive};

	for (int i = 0; i < 4; i++) {
		case_begin("life/static/%d", i);
		case_rc("lock", call_by(SUBJECT, mutex_lock, all[i]));
		case_rc("trylock", call_by(SUBJECT, mutex_trylock, all[i]));
		case_rc("probe", call_by(PROBE, mutex_trylock, all[i]));
		case_rc("other-timedlock", call_by(OTHER, mutex_timedlock, all[i]));
		case_rc("unlock", call_by(SUBJECT, mutex_unlock, all[i]));
		if (i == 1)
			case_rc("unlock", call_by(SUBJECT, mutex_unlock, all[i]));
		case_rc("probe", call_by(PROBE, mutex_trylock, all[i]));
		case_rc("unlock", call_by(PROBE, mutex_unlock, all[i]));
		case_rc("destroy", pthread_mutex_destroy(all[i]));
		case_end();
	}
}

/* What many programs do, whatever the standard says: the memory is used anew while locked. */
static void run_reborn(void)
{
	static const char *const ways[] = {"init", "memset", "destroy-init"};
	pthread_mutex_t mutex;

	for (int way = 0; way < 3; way++) {
		pthread_mutex_init(&mutex, NULL);
		case_begin("life/reborn/%s", ways[way]);
		for (int round = 0; round < 3; round++) {
			case_rc("lock", call_by(SUBJECT, mutex_lock, &mutex));
			if (way == 1)
				memset(&mutex, 0, sizeof(mutex));
			if (way == 2)
				case_rc("destroy", pthread_mutex_destroy(&mutex));
			if (way != 1)
				case_rc("init", pthread_mutex_init(&mutex, NULL));
			case_rc("other-lock", call_by(OTHER, mutex_lock, &mutex));
			case_rc("trylock", call_by(SUBJECT, mutex_trylock, &mutex));
			case_rc("other-unlock", call_by(OTHER, mutex_unlock, &mutex));
		}
		case_end();
	}
}

/* A mutex of one kind becomes one of every other kind at the same address. */
static void run_changing(void)
{
	pthread_mutex_t *mutex = memory_place(false).subject;
	struct mutex_variant v;

	for (int i = 0; mutex_variant_at(i, &v) && !v.shared; i++) {
		if (v.protocol == PTHREAD_PRIO_PROTECT)
			continue;
		case_begin("life/changing/%s", v.name);
		case_rc("init", mutex_make(mutex, &v));
		case_rc("lock", call_by(SUBJECT, mutex_lock, mutex));
		case_rc("again", call_by(SUBJECT, mutex_trylock, mutex));
		case_rc("other", call_by(OTHER, mutex_trylock, mutex));
		case_rc("other-unlock",
			v.type == PTHREAD_MUTEX_NORMAL ? 0 : call_by(OTHER, mutex_unlock, mutex));
		while (mutex->__data.__owner == actor_tid(SUBJECT))
			case_rc("unlock", call_by(SUBJECT, mutex_unlock, mutex));
		case_rc("destroy", pthread_mutex_destroy(mutex));
		case_end();
	}
}

static void run_deep(void)
{
	struct mutex_variant v;
	pthread_mutex_t *mutex = memory_place(false).subject;
	int failures = 0;

	mutex_variant_at(1, &v); /* recursive */
	mutex_make(mutex, &v);
	case_begin("life/deep");
	for (int i = 0; i < 100; i++) {
		failures += call_by(SUBJECT, i % 2 ? mutex_trylock : mutex_lock, mutex) != 0;
		failures += call_by(OTHER, mutex_trylock, mutex) != EBUSY;
	}
	case_fact("count", "%u", mutex->__data.__count);
	for (int i = 0; i < 100; i++) {
		failures += call_by(OTHER, mutex_unlock, mutex) != EPERM;
		failures += call_by(SUBJECT, mutex_unlock, mutex) != 0;
	}
	case_fact("failures", "%d", failures);
	case_rc("unlock-too-often", call_by(SUBJECT, mutex_unlock, mutex));
	case_rc("other", call_by(OTHER, mutex_trylock, mutex));
	case_end();
}

/* Locked by one thread, unlocked by another: a normal mutex as a gate. Then the owner comes back.
 */
static void run_handed_over(void)
{
	pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
	struct call wait = {.function = mutex_lock, .lock = &mutex};

	case_begin("life/handed-over");
	for (int round = 0; round < 5; round++) {
		case_rc("lock", call_by(SUBJECT, mutex_lock, &mutex));
		actor_begin(PROBE, call_step, &wait);
		actor_await_waiting(PROBE);
		case_rc("other-unlock", call_by(OTHER, mutex_unlock, &mutex));
		actor_finish(PROBE);
		case_rc("probe", wait.rc);
		case_rc("trylock", call_by(SUBJECT, mutex_trylock, &mutex));
		case_fact("owner", "%s", actor_name(mutex.__data.__owner));
		case_rc("other-unlock", call_by(OTHER, mutex_unlock, &mutex));
	}
	case_end();
}

/* Two wait at once, one by a deadline it misses: the other must not lose its turn by that. */
static void run_two_waiters(void)
{
	pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
	struct call patient = {.function = mutex_lock, .lock = &mutex};
	struct call hasty = {.function = mutex_clocklock,
		.lock = &mutex,
		.clock = CLOCK_MONOTONIC,
		.when = NEAR};

	case_begin("life/two-waiters");
	case_rc("lock", call_by(SUBJECT, mutex_lock, &mutex));
	actor_begin(OTHER, call_step, &patient);
	actor_await_waiting(OTHER);
	actor_begin(PROBE, call_step, &hasty);
	actor_finish(PROBE);
	case_rc("hasty", hasty.rc);
	case_fact("early", hasty.early ? "yes" : "no");
	case_rc("unlock", call_by(SUBJECT, mutex_unlock, &mutex));
	actor_finish(OTHER);
	case_rc("patient", patient.rc);
	case_rc("unlock", call_by(OTHER, mutex_unlock, &mutex));
	case_rc("destroy", pthread_mutex_destroy(&mutex));
	case_end();
}

static void run_ceiling(void)
{
	struct mutex_variant v;
	pthread_mutex_t *mutex = memory_place(false).subject;
	int old = -1, now = -1;

	mutex_variant_at(8, &v); /* normal, protect */
	case_begin("life/ceiling");
	case_rc("init", mutex_make(mutex, &v));
	case_rc("get", pthread_mutex_getprioceiling(mutex, &now));
	case_fact("is", "%d", now);
	case_rc("set", pthread_mutex_setprioceiling(mutex, MUTEX_CEILING + 1, &old));
	case_fact("was", "%d", old);
	case_rc("get", pthread_mutex_getprioceiling(mutex, &now));
	case_fact("is", "%d", now);
	case_rc("destroy", pthread_mutex_destroy(mutex));
	case_end();
}

static void run_init_errors(void)
{
	pthread_mutexattr_t attributes;
	pthread_condattr_t cond_attributes;
	pthread_mutex_t mutex;

	case_begin("life/attributes");
	pthread_mutexattr_init(&attributes);
	case_rc("type", pthread_mutexattr_settype(&attributes, 77));
	case_rc("protocol", pthread_mutexattr_setprotocol(&attributes, 77));
	case_rc("robust", pthread_mutexattr_setrobust(&attributes, 77));
	case_rc("shared", pthread_mutexattr_setpshared(&attributes, 77));
	case_rc("init", pthread_mutex_init(&mutex, &attributes));
	pthread_condattr_init(&cond_attributes);
	case_rc("clock", pthread_condattr_setclock(&cond_attributes, CLOCK_PROCESS_CPUTIME_ID));
	case_rc("shared", pthread_condattr_setpshared(&cond_attributes, 77));
	case_rc("consistent", pthread_mutex_consistent(&mutex));
	case_end();
}

void family_life(void)
{
	run_static();
	run_reborn();
	run_changing();
	run_deep();
	run_handed_over();
	run_two_waiters();
	run_ceiling();
	run_init_errors();
}
