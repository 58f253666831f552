/* The helper process itself. */
#include "stats/report/helper.h"

#include "stats/report/memory.h"
#include "stats/report/symbolizer.h"
#include "stats/report/wire.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

/* Bytes of address space there are already. */
static uint64_t address_space(void)
{
	unsigned long pages = 0;
	FILE *file = fopen("/proc/self/statm", "re");

	if (file) {
		if (fscanf(file, "%lu", &pages) != 1)
			pages = 0;
		fclose(file);
	}
	return (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

static void limit(int resource, uint64_t value)
{
	struct rlimit limit;

	if (getrlimit(resource, &limit) != 0)
		return;
	if (limit.rlim_max == RLIM_INFINITY || limit.rlim_max > value)
		limit = (struct rlimit){value, value};
	else
		limit.rlim_cur = limit.rlim_max;
	setrlimit(resource, &limit);
}

/* The first limit can be told by its signal. */
static void limit_cpu(unsigned seconds)
{
	struct rlimit limit = {seconds, seconds + 1};

	setrlimit(RLIMIT_CPU, &limit);
}

/* Where memory runs out all the same, this process is the one to end. */
static void volunteer(void)
{
	int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
	ssize_t written;

	if (fd < 0)
		return;
	written = write(fd, "1000", 4);
	(void)written; /* there is the limit on memory, too */
	close(fd);
}

/* Messages of the C library about a broken heap are no part of a report. */
static void be_quiet(void)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (null < 0)
		return;
	dup2(null, STDIN_FILENO);
	dup2(null, STDOUT_FILENO);
	dup2(null, STDERR_FILENO);
	close(null);
}

static void confine(unsigned cpu_s)
{
	static const int ending[] = {
		SIGALRM, SIGPROF, SIGXCPU, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGPIPE};
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < sizeof ending / sizeof ending[0]; i++) {
		signal(ending[i], SIG_DFL);
		sigaddset(&set, ending[i]);
	}
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	memory_end_quietly();
	be_quiet();
	limit(RLIMIT_CORE, 0);
	limit_cpu(cpu_s);
	limit(RLIMIT_AS, address_space() + helper_limits.memory);
	volunteer();
}

static void question_begins(void)
{
	const struct itimerval cpu = {.it_value.tv_sec = helper_limits.question_cpu_s};

	setitimer(ITIMER_PROF, &cpu, NULL);
	alarm(helper_limits.question_s);
}

static void put_frames(struct wire *answer, const struct frames *frames)
{
	size_t count = frames->count < HELPER_FRAMES_MAX ? frames->count : HELPER_FRAMES_MAX;

	wire_put_number(answer, (uint32_t)count);
	for (size_t i = 0; i < count; i++) {
		const struct frame *frame = &frames->frame[i];

		wire_put_text(answer, frame->function, WIRE_TEXT_MAX);
		wire_put_text(answer, frame->brief, WIRE_NAME_MAX);
		wire_put_text(answer, frame->file, WIRE_TEXT_MAX);
		wire_put_number(answer, (uint32_t)frame->line);
		wire_put_number(answer, frame->inlined);
	}
}

static void answer_frames(
	struct symbolizer *s, uint32_t module, uint64_t offset, struct wire *answer)
{
	struct frames frames = {0};

	wire_put_number(answer, symbolizer_frames(s, module, offset, &frames));
	put_frames(answer, &frames);
	frames_free(&frames);
}

static void answer_variable(
	struct symbolizer *s, uint32_t module, uint64_t offset, struct wire *answer)
{
	struct variable_name name;

	wire_put_number(answer, symbolizer_variable(s, module, offset, &name));
	wire_put_text(answer, name.whole, WIRE_NAME_MAX);
	wire_put_text(answer, name.family, WIRE_NAME_MAX);
	free(name.whole);
	free(name.family);
}

void helper_serve(int fd, const struct model *model, unsigned cpu_s)
{
	struct wire question = {0}, answer = {0};
	struct symbolizer *s;

	/* be_quiet() would close it where it took the place of a stream that was closed. */
	if (fd <= STDERR_FILENO)
		fd = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	confine(cpu_s);
	s = symbolizer_new(model);
	while (wire_receive(fd, &question)) {
		uint32_t what = wire_get_number(&question), module = wire_get_number(&question);
		uint64_t low = wire_get_number(&question);
		uint64_t offset = (uint64_t)wire_get_number(&question) << 32 | low;

		question_begins();
		answer.used = 0;
		(what == HELPER_FRAMES ? answer_frames : answer_variable)(
			s, module, offset, &answer);
		if (!wire_send(fd, &answer))
			break;
	}
	_exit(EXIT_SUCCESS);
}
