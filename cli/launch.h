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

/* Executes `path` with `argv`. Returns 0 once it has ended, or the errno that kept it from
 * starting.
 */
int launch(const char *path, char *const argv[], struct launched *result);

/* The exit status a shell would give: the program's own, or 128 + signal. */
int launch_exit_status(int status);

#endif
