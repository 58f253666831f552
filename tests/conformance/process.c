/*
 * Two processes and one lock in shared memory, which the second one maps at an address of its own.
 * The second is a fork of the first, or a program started anew without whatever was preloaded.
 */
#include "process.h"
#include "actors.h"
#include "families.h"
#include "mutex.h"
#include "transcript.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

struct shared {
	pthread_mutex_t mutex, robust;
	pthread_cond_t condition;
	pthread_rwlock_t rwlock;
	pthread_spinlock_t spin;
};

enum order {
	MUTEX_LOCK,
	MUTEX_TRYLOCK,
	MUTEX_UNLOCK,
	ROBUST_LOCK,
	ROBUST_TRYLOCK,
	ROBUST_CONSISTENT,
	ROBUST_UNLOCK,
	READ_LOCK,
	READ_TRYLOCK,
	WRITE_LOCK,
	WRITE_TRYLOCK,
	RW_UNLOCK,
	SPIN_LOCK,
	SPIN_TRYLOCK,
	SPIN_UNLOCK,
	WAIT,
	SIGNAL,
	BROADCAST,
};

static int obey(struct shared *m, enum order order)
{
	switch (order) {
	case MUTEX_LOCK:
		return pthread_mutex_lock(&m->mutex);
	case MUTEX_TRYLOCK:
		return pthread_mutex_trylock(&m->mutex);
	case MUTEX_UNLOCK:
		return pthread_mutex_unlock(&m->mutex);
	case ROBUST_LOCK:
		return pthread_mutex_lock(&m->robust);
	case ROBUST_TRYLOCK:
		return pthread_mutex_trylock(&m->robust);
	case ROBUST_CONSISTENT:
		return pthread_mutex_consistent(&m->robust);
	case ROBUST_UNLOCK:
		return pthread_mutex_unlock(&m->robust);
	case READ_LOCK:
		return pthread_rwlock_rdlock(&m->rwlock);
	case READ_TRYLOCK:
		return pthread_rwlock_tryrdlock(&m->rwlock);
	case WRITE_LOCK:
		return pthread_rwlock_wrlock(&m->rwlock);
	case WRITE_TRYLOCK:
		return pthread_rwlock_trywrlock(&m->rwlock);
	case RW_UNLOCK:
		return pthread_rwlock_unlock(&m->rwlock);
	case SPIN_LOCK:
		return pthread_spin_lock(&m->spin);
	case SPIN_TRYLOCK:
		return pthread_spin_trylock(&m->spin);
	case SPIN_UNLOCK:
		return pthread_spin_unlock(&m->spin);
	case WAIT:
		return pthread_cond_wait(&m->condition, &m->mutex);
	case SIGNAL:
		return pthread_cond_signal(&m->condition);
	case BROADCAST:
		return pthread_cond_broadcast(&m->condition);
	}
	return -1;
}

/* The second process: reads orders, writes what they returned. */
int process_peer(int memory)
{
	struct shared *m = mmap(NULL, PLACE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0);
	unsigned char order;
	int rc;

	if (m == MAP_FAILED)
		return 2;
	while (read(STDIN_FILENO, &order, 1) == 1) {
		rc = obey(m, order);
		if (write(STDOUT_FILENO, &rc, sizeof(rc)) != sizeof(rc))
			return 2;
	}
	return 0;
}

struct peer {
	const char *name;
	pid_t pid;
	int orders, answers;
	char task[32];
};

static void become_peer(bool anew, int orders, int answers)
{
	char number[16];

	dup2(orders, STDIN_FILENO);
	dup2(answers, STDOUT_FILENO);
	/* The parent's ends are among these: without them the peer sees the end of its orders. */
	for (int i = 3; i < 64; i++)
		if (i != memory_descriptor())
			close(i);
	if (!anew)
		_exit(process_peer(memory_descriptor()));
	unsetenv("LD_PRELOAD");
	snprintf(number, sizeof(number), "%d", memory_descriptor());
	execl("/proc/self/exe", "conformance", "--peer", number, (char *)NULL);
	_exit(127);
}

static struct peer peer_start(bool anew)
{
	struct peer peer = {.name = anew ? "anew" : "fork"};
	int orders[2], answers[2];

	if (pipe(orders) != 0 || pipe(answers) != 0)
		exit(2);
	peer.pid = fork();
	if (peer.pid == 0)
		become_peer(anew, orders[0], answers[1]);
	close(orders[0]);
	close(answers[1]);
	peer.orders = orders[1];
	peer.answers = answers[0];
	snprintf(peer.task, sizeof(peer.task), "/proc/%d", (int)peer.pid);
	return peer;
}

static void peer_order(struct peer *peer, enum order order)
{
	unsigned char byte = order;

	if (write(peer->orders, &byte, 1) != 1)
		exit(2);
}

static int peer_answer(struct peer *peer)
{
	int rc = -1;

	if (read(peer->answers, &rc, sizeof(rc)) != sizeof(rc))
		return -1;
	return rc;
}

static int peer_does(struct peer *peer, enum order order)
{
	peer_order(peer, order);
	return peer_answer(peer);
}

static void peer_end(struct peer *peer, int signal)
{
	int status;

	if (signal)
		kill(peer->pid, signal);
	close(peer->orders);
	waitpid(peer->pid, &status, 0);
	close(peer->answers);
	case_fact("peer", "%s:%d", WIFSIGNALED(status) ? "signal" : "exit",
		WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
}

/* --- this process's side: orders for the subject */

struct step {
	struct shared *m;
	enum order order;
	int rc;
};

static void do_step(void *arg)
{
	struct step *step = arg;

	step->rc = obey(step->m, step->order);
}

static int subject_does(struct shared *m, enum order order)
{
	struct step step = {m, order, -1};

	actor_run(SUBJECT, do_step, &step);
	return step.rc;
}

static struct shared *make(void)
{
	struct shared *m = memory_place(true).subject;
	pthread_condattr_t cond_attributes;
	pthread_rwlockattr_t rw_attributes;
	struct mutex_variant v = {.type = PTHREAD_MUTEX_NORMAL, .shared = true};

	mutex_make(&m->mutex, &v);
	v.robust = true;
	mutex_make(&m->robust, &v);
	pthread_condattr_init(&cond_attributes);
	pthread_condattr_setpshared(&cond_attributes, PTHREAD_PROCESS_SHARED);
	pthread_cond_init(&m->condition, &cond_attributes);
	pthread_rwlockattr_init(&rw_attributes);
	pthread_rwlockattr_setpshared(&rw_attributes, PTHREAD_PROCESS_SHARED);
	pthread_rwlock_init(&m->rwlock, &rw_attributes);
	pthread_spin_init(&m->spin, PTHREAD_PROCESS_SHARED);
	return m;
}

/* Each side holds the lock in turn while the other tries it, then waits for it. */
static const struct {
	const char *name;
	enum order lock, try_lock, unlock;
	bool parallel; /* the other side gets in at once */
} exclusions[] = {
	{"mutex", MUTEX_LOCK, MUTEX_TRYLOCK, MUTEX_UNLOCK, false},
	{"robust", ROBUST_LOCK, ROBUST_TRYLOCK, ROBUST_UNLOCK, false},
	{"writers", WRITE_LOCK, WRITE_TRYLOCK, RW_UNLOCK, false},
	{"readers", READ_LOCK, READ_TRYLOCK, RW_UNLOCK, true},
	{"spin", SPIN_LOCK, SPIN_TRYLOCK, SPIN_UNLOCK, false},
};

static void peer_waits(struct peer *peer)
{
	long switches = task_switches(peer->task);
	clockid_t clock;
	struct timespec start = {0}, now = {0};

	clock_getcpuclockid(peer->pid, &clock);
	clock_gettime(clock, &start);
	do {
		look_again();
		clock_gettime(clock, &now);
	} while (!task_in_futex(peer->task) && task_switches(peer->task) - switches < 4 &&
		 (now.tv_sec - start.tv_sec) * 1000000000L + now.tv_nsec - start.tv_nsec < 300000);
}

static void run_exclusion(bool anew, int i)
{
	struct shared *m = make();
	struct peer peer = peer_start(anew);
	struct step step = {m, exclusions[i].lock, -1};

	case_begin("process/%s/%s", peer.name, exclusions[i].name);
	case_rc("peer-lock", peer_does(&peer, exclusions[i].lock));
	case_rc("trylock", subject_does(m, exclusions[i].try_lock));
	if (exclusions[i].parallel)
		case_rc("unlock", subject_does(m, exclusions[i].unlock));
	actor_begin(SUBJECT, do_step, &step);
	actor_await_waiting(SUBJECT);
	case_rc("peer-unlock", peer_does(&peer, exclusions[i].unlock));
	actor_finish(SUBJECT);
	case_rc("lock", step.rc);
	case_rc("peer-trylock", peer_does(&peer, exclusions[i].try_lock));
	if (exclusions[i].parallel)
		case_rc("peer-unlock", peer_does(&peer, exclusions[i].unlock));
	peer_order(&peer, exclusions[i].lock);
	if (!exclusions[i].parallel)
		peer_waits(&peer);
	case_rc("unlock", subject_does(m, exclusions[i].unlock));
	case_rc("peer-lock", peer_answer(&peer));
	case_rc("peer-unlock", peer_does(&peer, exclusions[i].unlock));
	peer_end(&peer, 0);
	case_end();
}

static void run_condition(bool anew, enum order wake)
{
	struct shared *m = make();
	struct peer peer = peer_start(anew);
	struct step step = {m, WAIT, -1};

	case_begin("process/%s/condition-%s", peer.name, wake == SIGNAL ? "signal" : "broadcast");
	case_rc("lock", subject_does(m, MUTEX_LOCK));
	actor_begin(SUBJECT, do_step, &step);
	actor_await_waiting(SUBJECT);
	case_rc("peer-lock", peer_does(&peer, MUTEX_LOCK));
	case_rc("peer-wake", peer_does(&peer, wake));
	case_rc("peer-unlock", peer_does(&peer, MUTEX_UNLOCK));
	actor_finish(SUBJECT);
	case_rc("rc", step.rc);
	case_rc("peer-trylock", peer_does(&peer, MUTEX_TRYLOCK));
	case_rc("unlock", subject_does(m, MUTEX_UNLOCK));
	case_rc("peer-lock", peer_does(&peer, MUTEX_LOCK));
	peer_order(&peer, WAIT);
	case_rc("lock", subject_does(m, MUTEX_LOCK));
	case_rc("wake", subject_does(m, wake));
	case_rc("unlock", subject_does(m, MUTEX_UNLOCK));
	case_rc("peer-rc", peer_answer(&peer));
	case_rc("trylock", subject_does(m, MUTEX_TRYLOCK));
	case_rc("peer-unlock", peer_does(&peer, MUTEX_UNLOCK));
	peer_end(&peer, 0);
	case_end();
}

/* The peer is killed with the robust mutex in its hands, while the subject waits for it or before.
 */
static void run_killed(bool anew, bool waiting)
{
	struct shared *m = make();
	struct peer peer = peer_start(anew);
	struct step step = {m, ROBUST_LOCK, -1};

	case_begin("process/%s/killed-%s", peer.name, waiting ? "while-waited-for" : "before");
	case_rc("peer-lock", peer_does(&peer, ROBUST_LOCK));
	case_rc("trylock", subject_does(m, ROBUST_TRYLOCK));
	if (waiting) {
		actor_begin(SUBJECT, do_step, &step);
		actor_await_waiting(SUBJECT);
	}
	peer_end(&peer, SIGKILL);
	if (!waiting)
		actor_begin(SUBJECT, do_step, &step);
	actor_finish(SUBJECT);
	case_rc("rc", step.rc);
	if (waiting)
		case_rc("consistent", subject_does(m, ROBUST_CONSISTENT));
	case_rc("unlock", subject_does(m, ROBUST_UNLOCK));
	case_rc("lock", subject_does(m, ROBUST_LOCK));
	case_rc("unlock", subject_does(m, ROBUST_UNLOCK));
	case_end();
}

/* Killed while it only waits: nothing happens to those who hold. */
static void run_waiter_killed(bool anew, int i)
{
	struct shared *m = make();
	struct peer peer = peer_start(anew);

	case_begin("process/%s/waiter-killed/%s", peer.name, exclusions[i].name);
	case_rc("lock", subject_does(m, exclusions[i].lock));
	peer_order(&peer, exclusions[i].lock);
	peer_waits(&peer);
	peer_end(&peer, SIGKILL);
	case_rc("unlock", subject_does(m, exclusions[i].unlock));
	case_rc("lock", subject_does(m, exclusions[i].lock));
	case_rc("unlock", subject_does(m, exclusions[i].unlock));
	case_end();
}

void family_process(void)
{
	for (int anew = 0; anew < 2; anew++) {
		for (size_t i = 0; i < sizeof(exclusions) / sizeof(exclusions[0]); i++) {
			run_exclusion(anew, (int)i);
			/* A native rwlock keeps a dead waiter's turn for ever. */
			if (!exclusions[i].parallel && exclusions[i].lock != WRITE_LOCK)
				run_waiter_killed(anew, (int)i);
		}
		run_condition(anew, SIGNAL);
		run_condition(anew, BROADCAST);
		run_killed(anew, false);
		run_killed(anew, true);
	}
}
