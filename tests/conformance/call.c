#include "call.h"

#include "transcript.h"

#include <errno.h>
#include <unistd.h>

#define ERRNO_MARK 4242

void call_step(void *arg)
{
	struct call *call = arg;

	call->deadline = deadline_at(call->clock, call->when);
	errno = ERRNO_MARK;
	call->rc = call->function(call);
	call->errno_kept = errno == ERRNO_MARK;
	call->early = call->rc == ETIMEDOUT && !deadline_passed(call->clock, &call->deadline);
}

void call_exit(void *arg)
{
	struct call *call = arg;

	call_step(call);
	_exit(call->rc);
}

void case_call(const struct call *call)
{
	case_rc("rc", call->rc);
	case_fact("errno", call->errno_kept ? "kept" : "changed");
	if (call->early)
		case_fact("early", "yes");
}
