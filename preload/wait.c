#include "preload/hooks.h"

#include "stats/record/confined.h"

#include <sys/syscall.h>

/* The rule for a lock was chosen when its record was made. */
static uint32_t rule_for(const struct event *event)
{
	if (event->thread)
		return lock_row(event->record)->rule;
	return recorder.on ? lock_row(lock_record(&event->at.id, event->at.site))->rule : 0;
}

static const struct policy_choice *choice_for(const struct call *call, const struct event *event)
{
	uint32_t rule = unlikely(process.rules) ? rule_for(event) : 0;

	return rule ? process.rule[rule - 1] : &process.choice[call->kind];
}

/* A thread's scheduler may change at any time, unless the program has given up the calls for that.
 */
static long own_scheduler(void)
{
	int saved = errno;
	long scheduler = confined() ? process.scheduler : syscall(SYS_sched_getscheduler, 0);

	errno = saved;
	return scheduler;
}

int hook_wait(struct thread *t, const struct call *call)
{
	const struct policy_choice *choice;
	const struct policy *policy;
	struct event event;
	struct wait w = {
		.word = call->word,
		.mask = call->mask,
		.free = call->free,
		.inverted = call->inverted,
		.lock = call->lock,
		.try_lock = call->try_lock,
		.deadline = call->deadline,
		.clock = call->clock,
		.cpus = process.cpus,
		.urgent = &process.urgent,
		.scheduler = own_scheduler,
	};

	event_begin(&event, t, &call->at);
	choice = choice_for(call, &event);
	policy = call->delegated ? policy_registry[0] : choice->policy;
	w.t = &choice->tunables;
	w.began = event.start;
	w.block = call->cannot_block && policy != policy_registry[0] ? NULL : call->block;
	policy->wait(&w);
	event_end(&event, &w);
	return w.result;
}

COLD void hook_count_slow(struct thread *t, uint64_t key, const struct lock_id *id, uint64_t site)
{
	if (!t->directory) {
		count_unrecorded(key, id, site);
		return;
	}
	entry_count(t, entry_get(t, key, id, site), key, site, 0);
}
