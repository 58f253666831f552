#include "preload/hooks.h"

static const struct policy *policy_for(const struct call *call)
{
	return call->delegated ? policy_registry[0] : process.choice[call->kind];
}

int hook_wait(struct thread *t, const struct call *call)
{
	struct event event;
	struct wait w = {
		.word = call->word,
		.mask = call->mask,
		.free = call->free,
		.inverted = call->inverted,
		.lock = call->lock,
		.try_lock = call->try_lock,
		.block = call->block,
		.deadline = call->deadline,
		.clock = call->clock,
		.t = &process.tunables[call->kind],
		.cpus = process.cpus,
		.urgent = &process.urgent,
	};

	event_begin(&event, t, &call->at);
	policy_for(call)->wait(&w);
	event_end(&event, &w);
	return w.result;
}

OUT_OF_LINE void hook_count_slow(
	struct thread *t, uint64_t key, const struct lock_id *id, uint64_t site)
{
	if (!t->entries) {
		count_unrecorded();
		return;
	}
	entry_count(t, entry_get(t, key, id, site), key, site, 0);
}
