/*
 * Starts a program and waits for it, as if the program had been started directly: same terminal,
 * process group, streams, signal dispositions and mask.
 *
 * Contract: while waiting, INT and QUIT are the program's own affair (the terminal sends them to it
 * as well); TERM, HUP, USR1 and USR2 sent to this process by another are passed on. The caller's
 * signal state is as before on return.
 */
#ifndef RELOCK_CLI_LAUNCH_H
#define RELOCK_CLI_LAUNCH_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

struct launched {
	pid_t pid;
	int status; /* as from waitpid */
	struct rusage usage;
	uint64_t wall_ns;
};

/* How a program is started. */
struct launch_plan {
	const char *path;
	char *const *argv;
	int in, out;    /* become its stdin, and its stdout and stderr; -1: those of this process */
	bool own_group; /* a process group of its own, and no longer a life than this process */
	bool (*prepare)(void *context); /* in the child, before the program; may be NULL. False: it
					   is not executed */
	void *context;
};

/*
 * Starts a program with this signal mask and way of handling SIGCHLD. Returns 0, or the errno that
 * kept it from starting. *pid is to be waited for whenever it is positive.
 */
int launch_start(const struct launch_plan *plan, const sigset_t *mask,
	const struct sigaction *child_before, pid_t *pid);

/* Executes `path` with `argv`. Returns 0 once it has ended, or the errno that kept it from
 * starting.
 */
int launch(const char *path, char *const argv[], struct launched *result);

/* The exit status a shell would give: the program's own, or 128 + signal. */
int launch_exit_status(int status);

#endif
