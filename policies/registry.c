#include "policies/policy.h"

#include <stddef.h>
#include <string.h>

#define POLICIES(X)                                                                                \
	X(native)                                                                                  \
	X(spin_park)                                                                               \
	X(spin_yield)                                                                              \
	X(spin_yield_sleep)                                                                        \
	X(spin_sleep)                                                                              \
	X(spin)                                                                                    \
	X(backoff)                                                                                 \
	X(progress)

#define DECLARE(name) extern const struct policy policy_##name;
#define ENTRY(name) &policy_##name,

POLICIES(DECLARE)

const struct policy *const policy_registry[] = {POLICIES(ENTRY) NULL};

const struct policy *policy_find(const char *name)
{
	for (size_t i = 0; policy_registry[i] != NULL; i++) {
		if (strcmp(policy_registry[i]->name, name) == 0)
			return policy_registry[i];
	}
	return NULL;
}
