/*
 * The helper process: where the files named by a recording are read.
 *
 * What a recording names may be made to break elfutils: to crash it, keep it busy for ever, or take
 * all memory. So it is used in a child, within limits, and what it finds comes back through a
 * socket (wire.h). Its death costs the names of the module that was asked about; another child goes
 * on with the others, until too many have died.
 *
 * Use: h = helper_new(model); if (helper_frames(h, module, offset, &frames)) …; helper_free(h).
 *
 * Contract: the model's modules and notes outlive it; the modules do not change. The first question
 * starts the child, as a copy of this process: it never returns, and writes nowhere but into the
 * socket. What is wrong with a module is noted, once.
 */
#ifndef RELOCK_STATS_REPORT_HELPER_H
#define RELOCK_STATS_REPORT_HELPER_H

#include "stats/report/symbols.h"

/* Tests make them smaller. */
struct helper_limits {
	uint64_t memory;         /* address space for files, and what is made of them; bytes */
	unsigned cpu_s;          /* of all children together */
	unsigned question_cpu_s; /* for one question, opening a module included */
	unsigned question_s;     /* the same by the clock: for files that cannot be waited for */
	unsigned deaths;         /* with these there are no more names */
	uint64_t names;          /* bytes of names kept */
};
extern struct helper_limits helper_limits;

struct helper;

struct helper *helper_new(struct model *model);
void helper_free(struct helper *helper);

/* Both are false when nothing is known. `module` is below the model's count. */
bool helper_frames(struct helper *helper, uint32_t module, uint64_t offset, struct frames *out);
bool helper_variable(
	struct helper *helper, uint32_t module, uint64_t offset, struct variable_name *out);

/* --- between helper.c and helper_serve.c */

enum helper_question { HELPER_FRAMES = 1, HELPER_VARIABLE };

#define HELPER_FRAMES_MAX 128 /* inlined into each other at one address; more are left out */

/* The child: answers until the socket is closed. `cpu_s` is what is left of helper_limits.cpu_s. */
_Noreturn void helper_serve(int fd, const struct model *model, unsigned cpu_s);

#endif
