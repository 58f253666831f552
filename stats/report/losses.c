#include "stats/report/losses.h"

#define LOSS_INFO(name, description) [LOSS_##name] = {#name, description},
const struct loss_info loss_info[LOSSES] = {RLK_LOSSES(LOSS_INFO)};

#define LOSS_CASE(name, description)                                                               \
	case LOSS_##name:                                                                          \
		return header->lost.name;

uint64_t loss_of(const struct rlk_header *header, enum loss loss)
{
	switch (loss) {
		RLK_LOSSES(LOSS_CASE)
	case LOSSES:
		break;
	}
	return 0;
}
