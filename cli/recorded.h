/*
 * What the recordings of one run say in a few figures. For the verb compare.
 */
#ifndef RELOCK_CLI_RECORDED_H
#define RELOCK_CLI_RECORDED_H

#include <stdbool.h>
#include <stdint.h>

struct recorded {
	uint64_t wait_ns, wait_p99_ns, wait_max_ns;
	uint64_t spun_ns; /* CPU burnt waiting */
};

/* Adds up all recordings of a directory and removes them. False: there was none that could be
 * read. */
bool recorded_take(const char *directory, struct recorded *out);

#endif
