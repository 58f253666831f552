#include "cli/measure.h"
#include "cli/environment.h"
#include "policies/arch.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define MS 1000000ull
#define STOP_GRACE_NS (10000 * MS)  /* for a server after SIGTERM */
#define ABORT_GRACE_NS (1000 * MS)  /* for anything after an interruption */
#define READY_LIMIT_NS (60000 * MS) /* until a server is ready, unless --timeout says otherwise */
#define READY_PAUSE_NS (20 * MS)    /* between two questions whether it is */
#define SAID_MAX 80

struct job {
	struct measure *m;
	const struct candidate *candidate;
	struct experiment_run *run;
	struct measured measured;
};

/* --- what went wrong */

static void fail(struct job *job, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void fail(struct job *job, const char *format, ...)
{
	va_list list;

	job->run->outcome = RUN_FAILED;
	va_start(list, format);
	vsnprintf(job->run->failure, sizeof(job->run->failure), format, list);
	va_end(list);
}

/* The last line a program wrote, often the reason. */
static void add_last_words(struct job *job, const struct capture *capture)
{
	size_t used = strlen(job->run->failure), end = capture->used, start;

	while (end > 0 && strchr(" \t\r\n", capture->text[end - 1]))
		end--;
	for (start = end; start > 0 && capture->text[start - 1] != '\n';)
		start--;
	if (end > start)
		snprintf(job->run->failure + used, sizeof(job->run->failure) - used,
			", it said: %.*s", (int)(end - start > SAID_MAX ? SAID_MAX : end - start),
			capture->text + start);
}

static void interrupt(struct job *job)
{
	job->run->outcome = RUN_INTERRUPTED;
}

/* Whether a process ended as it should; `who` begins the sentence that says it did not. */
static bool ended_well(struct job *job, const char *who, const struct process *process)
{
	int status = process->status;

	if (WIFSIGNALED(status))
		fail(job, "%ssignal %d (%s)", who, WTERMSIG(status), strsignal(WTERMSIG(status)));
	else if (WEXITSTATUS(status) != 0 && !job->m->any_status)
		fail(job, "%sexit status %d", who, WEXITSTATUS(status));
	else
		return true;
	add_last_words(job, process->capture);
	return false;
}

static void fail_late(struct job *job, const char *what, uint64_t limit_ns)
{
	char limit[32];

	conf_format_duration(limit_ns, limit, sizeof(limit));
	fail(job, "%s within %s", what, limit);
}

/* --- starting */

/* In the child. */
static bool set_environment(void *context)
{
	const struct job *job = context;
	const struct program *program = job->m->program;
	char output[PATH_MAX + 32];
	struct environment wanted = {.conf = job->candidate->conf,
		.output = output,
		.run_id = job->m->run_id,
		.first = program->sanitizer_file};

	if (job->candidate->none)
		return true;
	snprintf(output, sizeof(output), "%s/%%e-%%p.rlk", job->m->directory);
	if (program->reach != PROGRAM_OTHER_LIBC)
		wanted.library = job->m->library;
	return environment_apply(&wanted);
}

static int open_input(const struct measure *m)
{
	return open(m->input ? m->input : "/dev/null", O_RDONLY | O_CLOEXEC);
}

static bool start(struct job *job, struct launch_plan *plan, struct capture *capture,
	const char *who, struct process *process)
{
	int error;

	plan->in = open_input(job->m);
	error = plan->in < 0 ? errno : process_start(&job->m->watch, plan, capture, process);
	if (plan->in >= 0)
		close(plan->in);
	if (error)
		fail(job, "%scould not be started: %s", who, strerror(error));
	return error == 0;
}

static bool start_program(struct job *job, const char *who, struct process *process)
{
	struct launch_plan plan = {.path = job->m->program->path,
		.argv = job->m->argv,
		.prepare = set_environment,
		.context = job};

	return start(job, &plan, &job->m->output, who, process);
}

static bool start_shell(
	struct job *job, const char *command, struct capture *capture, struct process *process)
{
	char *const argv[] = {(char *)"sh", (char *)"-c", (char *)command, NULL};
	struct launch_plan plan = {.path = "/bin/sh", .argv = argv};

	return start(job, &plan, capture, "the client ", process);
}

static uint64_t deadline_after(uint64_t limit_ns)
{
	return limit_ns ? arch_monotonic_ns() + limit_ns : UINT64_MAX;
}

/* --- a program alone */

static void run_alone(struct job *job)
{
	struct measure *m = job->m;
	struct process program, *list = &program;
	enum process_event event;

	if (!start_program(job, "", &program))
		return;
	event = process_wait(&m->watch, &list, 1, deadline_after(m->timeout_ns));
	process_stop(&m->watch, &program, SIGTERM, event == PROCESS_ENDED ? 0 : ABORT_GRACE_NS);
	job->measured.wall_ns = program.ended_ns - program.started_ns;
	job->measured.usage = program.usage;
	if (event == PROCESS_INTERRUPTED)
		interrupt(job);
	else if (event == PROCESS_LATE)
		fail_late(job, "did not end", m->timeout_ns);
	else
		ended_well(job, "", &program);
}

/* --- a server and its client */

struct errand {
	const char *command;
	struct capture *capture;
	uint64_t deadline_ns, limit_ns;
	const char *late; /* what is said when the deadline passes */
	const char *left; /* and when the server ends first */
	struct process process;
};

/* Runs a shell command beside the server until it ends. False: the run is over; why is noted. */
static bool run_beside(struct job *job, struct process *server, struct errand *errand)
{
	struct process *client = &errand->process, *both[2] = {client, server};
	struct watch *watch = &job->m->watch;
	enum process_event event;

	capture_clear(errand->capture);
	if (!start_shell(job, errand->command, errand->capture, client))
		return false;
	event = process_wait(watch, both, 2, errand->deadline_ns);
	/* When both are over, the client's end is what counts. */
	if (event == PROCESS_ENDED && !client->ended_ns)
		fail(job, "%s", errand->left);
	process_stop(watch, client, SIGTERM, event == PROCESS_ENDED ? 0 : ABORT_GRACE_NS);
	if (event == PROCESS_INTERRUPTED)
		interrupt(job);
	else if (event == PROCESS_LATE)
		fail_late(job, errand->late, errand->limit_ns);
	return job->run->outcome == RUN_DONE;
}

/* Waits a little, for the server not to be asked without pause. */
static bool pause_beside(struct job *job, struct process *server, const char *left)
{
	enum process_event event =
		process_wait(&job->m->watch, &server, 1, arch_monotonic_ns() + READY_PAUSE_NS);

	if (event == PROCESS_INTERRUPTED)
		interrupt(job);
	else if (event == PROCESS_ENDED)
		fail(job, "%s", left);
	return event == PROCESS_LATE;
}

static bool await_ready(struct job *job, struct process *server)
{
	uint64_t limit = job->m->timeout_ns ? job->m->timeout_ns : READY_LIMIT_NS;
	struct errand question = {.command = job->m->ready,
		.capture = &job->m->client_output,
		.deadline_ns = deadline_after(limit),
		.limit_ns = limit,
		.late = "the server was not ready",
		.left = "the server ended before it was ready"};

	while (question.command) {
		if (!run_beside(job, server, &question))
			return false;
		if (WIFEXITED(question.process.status) && WEXITSTATUS(question.process.status) == 0)
			return true;
		if (!pause_beside(job, server, question.left))
			return false;
		if (arch_monotonic_ns() >= question.deadline_ns) {
			fail_late(job, question.late, limit);
			add_last_words(job, question.capture);
			return false;
		}
	}
	return true;
}

static void run_client(struct job *job, struct process *server)
{
	struct measure *m = job->m;
	struct errand client = {.command = m->client,
		.capture = &m->client_output,
		.limit_ns = m->timeout_ns,
		.late = "the client did not end",
		.left = "the server ended before its client"};

	if (!await_ready(job, server))
		return;
	client.deadline_ns = deadline_after(m->timeout_ns);
	if (!run_beside(job, server, &client))
		return;
	job->measured.wall_ns = client.process.ended_ns - client.process.started_ns;
	ended_well(job, "the client: ", &client.process);
}

/* A server that was asked to end may do so with any status, but not crash or stay. */
static void judge_server(struct job *job, const struct process *server, bool asked)
{
	int status = server->status;

	if (job->run->outcome == RUN_INTERRUPTED)
		return;
	if (server->killed) {
		if (job->run->outcome == RUN_DONE)
			fail_late(job, "the server did not end after SIGTERM", STOP_GRACE_NS);
	} else if (WIFSIGNALED(status) && !(asked && WTERMSIG(status) == SIGTERM)) {
		fail(job, "the server: signal %d (%s)", WTERMSIG(status),
			strsignal(WTERMSIG(status)));
		add_last_words(job, server->capture);
	} else if (!asked) {
		add_last_words(job, server->capture);
	}
}

static void run_server(struct job *job)
{
	struct measure *m = job->m;
	struct process server;
	bool asked;

	if (!start_program(job, "the server ", &server))
		return;
	run_client(job, &server);
	asked = !server.ended_ns;
	process_stop(&m->watch, &server, SIGTERM,
		job->run->outcome == RUN_INTERRUPTED ? ABORT_GRACE_NS : STOP_GRACE_NS);
	job->measured.usage = server.usage;
	judge_server(job, &server, asked);
}

/* --- */

void measure_run(void *context, size_t candidate, struct experiment_run *run)
{
	struct measure *m = context;
	struct job job = {.m = m, .candidate = &m->candidates->candidate[candidate], .run = run};

	capture_clear(&m->output);
	capture_clear(&m->client_output);
	if (m->watch.interrupted)
		interrupt(&job);
	else if (m->client)
		run_server(&job);
	else
		run_alone(&job);
	job.measured.recorded = recorded_take(m->directory, &job.measured.recording);
	job.measured.output[0] = m->client ? &m->client_output : &m->output;
	job.measured.output[1] = m->client ? &m->output : NULL;
	if (run->outcome == RUN_DONE)
		metrics_read(m->metrics, &job.measured, run->value);
}
