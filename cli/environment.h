/*
 * What a program's environment must hold to be run under relock.
 */
#ifndef RELOCK_CLI_ENVIRONMENT_H
#define RELOCK_CLI_ENVIRONMENT_H

#include "conf/conf.h"

#include <stdbool.h>

struct environment {
	const struct conf *conf;
	const char *output; /* absolute pattern of the recording */
	const char *run_id;
	const char *library; /* as LD_PRELOAD can hold it; NULL: nothing is preloaded */
	const char *first;   /* a sanitizer's runtime to be preloaded before it; "": none */
};

/* Changes this process's own environment, which the program inherits. False: a message was printed.
 */
bool environment_apply(const struct environment *wanted);

#endif
