/*
 * What became of the time, all recordings together. Spinning is measured by the clock: while a
 * spinning thread had no CPU, it burnt none.
 */
#ifndef RELOCK_STATS_REPORT_BUSY_H
#define RELOCK_STATS_REPORT_BUSY_H

#include "stats/report/model.h"

struct busy {
	double cpu_ns;   /* 0: not known */
	double spun_ns;  /* spinning for locks, by the clock */
	double busy_ns;  /* computing, or waiting for a lock without computing */
	double on_cpu;   /* share of the time it wanted a CPU that a thread had one, at most 1 */
	double crowding; /* threads for each CPU, where it is highest */
};

void busy_find(const struct model *model, struct busy *out);
/* Of `spun_ns` of spinning by the clock, what was CPU time. */
double busy_cpu_of(const struct busy *busy, double spun_ns);
/* CPUs that a process could use, by affinity and quota. */
double busy_cpus(const struct run *run);

#endif
