/*
 * Lock records and classes: which lock an address is, and where it was born.
 *
 * Contract: any thread, any time, signal handlers too; no lock. A number is always returned: where
 * no record can be had, that of the class, or of the class that collects everything.
 */
#ifndef RELOCK_STATS_RECORD_LOCKS_H
#define RELOCK_STATS_RECORD_LOCKS_H

#include "stats/record/table.h"

/* What a hook knows of the lock it was called with. */
struct lock_id {
	uint64_t address;
	enum rlk_kind kind; /* RLK_KIND_RDLOCK for both sides of a rwlock */
	uint32_t flags;     /* enum rlk_record_flags */
};

/*
 * The rule per lock, from 1, that holds for locks of `kind` born at `offset` of a file ("": the
 * executable; NULL: in none); 0: none does. Asked once for all locks of a class.
 */
typedef uint32_t lock_rule_chooser(enum rlk_kind kind, const char *path, uint64_t offset);

/* `chooser` NULL: there are no rules. */
bool locks_open(uint64_t max_locks, lock_rule_chooser *chooser);
void locks_reset(void);

/*
 * In a forked child, around what makes all tables empty: where there are rules, the locks that the
 * parent made keep their births. NULL: nothing to keep. Takes memory until locks_carry().
 */
struct carried;
struct carried *locks_take(void);
void locks_carry(struct carried *carried);

/* Number of the lock's record; made, and the class with it, when this is its first use, at return
 * address `site`. */
uint32_t lock_record(const struct lock_id *id, uint64_t site);

/* A lock was initialised at `site`: it is a new generation, or a new lock where it was born
 * elsewhere than the last one. */
void lock_born(const struct lock_id *id, uint64_t site);
/* A lock was destroyed. Does nothing for one never seen. */
void lock_died(const struct lock_id *id);

/* A lock of a class, of which nothing is known yet. */
void lock_add(const struct lock_id *id, uint32_t class_index);

/*
 * Whether `record`, as lock_record() returned it, is still the lock's, now that the caller has left
 * its number where deflation looks; the caller has to start again when not.
 */
bool lock_record_stands(uint32_t record, const struct lock_id *id);

/* For deflation: takes a folded record out of its chain. One thread at a time. */
void lock_unlink(uint32_t record);

/* Likewise: adds what a record says of its class to the class's own counts; the record is about to
 * say nothing any more. */
void lock_lives_to_class(const struct rlk_record *row);

/* In a record's flags, the recorder's own: it is not in its chain yet, and not to be folded. */
#define RECORD_NEW (1u << 15)

struct rlk_record *lock_row(uint32_t record);
/* How many records there are. */
uint32_t lock_records(void);
/* Where the lock was born: its own address if it is static, else a return address; 0 not known. */
uint64_t lock_birth(const struct rlk_record *record);

/* Number of the record that stands for all locks of a class; of that of `record`. */
uint32_t class_record(uint32_t class_index);
uint32_t lock_class_record(uint32_t record);

/*
 * Entries of threads map an address to a record. When another lock takes the address, the stamp of
 * the address changes, and an entry that bears the old one looks again. The stamps are one array,
 * read on the hot path and written only then, which is rare: a lock born again at the same place
 * keeps its record. So the line is shared, but clean.
 */
#define STAMP_BITS 16
extern uint16_t lock_stamps[1u << STAMP_BITS] __attribute__((visibility("hidden")));

static inline uint32_t stamp_index(uint64_t address)
{
	return address >> 4 & ((1u << STAMP_BITS) - 1);
}

static inline uint16_t lock_stamp(uint64_t address)
{
	return load16(&lock_stamps[stamp_index(address)]);
}

static inline void lock_stamp_change(uint64_t address)
{
	add16(&lock_stamps[stamp_index(address)], 1);
}

#endif
