#include "cli/launch.h"
#include "policies/arch.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static const int watched[] = {SIGCHLD, SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2};

/* Blocks what is waited for, so that no signal is lost between two looks. */
static void block_signals(sigset_t *set, sigset_t *before, struct sigaction *child_before)
{
	struct sigaction plain = {.sa_handler = SIG_DFL};

	sigemptyset(set);
	for (size_t i = 0; i < sizeof(watched) / sizeof(watched[0]); i++)
		sigaddset(set, watched[i]);
	sigprocmask(SIG_BLOCK, set, before);
	/* Where the caller ignores SIGCHLD, the kernel would throw the exit status away. */
	sigaction(SIGCHLD, &plain, child_before);
}

static void restore_signals(const sigset_t *before, const struct sigaction *child_before)
{
	sigaction(SIGCHLD, child_before, NULL);
	sigprocmask(SIG_SETMASK, before, NULL);
}

/* Throws away what came in for the program while it ran: it is not ours to die of. */
static void drop_pending(const sigset_t *set)
{
	const struct timespec now = {0};

	while (sigtimedwait(set, NULL, &now) > 0)
		;
}

/* Waits until the child has ended; signals from other processes go on to it. */
static void wait_for(const sigset_t *set, struct launched *result)
{
	siginfo_t info;

	while (wait4(result->pid, &result->status, WNOHANG, &result->usage) == 0) {
		int number = sigwaitinfo(set, &info);

		/* What the kernel sends (a terminal that hangs up) went to the program as well. */
		if (number < 0 || info.si_code > 0)
			continue;
		if (number != SIGCHLD && number != SIGINT && number != SIGQUIT)
			kill(result->pid, number);
	}
}

static bool replace(int fd, int as)
{
	return fd < 0 || fd == as || dup2(fd, as) == as;
}

/* In the child. Returns only when the program could not be executed. */
static void become(const struct launch_plan *plan, int report)
{
	int error;

	if (plan->own_group) {
		setpgid(0, 0);
		prctl(PR_SET_PDEATHSIG, SIGKILL);
	}
	errno = ENOMEM;
	if (replace(plan->in, STDIN_FILENO) && replace(plan->out, STDOUT_FILENO) &&
		replace(plan->out, STDERR_FILENO) &&
		(!plan->prepare || plan->prepare(plan->context)))
		execvp(plan->path, plan->argv);
	error = errno;
	while (write(report, &error, sizeof(error)) < 0 && errno == EINTR)
		;
	_exit(127);
}

/* 0 when the other end was closed by a successful exec, else the errno it sent. */
static int start_error(int fd)
{
	int error = 0;
	ssize_t length;

	do
		length = read(fd, &error, sizeof(error));
	while (length < 0 && errno == EINTR);
	return length == sizeof(error) ? error : 0;
}

int launch_start(const struct launch_plan *plan, const sigset_t *mask,
	const struct sigaction *child_before, pid_t *pid)
{
	int ends[2], error;

	*pid = 0;
	if (pipe2(ends, O_CLOEXEC) != 0)
		return errno;
	*pid = fork();
	if (*pid == 0) {
		restore_signals(mask, child_before);
		become(plan, ends[1]);
	}
	error = *pid < 0 ? errno : 0;
	close(ends[1]);
	if (!error)
		error = start_error(ends[0]);
	close(ends[0]);
	return error;
}

int launch(const char *path, char *const argv[], struct launched *result)
{
	struct launch_plan plan = {.path = path, .argv = argv, .in = -1, .out = -1};
	uint64_t begin = arch_monotonic_ns();
	struct sigaction child_before;
	sigset_t set, before;
	int error;

	*result = (struct launched){0};
	block_signals(&set, &before, &child_before);
	error = launch_start(&plan, &before, &child_before, &result->pid);
	if (result->pid > 0)
		wait_for(&set, result);
	drop_pending(&set);
	restore_signals(&before, &child_before);
	result->wall_ns = arch_monotonic_ns() - begin;
	return error;
}

int launch_exit_status(int status)
{
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}
