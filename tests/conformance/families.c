#include "families.h"

#include <stddef.h>

const struct family families[] = {
	{"mutex", family_mutex},
	{"spin", family_spin},
	{"rwlock", family_rwlock},
	{"cond", family_cond},
	{"cancel", family_cancel},
	{"process", family_process},
	{"signals", family_signals},
	{"sleeps", family_sleeps},
	{"births", family_births},
	{"realtime", family_realtime},
	{"forks", family_forks},
	{"life", family_life},
	{"c11", family_c11},
	{NULL, NULL},
};
