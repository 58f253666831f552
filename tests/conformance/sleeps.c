/* Sleeping and yielding: what calls return, what interrupts them, where they are cancelled. */
#include "actors.h"
#include "families.h"
#include "transcript.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#define ERRNO_MARK 4242

enum how { NANOSLEEP, CLOCK_RELATIVE, CLOCK_ABSOLUTE, USLEEP, THRD_SLEEP, HOWS };

static const char *const how_names[HOWS] = {
	"nanosleep", "clock_nanosleep", "clock_nanosleep-absolute", "usleep", "thrd_sleep"};

struct sleep {
	enum how how;
	clockid_t clock;
	const struct timespec *length; /* NULL is passed on */
	struct timespec left;
	int rc, error;
	bool early, returned;
};

static long long elapsed_ns(const struct timespec *from)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (now.tv_sec - from->tv_sec) * 1000000000LL + now.tv_nsec - from->tv_nsec;
}

static int call(struct sleep *s)
{
	struct timespec at;

	switch (s->how) {
	case NANOSLEEP:
		return nanosleep(s->length, &s->left);
	case CLOCK_RELATIVE:
		return clock_nanosleep(s->clock, 0, s->length, &s->left);
	case CLOCK_ABSOLUTE:
		clock_gettime(s->clock, &at);
		at.tv_sec += s->length->tv_sec;
		at.tv_nsec += s->length->tv_nsec;
		if (at.tv_nsec >= 1000000000 && s->length->tv_nsec < 1000000000) {
			at.tv_sec++;
			at.tv_nsec -= 1000000000;
		}
		return clock_nanosleep(s->clock, TIMER_ABSTIME, &at, &s->left);
	case USLEEP:
		return usleep(
			(useconds_t)(s->length->tv_sec * 1000000 + s->length->tv_nsec / 1000));
	default:
		return thrd_sleep(s->length, &s->left);
	}
}

static void sleep_step(void *arg)
{
	struct sleep *s = arg;
	struct timespec start;

	clock_gettime(CLOCK_MONOTONIC, &start);
	s->left = (struct timespec){7, 7};
	errno = ERRNO_MARK;
	s->rc = call(s);
	s->error = errno;
	s->returned = true;
	if (s->rc == 0 && s->length)
		s->early =
			elapsed_ns(&start) < s->length->tv_sec * 1000000000LL + s->length->tv_nsec;
}

static void tell(const struct sleep *s)
{
	case_fact("rc", "%d", s->rc);
	case_fact("errno", "%s", s->error == ERRNO_MARK ? "kept" : errno_name(s->error));
	case_fact("left", s->left.tv_sec == 7 && s->left.tv_nsec == 7 ? "untouched" : "written");
	if (s->early)
		case_fact("early", "yes");
}

static const struct {
	const char *name;
	struct timespec length;
} lengths[] = {
	{"nothing", {0, 0}},
	{"short", {0, 200000}},
	{"longer", {0, 3000000}},
	{"nsec-low", {0, -1}},
	{"nsec-high", {0, 1000000000}},
	{"sec-negative", {-1, 0}},
};

static void run_lengths(enum how how, clockid_t clock, const char *clock_name)
{
	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		struct sleep s = {.how = how, .clock = clock, .length = &lengths[i].length};

		/* Without a sign, or with the past for a deadline, the odd ones mean something
		 * else. */
		if (i > 2 && (how == USLEEP || how == CLOCK_ABSOLUTE))
			continue;
		case_begin("sleep/%s/%s/%s", how_names[how], clock_name, lengths[i].name);
		actor_run(SUBJECT, sleep_step, &s);
		tell(&s);
		case_end();
	}
}

static void run_errors(void)
{
	static const struct timespec length = {0, 1000};
	static const clockid_t clocks[] = {CLOCK_THREAD_CPUTIME_ID, CLOCK_MONOTONIC_RAW, 999, -1};

	for (size_t i = 0; i < sizeof(clocks) / sizeof(clocks[0]); i++) {
		struct sleep s = {.how = CLOCK_RELATIVE, .clock = clocks[i], .length = &length};

		case_begin("sleep/clock/%zu", i);
		actor_run(SUBJECT, sleep_step, &s);
		tell(&s);
		case_end();
	}
	for (enum how how = NANOSLEEP; how <= CLOCK_RELATIVE; how++) {
		struct sleep s = {.how = how};

		case_begin("sleep/%s/null", how_names[how]);
		actor_run(SUBJECT, sleep_step, &s);
		tell(&s);
		case_end();
	}
}

static void on_signal(int number)
{
	(void)number;
}

static const struct timespec an_hour = {3600, 0};

static void await_asleep(void)
{
	char task[64];

	snprintf(task, sizeof(task), "/proc/self/task/%d", (int)actor_tid(SUBJECT));
	while (!task_in_sleep(task))
		look_again();
}

static void run_interrupted(enum how how)
{
	struct sleep s = {.how = how, .clock = CLOCK_MONOTONIC, .length = &an_hour};
	struct sigaction action = {.sa_handler = on_signal};

	sigaction(SIGUSR2, &action, NULL);
	case_begin("sleep/%s/interrupted", how_names[how]);
	actor_begin(SUBJECT, sleep_step, &s);
	await_asleep();
	pthread_kill(actor_thread(SUBJECT), SIGUSR2);
	actor_finish(SUBJECT);
	tell(&s);
	case_fact("hours-left", s.left.tv_sec > 3000 && s.left.tv_sec <= 3600 ? "most" : "other");
	case_end();
}

static void run_cancelled(enum how how)
{
	struct sleep s = {.how = how, .clock = CLOCK_MONOTONIC, .length = &an_hour};

	case_begin("sleep/%s/cancelled", how_names[how]);
	actor_begin(SUBJECT, sleep_step, &s);
	await_asleep();
	case_fact("cancelled", actor_cancel(SUBJECT) ? "yes" : "no");
	case_fact("returned", s.returned ? "yes" : "no");
	case_end();
}

struct yields {
	int rc, error;
	atomic_bool returned;
};

/* Asked to end before it yields, it ends afterwards. */
static void yield_step(void *arg)
{
	struct yields *y = arg;

	pthread_cancel(pthread_self());
	errno = ERRNO_MARK;
	y->rc = sched_yield();
	thrd_yield();
	y->error = errno;
	atomic_store_explicit(&y->returned, true, memory_order_release);
	pthread_testcancel();
}

static void run_yield(void)
{
	struct yields y = {.rc = -1};
	bool cancelled;

	case_begin("sleep/yield");
	actor_begin(SUBJECT, yield_step, &y);
	while (!atomic_load_explicit(&y.returned, memory_order_acquire))
		look_again();
	cancelled = actor_cancel(SUBJECT);
	case_fact("cancelled", cancelled ? "yes" : "no");
	case_fact(
		"returned", atomic_load_explicit(&y.returned, memory_order_acquire) ? "yes" : "no");
	case_fact("rc", "%d", y.rc);
	case_fact("errno", "%s", y.error == ERRNO_MARK ? "kept" : errno_name(y.error));
	case_end();
}

void family_sleeps(void)
{
	run_lengths(NANOSLEEP, CLOCK_REALTIME, "realtime");
	run_lengths(CLOCK_RELATIVE, CLOCK_REALTIME, "realtime");
	run_lengths(CLOCK_RELATIVE, CLOCK_MONOTONIC, "monotonic");
	run_lengths(CLOCK_ABSOLUTE, CLOCK_REALTIME, "realtime");
	run_lengths(CLOCK_ABSOLUTE, CLOCK_MONOTONIC, "monotonic");
	run_lengths(USLEEP, CLOCK_REALTIME, "realtime");
	run_lengths(THRD_SLEEP, CLOCK_REALTIME, "realtime");
	run_errors();
	for (enum how how = NANOSLEEP; how < HOWS; how++) {
		run_interrupted(how);
		run_cancelled(how);
	}
	run_yield();
}
