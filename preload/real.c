#include "preload/real.h"

#include <dlfcn.h>

#if defined(__x86_64__)
#define CONDITION_VERSION "GLIBC_2.3.2"
#endif

struct real real;

static void *condition_function(const char *name)
{
	void *function = NULL;

#ifdef CONDITION_VERSION
	/* Without the version dlsym() may hand out the one with another layout of pthread_cond_t.
	 */
	function = dlvsym(RTLD_NEXT, name, CONDITION_VERSION);
#endif
	return function ? function : dlsym(RTLD_NEXT, name);
}

#define RESOLVE(field, symbol, result, parameters)                                                 \
	*(void **)&real.field = dlsym(RTLD_NEXT, #symbol);
#define RESOLVE_CONDITION(field, symbol, result, parameters)                                       \
	*(void **)&real.field = condition_function(#symbol);

bool real_resolve(void)
{
	REAL_FUNCTIONS(RESOLVE)
	REAL_CONDITION_FUNCTIONS(RESOLVE_CONDITION)
	return real.mutex_lock && real.mutex_unlock && real.mutex_trylock;
}
