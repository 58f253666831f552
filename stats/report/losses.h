/*
 * What was not recorded in full, each declared once in RLK_LOSSES of stats/format.h.
 */
#ifndef RELOCK_STATS_REPORT_LOSSES_H
#define RELOCK_STATS_REPORT_LOSSES_H

#include "stats/format.h"

struct loss_info {
	const char *name;
	const char *description; /* goes with a number in front */
};

#define LOSS_ID(name, description) LOSS_##name,
enum loss { RLK_LOSSES(LOSS_ID) LOSSES };
#undef LOSS_ID

extern const struct loss_info loss_info[LOSSES];

uint64_t loss_of(const struct rlk_header *header, enum loss loss);

#endif
