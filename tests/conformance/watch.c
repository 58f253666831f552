/* Watching tasks through /proc: who is asleep in a futex, who only burns time. */
#include "actors.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* A child that has burnt this much CPU or switched this often will not return. */
#define ENDLESS_CPU_NS 40000000LL
#define ENDLESS_SWITCHES 40

static ssize_t read_file(const char *task, const char *name, char *out, size_t size)
{
	char path[96];
	ssize_t length;
	int file;

	snprintf(path, sizeof(path), "%s/%s", task, name);
	file = open(path, O_RDONLY | O_CLOEXEC);
	if (file < 0)
		return -1;
	length = read(file, out, size - 1);
	close(file);
	if (length >= 0)
		out[length] = '\0';
	return length;
}

/* The system call a task is asleep in; -1 when it runs. */
static long sleeping_in(const char *task)
{
	char text[256];

	if (read_file(task, "syscall", text, sizeof(text)) <= 0 || text[0] < '0' || text[0] > '9')
		return -1;
	return strtol(text, NULL, 10);
}

bool task_in_futex(const char *task)
{
	return sleeping_in(task) == SYS_futex;
}

bool task_in_sleep(const char *task)
{
	return sleeping_in(task) == SYS_clock_nanosleep;
}

long task_switches(const char *task)
{
	char text[4096];
	const char *line;

	if (read_file(task, "status", text, sizeof(text)) <= 0)
		return 0;
	line = strstr(text, "\nvoluntary_ctxt_switches:");
	return line ? strtol(strchr(line, ':') + 1, NULL, 10) : 0;
}

void look_again(void)
{
	const struct timespec pause = {.tv_nsec = 50000};

	nanosleep(&pause, NULL);
}

static bool endless(pid_t pid, const char *task, long switches)
{
	clockid_t clock;
	struct timespec used;

	if (task_switches(task) - switches > ENDLESS_SWITCHES)
		return true;
	if (clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &used) != 0)
		return false;
	return used.tv_sec * 1000000000LL + used.tv_nsec > ENDLESS_CPU_NS;
}

static struct child_end child_kill(pid_t pid, enum child_fate fate)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	return (struct child_end){.fate = fate};
}

struct child_end child_run(step_fn step, void *arg)
{
	char task[32];
	long switches;
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		step(arg);
		_exit(0);
	}
	snprintf(task, sizeof(task), "/proc/%d", (int)pid);
	switches = task_switches(task);
	for (;;) {
		if (waitpid(pid, &status, WNOHANG) == pid)
			return WIFEXITED(status)
				       ? (struct child_end){CHILD_EXITED, WEXITSTATUS(status)}
				       : (struct child_end){CHILD_SIGNALLED, WTERMSIG(status)};
		/* Two looks in a row: nobody is there to end a sleep that lasts. */
		if (task_in_futex(task)) {
			look_again();
			if (task_in_futex(task))
				return child_kill(pid, CHILD_BLOCKED);
		}
		if (endless(pid, task, switches))
			return child_kill(pid, CHILD_SPINS);
		look_again();
	}
}

const char *child_end_name(struct child_end end, bool any_wait)
{
	static char text[32];

	switch (end.fate) {
	case CHILD_BLOCKED:
		return any_wait ? "never-returns" : "blocks";
	case CHILD_SPINS:
		return any_wait ? "never-returns" : "spins";
	case CHILD_EXITED:
		snprintf(text, sizeof(text), "exit:%d", end.value);
		return text;
	default:
		snprintf(text, sizeof(text), "signal:%d", end.value);
		return text;
	}
}
