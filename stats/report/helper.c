/* Asking the helper process. */
#include "stats/report/helper.h"

#include "stats/report/dwarf.h"
#include "stats/report/memory.h"
#include "stats/report/symbolizer.h"
#include "stats/report/wire.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

struct helper_limits helper_limits = {
	.memory = 4ull << 30,
	.cpu_s = 60,
	.question_cpu_s = 20,
	.question_s = 120,
	.deaths = 8,
	.names = 512ull << 20,
};

struct helper {
	struct model *model;
	bool *tried;   /* by module: asked about before */
	bool *useless; /* by module: no file, or what is wrong with it was noted */
	pid_t child;   /* 0: none */
	int fd;
	unsigned deaths;
	double cpu_s;   /* used by children that ended */
	uint64_t names; /* bytes got */
	bool over;      /* no more questions */
};

struct helper *helper_new(struct model *model)
{
	struct helper *h = memory_get(1, sizeof *h);

	h->model = model;
	h->tried = memory_get(model->modules.count, sizeof *h->tried);
	h->useless = memory_get(model->modules.count, sizeof *h->useless);
	/* Names like "[vdso]" are no files. */
	for (size_t i = 0; i < model->modules.count; i++)
		h->useless[i] = !model->modules.row[i].path || model->modules.row[i].path[0] != '/';
	return h;
}

/* --- the child */

#define TOO_LONG "reading names takes too long"

static void give_up(struct helper *h, const char *why)
{
	h->over = true;
	notes_add(&h->model->notes, "%s, so further places have no names", why);
}

static bool child_start(struct helper *h)
{
	double left = helper_limits.cpu_s - h->cpu_s;
	int pair[2];

	if (left < 1) {
		give_up(h, TOO_LONG);
		return false;
	}
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0) {
		give_up(h, "no process can be started to read names");
		return false;
	}
	h->child = fork();
	if (h->child == 0) {
		close(pair[0]);
		helper_serve(pair[1], h->model, (unsigned)left);
	}
	close(pair[1]);
	h->fd = pair[0];
	if (h->child > 0)
		return true;
	close(h->fd);
	h->child = 0;
	give_up(h, "no process can be started to read names");
	return false;
}

static double seconds(struct timeval time)
{
	return (double)time.tv_sec + (double)time.tv_usec / 1e6;
}

/* Ends the child, if it has not ended by itself. Returns its status as from waitpid. */
static int child_end(struct helper *h)
{
	struct rusage usage = {0};
	int status = 0;

	close(h->fd);
	while (wait4(h->child, &status, 0, &usage) < 0 && errno == EINTR)
		;
	h->child = 0;
	h->cpu_s += seconds(usage.ru_utime) + seconds(usage.ru_stime);
	return status;
}

void helper_free(struct helper *h)
{
	if (!h)
		return;
	if (h->child > 0)
		child_end(h);
	free(h->tried);
	free(h->useless);
	free(h);
}

/* --- what is wrong */

static const char *death_reason(int status)
{
	if (!WIFSIGNALED(status))
		return "could not be read in the memory there is for that";
	switch (WTERMSIG(status)) {
	case SIGPROF:
	case SIGALRM:
		return "takes too long to read";
	case SIGKILL:
		return "could not be read: the process that did was killed";
	default:
		return "is damaged: the process that read it crashed";
	}
}

static void module_useless(struct helper *h, uint32_t module, const char *reason)
{
	h->useless[module] = true;
	notes_add(&h->model->notes, "%s: %s, so there are no names from it",
		h->model->modules.row[module].path, reason);
}

static void child_died(struct helper *h, uint32_t module)
{
	int status;

	kill(h->child, SIGKILL);
	status = child_end(h);
	/* All modules together took so long. */
	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU) {
		give_up(h, TOO_LONG);
		return;
	}
	module_useless(h, module, death_reason(status));
	if (++h->deaths >= helper_limits.deaths)
		give_up(h, "reading names went wrong too often");
}

#define MODULE_STATE_TEXT(name, sentence) [MODULE_##name] = sentence,
static const char *const sentences[] = {MODULE_STATES(MODULE_STATE_TEXT)};

/* Where there is nothing, no child is needed to say so. */
static bool module_there(struct helper *h, uint32_t module)
{
	struct stat st;

	if (h->useless[module] || h->tried[module])
		return !h->useless[module];
	h->tried[module] = true;
	if (stat(h->model->modules.row[module].path, &st) == 0)
		return true;
	module_useless(h, module, sentences[MODULE_UNREADABLE]);
	return false;
}

/* Takes note of what the child says of the module. False: there is nothing to be had from it. */
static bool module_check(struct helper *h, uint32_t module, struct wire *answer)
{
	uint32_t state = wire_get_number(answer);

	if (state == MODULE_USABLE && !answer->broken)
		return true;
	if (state == MODULE_USABLE || state >= MODULE_STATE_COUNT)
		state = MODULE_UNREADABLE;
	module_useless(h, module, sentences[state]);
	return false;
}

/* --- questions */

/* Whether there is an answer from a module that can be used. */
static bool ask(struct helper *h, enum helper_question what, uint32_t module, uint64_t offset,
	struct wire *answer)
{
	struct wire question = {0};
	bool answered;

	if (h->over || !module_there(h, module) || (h->child == 0 && !child_start(h)))
		return false;
	wire_put_number(&question, what);
	wire_put_number(&question, module);
	wire_put_number(&question, (uint32_t)offset);
	wire_put_number(&question, (uint32_t)(offset >> 32));
	answered = wire_send(h->fd, &question) && wire_receive(h->fd, answer);
	wire_free(&question);
	if (!answered) {
		child_died(h, module);
		return false;
	}
	h->names += answer->used;
	if (h->names > helper_limits.names)
		give_up(h, "there are too many names to keep");
	return module_check(h, module, answer);
}

static void get_frames(struct wire *answer, struct frames *out)
{
	uint32_t count = wire_get_number(answer);

	for (uint32_t i = 0; i < count && i < HELPER_FRAMES_MAX && !answer->broken; i++) {
		struct frame *frame = frames_append(out);

		frame->function = wire_get_text(answer);
		frame->brief = wire_get_text(answer);
		frame->file = wire_get_text(answer);
		frame->line = (int)wire_get_number(answer);
		frame->inlined = wire_get_number(answer) != 0;
		frame->known = true;
		answer->broken = answer->broken || !frame->function || !frame->brief;
	}
	if (answer->broken)
		frames_free(out);
}

bool helper_frames(struct helper *h, uint32_t module, uint64_t offset, struct frames *out)
{
	struct wire answer = {0};

	if (ask(h, HELPER_FRAMES, module, offset, &answer))
		get_frames(&answer, out);
	wire_free(&answer);
	return out->count > 0;
}

bool helper_variable(struct helper *h, uint32_t module, uint64_t offset, struct variable_name *out)
{
	struct wire answer = {0};

	*out = (struct variable_name){0};
	if (ask(h, HELPER_VARIABLE, module, offset, &answer)) {
		out->whole = wire_get_text(&answer);
		out->family = wire_get_text(&answer);
	}
	wire_free(&answer);
	if (out->whole && out->family)
		return true;
	free(out->whole);
	free(out->family);
	*out = (struct variable_name){0};
	return false;
}
