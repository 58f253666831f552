/* fork() while locks are held. */
#include "actors.h"
#include "families.h"
#include "mutex.h"
#include "transcript.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static struct {
	pthread_mutex_t mutex;
	pthread_spinlock_t spin;
	pthread_rwlock_t rwlock;
	pthread_cond_t condition;
} locks;

static int call_by(enum actor_id id, int (*function)(struct call *), void *lock)
{
	struct call call = {.function = function, .lock = lock};

	actor_run(id, call_step, &call);
	return call.rc;
}

/* The child exits with what it got; two small numbers in one. */
static void case_child(const char *key, int (*body)(void))
{
	int status;
	pid_t pid = fork();

	if (pid == 0)
		_exit(body());
	waitpid(pid, &status, 0);
	if (WIFEXITED(status))
		case_rc(key, WEXITSTATUS(status));
	else
		case_fact(key, "signal:%d", WTERMSIG(status));
}

static int child_unlocks(void)
{
	return pthread_mutex_unlock(&locks.mutex);
}

static int child_relocks(void)
{
	int rc = pthread_mutex_unlock(&locks.mutex);

	if (rc == 0)
		rc = pthread_mutex_lock(&locks.mutex);
	return rc ? rc : pthread_mutex_trylock(&locks.mutex);
}

static int child_tries(void)
{
	return pthread_mutex_trylock(&locks.mutex);
}

static int child_makes_new(void)
{
	int rc = pthread_mutex_init(&locks.mutex, NULL);

	if (rc == 0)
		rc = pthread_mutex_lock(&locks.mutex);
	return rc ? rc : pthread_mutex_unlock(&locks.mutex);
}

static void run_held_by_parent(const struct mutex_variant *v)
{
	mutex_make(&locks.mutex, v);
	case_begin("fork/held-by-parent/%s", v->name);
	case_rc("lock", pthread_mutex_lock(&locks.mutex));
	case_child("child-trylock", child_tries);
	case_child("child-unlock", child_unlocks);
	case_child("child-relock", child_relocks);
	case_rc("probe", call_by(PROBE, mutex_trylock, &locks.mutex));
	case_rc("unlock", pthread_mutex_unlock(&locks.mutex));
	case_end();
}

static void run_held_by_other(const struct mutex_variant *v)
{
	mutex_make(&locks.mutex, v);
	case_begin("fork/held-by-other/%s", v->name);
	case_rc("lock", call_by(OTHER, mutex_lock, &locks.mutex));
	case_child("child-trylock", child_tries);
	case_child("child-makes-new", child_makes_new);
	case_rc("unlock", call_by(OTHER, mutex_unlock, &locks.mutex));
	case_child("child-trylock", child_tries);
	case_end();
}

/* Forked while another thread waits in a lock call: the child has no such waiter. */
static void run_while_waiting(const struct mutex_variant *v)
{
	struct call wait = {.function = mutex_lock, .lock = &locks.mutex};

	mutex_make(&locks.mutex, v);
	case_begin("fork/while-other-waits/%s", v->name);
	case_rc("lock", pthread_mutex_lock(&locks.mutex));
	actor_begin(OTHER, call_step, &wait);
	actor_await_waiting(OTHER);
	case_child("child-trylock", child_tries);
	case_child("child-makes-new", child_makes_new);
	case_rc("unlock", pthread_mutex_unlock(&locks.mutex));
	actor_finish(OTHER);
	case_rc("rc", wait.rc);
	case_rc("unlock", call_by(OTHER, mutex_unlock, &locks.mutex));
	case_end();
}

static int child_others(void)
{
	int rc = pthread_spin_trylock(&locks.spin);

	if (rc == 0)
		return 1;
	pthread_spin_unlock(&locks.spin);
	rc = pthread_spin_lock(&locks.spin);
	if (rc == 0)
		rc = pthread_rwlock_tryrdlock(&locks.rwlock);
	return rc ? rc : pthread_rwlock_trywrlock(&locks.rwlock);
}

static void run_other_kinds(void)
{
	pthread_spin_init(&locks.spin, PTHREAD_PROCESS_PRIVATE);
	pthread_rwlock_init(&locks.rwlock, NULL);
	case_begin("fork/spin-and-rwlock");
	case_rc("spin", pthread_spin_lock(&locks.spin));
	case_rc("rdlock", pthread_rwlock_rdlock(&locks.rwlock));
	case_child("child", child_others);
	case_rc("unlock", pthread_spin_unlock(&locks.spin));
	case_rc("unlock", pthread_rwlock_unlock(&locks.rwlock));
	case_rc("wrlock", pthread_rwlock_wrlock(&locks.rwlock));
	case_rc("unlock", pthread_rwlock_unlock(&locks.rwlock));
	case_end();
}

static void *child_thread(void *arg)
{
	long failures = 0;

	for (int i = 0; i < 500; i++) {
		failures += pthread_mutex_lock(&locks.mutex) != 0;
		++*(int *)arg;
		failures += pthread_cond_signal(&locks.condition) != 0;
		failures += pthread_mutex_unlock(&locks.mutex) != 0;
	}
	return (void *)failures;
}

/* The child starts threads of its own, which contend, wait and wake. */
static int child_with_threads(void)
{
	pthread_t threads[4];
	int count = 0;
	void *failures;

	if (pthread_mutex_init(&locks.mutex, NULL) != 0)
		return 90;
	for (int i = 0; i < 4; i++)
		if (pthread_create(&threads[i], NULL, child_thread, &count) != 0)
			return 91;
	pthread_mutex_lock(&locks.mutex);
	while (count < 2000)
		pthread_cond_wait(&locks.condition, &locks.mutex);
	pthread_mutex_unlock(&locks.mutex);
	for (int i = 0; i < 4; i++) {
		pthread_join(threads[i], &failures);
		if (failures)
			return 92;
	}
	return 0;
}

static void run_threads(void)
{
	case_begin("fork/child-with-threads");
	pthread_cond_init(&locks.condition, NULL);
	pthread_mutex_init(&locks.mutex, NULL);
	case_child("child", child_with_threads);
	case_child("child", child_with_threads);
	case_end();
}

static int child_forks(void)
{
	int status;
	pid_t pid = fork();

	if (pid == 0)
		_exit(child_with_threads());
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 99;
}

/* Handlers of the program's own around fork: the usual way to keep locks whole. */
static int order[8], steps;

static void note(int what)
{
	if (steps < 8)
		order[steps++] = what;
}

static void before_fork(void)
{
	note(pthread_mutex_lock(&locks.mutex) == 0 ? 1 : 9);
}

static void after_in_parent(void)
{
	note(pthread_mutex_unlock(&locks.mutex) == 0 ? 2 : 9);
}

static void after_in_child(void)
{
	note(pthread_mutex_unlock(&locks.mutex) == 0 ? 3 : 9);
}

static int child_steps(void)
{
	int rc = pthread_mutex_trylock(&locks.mutex);

	return rc ? rc : 100 + order[0] * 10 + order[1];
}

static void run_handlers(void)
{
	pthread_mutex_init(&locks.mutex, NULL);
	case_begin("fork/handlers");
	case_rc("atfork", pthread_atfork(before_fork, after_in_parent, after_in_child));
	steps = 0;
	case_child("child", child_steps);
	case_fact("parent", "%d%d", order[0], order[1]);
	case_child("grandchild", child_forks);
	case_rc("trylock", pthread_mutex_trylock(&locks.mutex));
	case_rc("unlock", pthread_mutex_unlock(&locks.mutex));
	case_end();
}

void family_forks(void)
{
	struct mutex_variant v;

	for (int i = 0; i < 8; i++) {
		mutex_variant_at(i, &v);
		run_held_by_parent(&v);
		run_held_by_other(&v);
		run_while_waiting(&v);
	}
	run_other_kinds();
	run_threads();
	/* Last: the handlers stay. */
	run_handlers();
}
