/*
 * Code addresses and stacks, each kept once. Contexts (stats/format.h) are how events refer to
 * them.
 *
 * Contract: any thread, any time, signal handlers too; no lock but when a new module has to be
 * added. 0 ("unknown") is returned where something cannot be kept; it is counted as lost.
 */
#ifndef RELOCK_STATS_RECORD_SITES_H
#define RELOCK_STATS_RECORD_SITES_H

#include "stats/record/modules.h"

bool sites_open(void);
void sites_reset(void);

/* 1 + number of the site of a return address; 0: not kept. `presence`: of the code there, which
 * stays when the calling thread will return to it. */
uint32_t site_of(uint64_t address, enum presence presence);

/* The context of one return address. */
uint32_t context_of_site(uint64_t address, enum presence presence);

/* The context of the calling thread's stack of return addresses, innermost first. A stack of one
 * frame is its site. */
uint32_t context_of_stack(const uint64_t *frames, uint32_t depth, bool truncated);

#endif
