#include "preload/hooks.h"

#include "stats/record/quiet.h"

/*
 * A thread's start goes through a function of ours, for one thing: its frame is where the thread's
 * stack ends, as far as unwinding is concerned. What it has to run waits in one of these; they are
 * private memory, taken and given back under the recorder's own lock.
 */
struct start {
	union {
		void *(*posix)(void *);
		thrd_start_t c11;
	};
	void *argument;
	size_t stack_size;
	struct start *next;
};

static struct start *free_starts;

static struct start *start_take(void)
{
	struct quiet quiet;
	struct start *s;

	quiet_begin(&quiet);
	if (!free_starts) {
		struct start *page = private_memory(RLK_PAGE);

		for (size_t i = 0; page && i < RLK_PAGE / sizeof(*page); i++) {
			page[i].next = free_starts;
			free_starts = &page[i];
		}
	}
	s = free_starts;
	if (s)
		free_starts = s->next;
	quiet_end(&quiet);
	return s;
}

static void start_give(struct start *s)
{
	struct quiet quiet;

	quiet_begin(&quiet);
	s->next = free_starts;
	free_starts = s;
	quiet_end(&quiet);
}

static struct start thread_begin(struct start *from, uint64_t top)
{
	struct start s = *from;
	struct thread *t;

	start_give(from);
	t = hook_thread();
	if (t)
		thread_stack(t, top - s.stack_size, top);
	return s;
}

static void *posix_start(void *data)
{
	struct start s = thread_begin(data, FRAME_ADDRESS);

	return s.posix(s.argument);
}

static int c11_start(void *data)
{
	struct start s = thread_begin(data, FRAME_ADDRESS);

	return s.c11(s.argument);
}

/* As the C library took it from the limit there was at the start. */
static size_t default_stack_size(void)
{
	pthread_attr_t attributes;
	size_t size = 0;

	if (pthread_attr_init(&attributes) == 0) {
		pthread_attr_getstacksize(&attributes, &size);
		pthread_attr_destroy(&attributes);
	}
	return size;
}

/* What has to be done while there is still one thread. */
static bool before_thread(void)
{
	if (!process_ready() || !hook_thread())
		return false;
	recorder_load_unwinder();
	recorder_create();
	return true;
}

HOOK int pthread_create(pthread_t *restrict thread, const pthread_attr_t *restrict attributes,
	void *(*run)(void *), void *restrict argument)
{
	struct start *s = before_thread() ? start_take() : NULL;
	int result;

	if (!s)
		return real.thread_create(thread, attributes, run, argument);
	s->posix = run;
	s->argument = argument;
	if (!attributes || pthread_attr_getstacksize(attributes, &s->stack_size))
		s->stack_size = default_stack_size();
	result = real.thread_create(thread, attributes, posix_start, s);
	if (result)
		start_give(s);
	return result;
}

HOOK int thrd_create(thrd_t *thread, thrd_start_t run, void *argument)
{
	struct start *s = before_thread() ? start_take() : NULL;
	int result;

	if (!s)
		return real.thrd_create(thread, run, argument);
	s->c11 = run;
	s->argument = argument;
	s->stack_size = default_stack_size();
	result = real.thrd_create(thread, c11_start, s);
	if (result != thrd_success)
		start_give(s);
	return result;
}
