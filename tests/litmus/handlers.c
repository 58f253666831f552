/*
 * One thread and its signal handlers: a handler comes at each single step of an acquisition, once,
 * and takes locks itself, makes the directory anew, or forks. Each step is a process of its own.
 *
 * The steps are those of litmus.h, which this program takes itself, so that none of its threads are
 * needed.
 */
#include "stats/record/entry.h"
#include "tests/recorder_alone.h"

#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define STEPS_MOST 400 /* of an acquisition that are tried */
#define NEAR 12        /* locks 4 bytes apart: most are not at home at first */
#define NEW NEAR
#define LOCKS 340
#define SITE 0x1000
#define TIME_LIMIT 10 /* seconds, of a process */

enum { DONE, NO_SUCH_STEP = 77 };

static struct thread *t;
static uint64_t acquired[LOCKS];
static bool failed, forked;

/* --- the steps */

static void (*handler)(void);
static unsigned step, come_at = UINT32_MAX;
static bool blocked, came;

void shared_step(void);
void shared_step(void)
{
	if (!handler || came || blocked || step++ != come_at)
		return;
	came = true;
	handler();
}

/* As the recorder calls it: signals are blocked, all or none. */
long litmus_syscall(long number, ...);
long litmus_syscall(long number, ...)
{
	va_list list;
	long a[6];

	va_start(list, number);
	for (unsigned i = 0; i < 6; i++)
		a[i] = va_arg(list, long);
	va_end(list);
	if (number != SYS_rt_sigprocmask)
		return syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);
	shared_step();
	if (a[2])
		*(uint64_t *)a[2] = blocked ? UINT64_MAX : 0;
	if (a[1])
		blocked = *(uint64_t *)a[1] == UINT64_MAX;
	return 0;
}

/* --- locks */

static uint64_t key_of(unsigned lock)
{
	uint64_t first = UINT64_C(0x7f3a00001040);

	return lock < NEAR ? first + lock * UINT64_C(4) : first + 8192 + lock * UINT64_C(64);
}

static void acquire(unsigned lock)
{
	struct lock_id id = {key_of(lock), RLK_KIND_MUTEX, 0};
	struct rlk_entry *e;

	/* In the child of a handler's fork the thread has nothing any more. */
	e = t->directory ? entry_find(t, id.address, &id, SITE) : NULL;
	if (!e || forked)
		return;
	entry_count(t, e, id.address, SITE, 0);
	acquired[lock]++;
}

static void fail(const char *what, unsigned number)
{
	failed = true;
	fprintf(stderr, "%s %u\n", what, number);
}

static void check_counts(void)
{
	struct row_walk walk = rows_walk(t);
	const struct rlk_entry *e;
	static uint64_t counted[LOCKS];

	while ((e = rows_next(t, &walk))) {
		unsigned lock = 0;

		while (lock < LOCKS && key_of(lock) != RLK_ENTRY_ADDRESS(e->lock))
			lock++;
		if (lock < LOCKS)
			counted[lock] += e->acquired;
		else if (e->acquired)
			fail("a count of no lock's, row", entry_number(t, e));
	}
	for (unsigned lock = 0; lock < LOCKS; lock++) {
		if (counted[lock] != acquired[lock])
			fail("not all acquisitions are counted of lock", lock);
	}
	if (arena_header->version != RLK_VERSION || arena_header->word_bits != 64)
		fail("somebody counted in the header, version", arena_header->version);
}

/* --- what the thread does, and its handlers */

static void take_known(void)
{
	acquire(NEAR - 1);
}

static void take_new(void)
{
	acquire(NEW);
}

/* The last of those that are not at home makes the directory be looked at. */
static void take_due(void)
{
	t->displaced = t->displaced_most - 1;
	acquire(NEAR - 1);
}

static void rehash(void)
{
	t->displaced = t->displaced_most;
	for (unsigned lock = 0; lock < NEAR; lock++)
		acquire(lock);
}

static void grow(void)
{
	for (unsigned lock = NEW; lock < LOCKS; lock++)
		acquire(lock);
}

/* The lock ends, and another has its address. */
static void live_again(void)
{
	struct lock_id id = {key_of(NEW), RLK_KIND_MUTEX, 0};

	acquire(NEW);
	grow();
	acquire(NEW);
	lock_died(&id);
	lock_born(&id, SITE + 16);
	acquire(NEW);
	rehash();
}

/* The parent ends as its child does. */
static void fork_here(void)
{
	pid_t child = fork();
	int status;

	forked = child == 0;
	if (forked)
		return;
	waitpid(child, &status, 0);
	_exit(WIFEXITED(status) ? WEXITSTATUS(status) : 1);
}

struct named {
	const char *name;
	void (*call)(void);
};

static const struct named works[] = {{"a known lock", take_known}, {"a new lock", take_new},
	{"a look at the directory", take_due}};
static const struct named handlers[] = {
	{"hash anew", rehash}, {"grow", grow}, {"end a lock", live_again}, {"fork", fork_here}};

/* --- one process a step */

static int run(const struct named *work, const struct named *with, unsigned at)
{
	struct recorder_config config = alone_config(64u << 20, 10000);

	alarm(TIME_LIMIT);
	if (!recorder_open(&config))
		return 1;
	t = thread_ready();
	for (unsigned lock = 0; lock < NEAR; lock++)
		acquire(lock);
	come_at = at;
	handler = with->call;
	work->call();
	handler = NULL;
	if (!came)
		return NO_SUCH_STEP;
	if (!forked)
		check_counts();
	return failed;
}

/* Whether all went well. */
static bool at_each_step(const struct named *work, const struct named *with)
{
	unsigned at, bad = 0;
	int status = 0;

	for (at = 0; at < STEPS_MOST && !(WIFEXITED(status) && WEXITSTATUS(status) == NO_SUCH_STEP);
		at++) {
		pid_t child = fork();

		if (child == 0)
			_exit(run(work, with, at));
		waitpid(child, &status, 0);
		if (WIFEXITED(status) &&
			(WEXITSTATUS(status) == DONE || WEXITSTATUS(status) == NO_SUCH_STEP))
			continue;
		bad++;
		fprintf(stderr, "%s, handler to %s at step %u: status %x\n", work->name, with->name,
			at, (unsigned)status);
	}
	printf("%s, handler to %s: %u steps, %u failed\n", work->name, with->name, at - 1, bad);
	fflush(stdout);
	return bad == 0 && at > 2;
}

int main(void)
{
	bool good = true;

	for (size_t i = 0; i < sizeof(works) / sizeof(*works); i++) {
		for (size_t j = 0; j < sizeof(handlers) / sizeof(*handlers); j++)
			good &= at_each_step(&works[i], &handlers[j]);
	}
	return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
