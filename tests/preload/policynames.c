/* Prints the name of every policy in the registry, one a line: what the checkers loop over. */
#include "policies/policy.h"

#include <stdio.h>

int main(void)
{
	for (const struct policy *const *p = policy_registry; *p; p++)
		puts((*p)->name);
	return 0;
}
