/*
 * Rules per lock: which locks, and the policy that waits for them in place of their kind's.
 *
 * As text, a rule is what has to match, and the policy after the last '=':
 *
 *     KEY=VALUE[,KEY=VALUE...]=POLICY[:key=value,...]
 *
 *     class=libfoo.so.1+0x4546a=spin-park:spins=1000
 *     kind=mutex,module=libleveldb*=spin-yield
 *     class=server+0x5040-0x507f|0x9010=native
 *
 * Keys, all of which have to hold:
 *  - kind    mutex, spin or rwlock;
 *  - module  shell pattern for the name, without directories, of the file the lock was born in;
 *  - class   where it was born: a static lock's own address, else the return address of the call
 *            that initialised it, or of the first that acquired it. MODULE+0xOFFSET, or
 *            MODULE+0xLOW-0xHIGH with both ends included, offsets as the ELF file counts them.
 * Several are separated by '|', and only the first of a file needs to name it;
 *  - symbol  shell pattern for the variable a static lock is in, or the function it was born in. It
 *            is turned into classes by the command, which knows the files' symbols
 * (conf_resolve()); the library knows none, and leaves out rules that still have one;
 *  - name    what people call it; matches everything.
 *
 * A value that contains one of  , = ; | or \ has a backslash before it. Several rules are separated
 * by ';'. The first that matches decides. "none" in place of a rule ends the list: what follows, in
 * the same place or a later one, is not looked at.
 *
 * Those of the command line come first, then those of RELOCK_RULES, then the INI file's [lock
 * "name"] sections, each in the order given.
 *
 * Contract: as conf.h's. All that belongs to a rule is in the struct conf it is in: conf may be
 * copied.
 */
#ifndef RELOCK_CONF_RULES_H
#define RELOCK_CONF_RULES_H

#include "policies/policy.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CONF_LOCK_RULES_MAX 64    /* in force, and in one place */
#define CONF_RANGES_MAX 512       /* of all rules of one place */
#define CONF_RULE_TEXTS_MAX 4096  /* likewise, bytes of names and patterns */
#define CONF_RULES_TEXT_MAX 16384 /* of all rules in force, as text */

enum conf_lock { CONF_MUTEX, CONF_SPIN, CONF_RWLOCK, CONF_LOCKS };

/* Which policy waits, and tuned how. Written "NAME" or "NAME:key=value,key=value". */
struct policy_choice {
	const struct policy *policy;
	struct tunables tunables;
};

/* Addresses of one file; both ends included. */
struct lock_range {
	uint64_t low, high;
	uint16_t module; /* a text of the same struct lock_rules */
};

struct lock_rule {
	enum conf_lock kind;           /* CONF_LOCKS: any */
	uint16_t name, module, symbol; /* texts; 0: not given */
	uint16_t range, ranges;        /* the first, and how many; 0: any class */
	bool never;                    /* its symbol was looked for and is nowhere */
	struct policy_choice choice;
	int line; /* in the INI file */
};

/* The rules that one place gave. Only the counts have to be zeroed. */
struct lock_rules {
	size_t count, ranges, texts;
	bool ended; /* by "none" */
	struct lock_rule rule[CONF_LOCK_RULES_MAX];
	struct lock_range range[CONF_RANGES_MAX];
	char text[CONF_RULE_TEXTS_MAX];
};

enum conf_rules_from { RULES_COMMAND_LINE, RULES_ENVIRONMENT, RULES_INI, RULES_PLACES };

/* A rule in force. */
struct lock_rule_at {
	uint8_t from; /* enum conf_rules_from */
	uint8_t index;
};

/* What is known of a lock when the decision is made. */
struct lock_birth {
	enum conf_lock kind;
	const char *module; /* path or name of the file; NULL: born in no file */
	uint64_t offset;    /* in it */
};

struct conf;
struct conf_error;

/* How many rules are in force; the i-th of them, and one of its texts ("" for 0). */
size_t conf_lock_rules(const struct conf *c);
const struct lock_rule *conf_lock_rule(const struct conf *c, size_t i);
const char *conf_lock_rule_text(const struct conf *c, size_t i, uint16_t text);

/* 1 + the number of the first rule in force that matches; 0: none does. */
size_t conf_match_lock(const struct conf *c, const struct lock_birth *birth);

/* A place that a symbol was found at; both ends included. */
struct conf_found {
	const char *module;
	uint64_t low, high;
};

/* Rule `i` has a symbol: these are its places, and from now on it has classes in its stead. Where
 * it had both, the places that are in both. With none left it matches nothing and is `never`. */
bool conf_resolve(struct conf *c, size_t i, const struct conf_found *found, size_t count,
	struct conf_error *error);

/* Rule `i` as text; where it was given, "relock.ini:12", "RELOCK_RULES" or "-r"; the rules in force
 * as one text that ends in "none", so that nothing is added to them. They return the length as
 * snprintf does. */
size_t conf_format_lock_rule(const struct conf *c, size_t i, char *out, size_t size);
size_t conf_format_lock_rule_origin(const struct conf *c, size_t i, char *out, size_t size);
size_t conf_format_lock_rules(const struct conf *c, char *out, size_t size);
/* "MODULE+0xOFFSET" as the value of class. */
size_t conf_format_class(const char *module, uint64_t offset, char *out, size_t size);
/* The policy in a rule's text, "" when it has none. */
const char *conf_policy_of_rule(const char *rule);

#endif
