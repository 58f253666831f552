/*
 * Programs that are measured: started in a process group of their own, their output read, ended
 * when their time is up.
 *
 * Use:
 *	struct watch watch;
 *	watch_begin(&watch);
 *	process_start(&watch, &plan, &capture, &process);
 *	event = process_wait(&watch, list, count, deadline_ns);
 *	process_stop(&watch, &process, …);
 *	watch_end(&watch);
 *
 * Contract: between watch_begin() and watch_end() this process gets SIGCHLD, SIGINT, SIGTERM and
 * SIGHUP through here only; the programs get the signal mask from before. A process is over only
 * after process_stop(), which also ends whatever it left behind in its group. No process is
 *signalled but those started here. One thread.
 */
#ifndef RELOCK_CLI_PROCESS_H
#define RELOCK_CLI_PROCESS_H

#include "cli/launch.h"

#include <stddef.h>

/* The last part of what programs wrote. Zeroed: empty. */
struct capture {
	char *text; /* ended by a NUL; NULL: nothing was written */
	size_t used, size;
	bool show; /* copy to this process's stderr */
};

#define CAPTURE_MAX (1024 * 1024)

void capture_clear(struct capture *capture);
void capture_free(struct capture *capture);
/* Takes what can be read at once. False: nothing, or the end; errno 0 at the end. */
bool capture_read(struct capture *capture, int fd);

struct watch {
	int signals;
	bool interrupted;
	int signal; /* by which */
	sigset_t before;
	struct sigaction child_before;
};

struct process {
	pid_t pid;
	int output; /* what it writes; -1: closed */
	struct capture *capture;
	uint64_t started_ns, ended_ns; /* ended_ns 0: it runs */
	int status;                    /* as from waitpid, after process_stop() */
	struct rusage usage;           /* likewise, with its children */
	bool killed;                   /* by process_stop(), after it had not ended in time */
};

enum process_event { PROCESS_ENDED, PROCESS_LATE, PROCESS_INTERRUPTED };

/* False: a message was printed. */
bool watch_begin(struct watch *watch);
void watch_end(struct watch *watch);

/* Fills in the plan's output and group. Returns 0, or the errno that kept it from starting; then
 * there is nothing to stop. */
int process_start(struct watch *watch, struct launch_plan *plan, struct capture *capture,
	struct process *process);

/* Reads what the processes write until one of them has ended, the deadline (CLOCK_MONOTONIC) has
 * passed or this process was interrupted. */
enum process_event process_wait(
	struct watch *watch, struct process *const *list, size_t count, uint64_t deadline_ns);

/* Ends a process that still runs, by `number` and after `grace_ns` by SIGKILL, and whatever is left
 * of its group, and takes its status. */
void process_stop(struct watch *watch, struct process *process, int number, uint64_t grace_ns);

#endif
