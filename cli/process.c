#include "cli/process.h"
#include "cli/cli.h"
#include "policies/arch.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#define WAITED_MAX 4

/* --- signals */

bool watch_begin(struct watch *watch)
{
	static const int numbers[] = {SIGCHLD, SIGINT, SIGTERM, SIGHUP};
	struct sigaction plain = {.sa_handler = SIG_DFL};
	sigset_t set;

	*watch = (struct watch){0};
	sigemptyset(&set);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		sigaddset(&set, numbers[i]);
	watch->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (watch->signals < 0) {
		cli_say("signals cannot be waited for: %s", strerror(errno));
		return false;
	}
	sigprocmask(SIG_BLOCK, &set, &watch->before);
	/* Where the caller ignores SIGCHLD, the kernel would throw exit statuses away. */
	sigaction(SIGCHLD, &plain, &watch->child_before);
	return true;
}

void watch_end(struct watch *watch)
{
	sigaction(SIGCHLD, &watch->child_before, NULL);
	sigprocmask(SIG_SETMASK, &watch->before, NULL);
	close(watch->signals);
}

static void read_signals(struct watch *watch)
{
	struct signalfd_siginfo info;

	while (read(watch->signals, &info, sizeof(info)) == sizeof(info))
		if (info.ssi_signo != SIGCHLD) {
			watch->interrupted = true;
			watch->signal = (int)info.ssi_signo;
		}
}

/* --- processes */

int process_start(struct watch *watch, struct launch_plan *plan, struct capture *capture,
	struct process *process)
{
	int ends[2], error;

	*process = (struct process){.output = -1, .capture = capture};
	if (pipe2(ends, O_CLOEXEC) != 0)
		return errno;
	plan->out = ends[1];
	plan->own_group = true;
	process->started_ns = arch_monotonic_ns();
	error = launch_start(plan, &watch->before, &watch->child_before, &process->pid);
	close(ends[1]);
	if (process->pid > 0 && error)
		waitpid(process->pid, NULL, 0);
	if (error) {
		close(ends[0]);
		process->pid = 0;
		return error;
	}
	fcntl(ends[0], F_SETFL, O_NONBLOCK);
	process->output = ends[0];
	return 0;
}

static void close_output(struct process *process)
{
	if (process->output >= 0)
		close(process->output);
	process->output = -1;
}

/* Notes the end, and leaves the zombie: as long as it is there, its group's number is its own. */
static bool has_ended(struct process *process)
{
	siginfo_t info = {0};

	if (process->ended_ns)
		return true;
	if (waitid(P_PID, (id_t)process->pid, &info, WEXITED | WNOHANG | WNOWAIT) != 0 ||
		info.si_pid == 0)
		return false;
	process->ended_ns = arch_monotonic_ns();
	return true;
}

static void read_output(struct process *process)
{
	errno = 0;
	if (!capture_read(process->capture, process->output) && errno != EAGAIN && errno != EINTR)
		close_output(process);
}

static int milliseconds_until(uint64_t deadline_ns)
{
	uint64_t now = arch_monotonic_ns();

	if (deadline_ns == UINT64_MAX)
		return -1;
	if (deadline_ns <= now)
		return 0;
	return deadline_ns - now > 1000000000 ? 1000
					      : (int)((deadline_ns - now + 999999) / 1000000);
}

/* Waits for something to happen, and takes it in. */
static void look(
	struct watch *watch, struct process *const *list, size_t count, uint64_t deadline_ns)
{
	struct pollfd fds[1 + WAITED_MAX] = {{.fd = watch->signals, .events = POLLIN}};

	for (size_t i = 0; i < count; i++)
		fds[1 + i] = (struct pollfd){.fd = list[i]->output, .events = POLLIN};
	if (poll(fds, (nfds_t)(1 + count), milliseconds_until(deadline_ns)) < 0)
		return;
	if (fds[0].revents)
		read_signals(watch);
	for (size_t i = 0; i < count; i++)
		if (list[i]->output >= 0 && fds[1 + i].revents)
			read_output(list[i]);
}

enum process_event process_wait(
	struct watch *watch, struct process *const *list, size_t count, uint64_t deadline_ns)
{
	for (;;) {
		for (size_t i = 0; i < count; i++)
			if (has_ended(list[i]))
				return PROCESS_ENDED;
		if (watch->interrupted)
			return PROCESS_INTERRUPTED;
		if (arch_monotonic_ns() >= deadline_ns)
			return PROCESS_LATE;
		look(watch, list, count, deadline_ns);
	}
}

/* Waits for the end without giving up for an interruption that was noted before. */
static void let_end(struct watch *watch, struct process *process, uint64_t grace_ns)
{
	uint64_t deadline = arch_monotonic_ns() + grace_ns;
	bool before = watch->interrupted;

	watch->interrupted = false;
	process_wait(watch, &process, 1, deadline);
	watch->interrupted = watch->interrupted || before;
}

void process_stop(struct watch *watch, struct process *process, int number, uint64_t grace_ns)
{
	if (!has_ended(process)) {
		kill(process->pid, number);
		let_end(watch, process, grace_ns);
	}
	process->killed = !has_ended(process);
	/* The leader is still there, running or as a zombie: the group is ours. */
	kill(-process->pid, SIGKILL);
	while (wait4(process->pid, &process->status, 0, &process->usage) < 0 && errno == EINTR)
		;
	if (!process->ended_ns)
		process->ended_ns = arch_monotonic_ns();
	while (process->output >= 0) {
		size_t before = process->capture->used;

		read_output(process);
		if (process->capture->used == before)
			break;
	}
	close_output(process);
}
