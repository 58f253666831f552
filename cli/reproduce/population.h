/*
 * What finding 5 needs to know of a recording, beyond what the reports show.
 */
#ifndef RELOCK_CLI_REPRODUCE_POPULATION_H
#define RELOCK_CLI_REPRODUCE_POPULATION_H

#include <stdbool.h>
#include <stdint.h>

struct population {
	uint64_t records;     /* rows of lock records, those given back included */
	uint64_t acquired;    /* acquisitions in all */
	double scans;         /* looks for records to give back */
	double worst_scan_ns; /* NaN: there was none */
};

/* Adds up all recordings of a directory and removes them. False: there was none that could be read.
 */
bool population_take(const char *directory, struct population *out);

#endif
