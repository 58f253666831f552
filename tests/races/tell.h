/*
 * Included in front of those files of the library that have to be built otherwise to run under
 * ThreadSanitizer (see CMakeLists.txt).
 */
#ifndef RELOCK_TESTS_TELL_H
#define RELOCK_TESTS_TELL_H

#include <dlfcn.h>
#include <limits.h>

/* The look-up of functions goes through tell.c. */
void *tell_dlsym(void *handle, const char *name);
void *tell_dlvsym(void *handle, const char *name, const char *version);
#define dlsym tell_dlsym
#define dlvsym tell_dlvsym

/* The runtime parts with a thread in the last round of its destructors, some of which would come
 * after that. */
enum { ALL_BUT_LAST = PTHREAD_DESTRUCTOR_ITERATIONS - 1 };
#undef PTHREAD_DESTRUCTOR_ITERATIONS
#define PTHREAD_DESTRUCTOR_ITERATIONS ALL_BUT_LAST

#endif
