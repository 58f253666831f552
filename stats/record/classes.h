/*
 * Classes: all locks of one kind born at one place. A static lock is born at its own address,
 * others where they were initialised, or first used when no call initialised them.
 *
 * Contract: any thread, any time, signal handlers too; no lock. The calling thread uses the lock,
 * or is in its initialisation.
 */
#ifndef RELOCK_STATS_RECORD_CLASSES_H
#define RELOCK_STATS_RECORD_CLASSES_H

#include "stats/record/locks.h"

#define CLASS_EVERYTHING_ELSE 0 /* collects what does not fit */
#define CLASSES_MAX (1u << 14)

struct birth {
	enum rlk_birth how;
	uint64_t address; /* the lock's own, or the site's */
	enum rlk_kind kind;
	uint32_t module; /* of a static lock */
};

bool classes_open(lock_rule_chooser *chooser);
void classes_reset(void);

/* How many classes there are. */
uint32_t classes_count(void);

struct birth birth_of(const struct lock_id *id, uint64_t site, bool initialised);

/* Number of the class born so, added where it is new. */
uint32_t class_of(const struct birth *birth);
struct rlk_class *class_row(uint32_t number);
struct birth class_birth(uint32_t number);

/* The rule for a lock of the class born so, and for those of the class that have no birth of their
 * own. */
uint32_t rule_of(uint32_t class_index, const struct birth *birth);
uint32_t class_rule(uint32_t class_index);
bool rules_exist(void);

#endif
