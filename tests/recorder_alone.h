/* The recorder without a program around it: what it is told where nothing becomes a file. */
#ifndef RELOCK_TESTS_RECORDER_ALONE_H
#define RELOCK_TESTS_RECORDER_ALONE_H

#include "stats/record/recorder.h"

#include <sys/syscall.h>
#include <unistd.h>

static inline int32_t alone_tid(void)
{
	return (int32_t)syscall(SYS_gettid);
}

static inline bool alone_without_output(unsigned n, char *path, size_t size)
{
	(void)n, (void)path, (void)size;
	return false;
}

/* `max_memory` in bytes. Holds are not timed. */
static inline struct recorder_config alone_config(uint64_t max_memory, uint64_t max_locks)
{
	return (struct recorder_config){.record = true,
		.max_memory = max_memory,
		.max_locks = max_locks,
		.tid = alone_tid,
		.output = alone_without_output};
}

#endif
