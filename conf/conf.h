/*
 * Configuration: one option table, from which the INI file (inih), the RELOCK_* environment and the
 * command line are read and documented. Later wins: defaults < INI < environment < command line.
 *
 * Use, in the library: conf_load_process(&c, name, environ, &error), which does everything.
 * Use, in the command: conf_defaults(), conf_set("config", …) for -c, conf_load_environment(), then
 * conf_set() for each -p, -o, …; conf_export() tells what the program's environment needs, so that
 * the library arrives at the same settings.
 *
 * What wins, in full. Each level is a layer of its own, so the order within one does not matter:
 *  - within a layer [mutex] policy beats [relock] policy, for mutexes;
 *  - a policy starts from its own defaults: tunables of earlier layers are dropped, those named
 *    with it ("spin-park:spins=9") apply, then those given by a key of their own in the same or
 *    a later layer. One that the policy does not read is an error;
 *  - a rule per lock (conf/rules.h) beats all of these for the locks it matches;
 *  - a [process "pattern"] section that matches may name a policy for all locks of that executable:
 *    it beats the other sections of the file, and loses to environment and command line;
 *  - processes are enabled unless a section [process "…"] says otherwise. If any such section says
 *    enabled = on, only executables that match one are. Among the matching sections that say
 *    anything, the last one decides. Patterns are the shell's, * ? [a-z] [!a-z] and \, and
 *    matched against the base name of the executable.
 *
 * An empty variable counts as not set. A RELOCK_* variable that is no option is ignored, unless it
 * is within two typing errors of one.
 *
 * Contract: no function here allocates memory, uses stdio streams or locale, or exits. Files are
 * read with open/read into a fixed buffer, so that the library can call it from its constructor
 * under any allocator. That buffer is static: one thread at a time may load. Errors come back as a
 * struct conf_error whose message is whole: "file:line: what is wrong; nearest spelling; what is
 * valid". Every bool function returns true on success; after an error a struct conf is fit only for
 * conf_defaults(). Functions that write text return its whole length, as snprintf does.
 */
#ifndef RELOCK_CONF_CONF_H
#define RELOCK_CONF_CONF_H

#include "conf/rules.h"
#include "policies/policy.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CONF_PATH_MAX 1024
#define CONF_MESSAGE_MAX 512
#define CONF_PATTERNS_MAX 16
#define CONF_PATTERN_MAX 128
#define CONF_FILE_MAX (64 * 1024) /* a longer INI file is an error */
#define CONF_OPTIONS_MAX 64
#define CONF_NONE ((size_t)-1) /* no such option */
#define CONF_EXPORT_MAX CONF_RULES_TEXT_MAX

enum conf_origin { FROM_DEFAULT, FROM_INI, FROM_ENVIRONMENT, FROM_COMMAND_LINE };

enum conf_holds { HOLDS_OFF, HOLDS_SAMPLED, HOLDS_ALL };

struct settings {
	struct policy_choice
		choice[CONF_LOCKS]; /* [mutex], [spin], [rwlock]; [relock] policy sets all three */
	bool cond_native;           /* leave condition variables to glibc whole */

	bool record;
	char output[CONF_PATH_MAX]; /* name pattern of the recording, with %e %p %h %t %% */
	enum conf_holds holds;
	uint32_t hold_sample; /* one acquisition in so many is timed, on average */
	bool stacks;
	uint32_t stack_depth;
	uint64_t max_memory;        /* bytes of recording */
	uint64_t max_locks;         /* lock records */
	uint32_t deflate_threshold; /* percent of them in use */
	uint64_t deflate_interval;  /* ns */

	bool report_stderr; /* short text at exit */
	bool verbose;
	char run_id[64]; /* set by `relock run`; not documented for users */

	bool enabled; /* false: a [process] rule excluded this executable; the hooks pass through */
};

/* Where each effective value came from, parallel to the option table. */
struct conf_origins {
	uint8_t origin[CONF_OPTIONS_MAX]; /* enum conf_origin */
	uint8_t from[CONF_OPTIONS_MAX];   /* option that gave it: [relock] policy for [mutex]'s */
	int line[CONF_OPTIONS_MAX];       /* line in the INI file, where it came from one */
	char ini[CONF_PATH_MAX];          /* the INI file that was read, "" if none */
};

/* What is given, and where, before it is combined into the settings. */
enum conf_layer_id {
	LAYER_DEFAULT,
	LAYER_INI,
	LAYER_PROCESS, /* the matching [process] sections of the INI file */
	LAYER_ENVIRONMENT,
	LAYER_COMMAND_LINE,
	CONF_LAYERS
};

enum conf_text { TEXT_CONFIG, TEXT_OUTPUT, TEXT_RUN_ID, CONF_TEXTS };

struct conf_value {
	uint64_t number; /* everything but policies and texts */
	struct policy_choice choice;
	uint32_t tuned; /* tunables named with the policy, 1 << enum tunable_id */
};

struct conf_layer {
	bool given[CONF_OPTIONS_MAX];
	int line[CONF_OPTIONS_MAX];
	struct conf_value value[CONF_OPTIONS_MAX];
	char text[CONF_TEXTS][CONF_PATH_MAX];
};

/* A [process "pattern"] section; a line of 0: not said. */
struct conf_rule {
	char pattern[CONF_PATTERN_MAX];
	int line;
	int enabled_line;
	bool enabled;
	int policy_line;
	struct conf_value policy;
};

struct conf {
	struct settings settings;
	struct conf_origins origins;
	char process[CONF_PATTERN_MAX]; /* executable's base name the [process] sections are matched
					   against; "": none matches */
	struct conf_layer layers[CONF_LAYERS];
	struct conf_rule rules[CONF_PATTERNS_MAX];
	size_t rules_count;
	/* Rules per lock. Last, and not zeroed: most programs have none, and need no memory for
	 * them. */
	size_t in_force_count;
	struct lock_rule_at in_force[CONF_LOCK_RULES_MAX];
	struct lock_rules lock_rules[RULES_PLACES];
};

struct conf_error {
	char message[CONF_MESSAGE_MAX];
};

/* The table, for whoever documents or lists it. */
enum conf_type {
	TYPE_POLICY,
	TYPE_TUNABLE,
	TYPE_BOOL,
	TYPE_ENUM,
	TYPE_COUNT,
	TYPE_SIZE,
	TYPE_DURATION,
	TYPE_TEXT,
	TYPE_RULES, /* rules per lock, see conf/rules.h */
	TYPE_MATCH, /* what such a rule matches by */
};

enum conf_flags {
	CONF_NOT_IN_INI = 1 << 0,
	CONF_INI_ONLY = 1 << 1, /* the keys of [process "pattern"] and [lock "name"] */
	CONF_HIDDEN = 1 << 2,   /* between the command and the library, not for users */
	CONF_OF_LOCK = 1 << 3,  /* the keys of [lock "name"] */
};

struct conf_option {
	const char *section; /* INI section */
	const char *key;     /* INI key */
	const char *env;     /* environment variable, or NULL */
	const char *flag;    /* the command's flag, e.g. "-p", or NULL */
	enum conf_type type;
	unsigned flags;      /* enum conf_flags */
	uint64_t min, max;   /* counts, sizes (bytes); texts: longest; tunables: in tunable_table */
	const char *values;  /* enums: "off|sampled|all" */
	const char *initial; /* default, as written in an INI file; NULL: follows from others */
	const char *help;    /* sentences; tunables: in tunable_table, see conf_option_help */
	const char *example;
	enum conf_lock lock;     /* policies and tunables: whose; CONF_LOCKS: all three */
	enum tunable_id tunable; /* tunables */
	enum conf_text text;     /* texts */
	uint16_t field, size;    /* where the value goes in struct settings; size 0: nowhere */
};

extern const struct conf_option conf_table[];
extern const size_t conf_table_size;

/* Finds "section.key", or a "key" that is in [relock] or in one section only. CONF_NONE: unknown or
 * ambiguous. */
size_t conf_find(const char *name);
/* The option's help, whatever its type. */
const char *conf_option_help(size_t index);
/* What the option accepts: "0 to 1000", "off, sampled, all", the policies. Returns the length. */
size_t conf_format_values(size_t index, char *out, size_t size);

void conf_defaults(struct conf *c);
/* Reads an INI file. Unknown sections, keys, values, units: an error naming file:line. */
bool conf_load_ini(struct conf *c, const char *path, struct conf_error *error);
/* Reads RELOCK_* (RELOCK_CONFIG first, the INI it names). Unknown RELOCK_ variables that resemble
 * an option are an error. */
bool conf_load_environment(struct conf *c, char *const *environment, struct conf_error *error);
/* What the library does at start: defaults, RELOCK_CONFIG's INI, environment; `process` is the
 * executable's base name. On error, *c holds the defaults with settings.enabled false.
 * errno stays as it was. */
bool conf_load_process(
	struct conf *c, const char *process, char *const *environment, struct conf_error *error);
/* Sets "section.key" (or a key conf_find knows) as from `origin`. `where` is named in errors ("-p",
 * "RELOCK_POLICY"). "config" reads that INI file in place of any other, and keeps
 * conf_load_environment from reading RELOCK_CONFIG's. Set policies before their tunables: each call
 * checks the whole. */
bool conf_set(struct conf *c, const char *name, const char *value, enum conf_origin origin,
	const char *where, struct conf_error *error);

/* Parses "NAME:key=value,…". */
bool conf_parse_choice(const char *text, struct policy_choice *out, struct conf_error *error);
/* Writes it back in canonical form, every used tunable named. Returns the length as snprintf does.
 */
size_t conf_format_choice(const struct policy_choice *choice, char *out, size_t size);

/* "250us", "1.5ms", "10s", bare numbers are an error but for 0; "64KiB", "1.5G", "4096". False when
 * the text is no such thing, does not fit, or is no whole number of ns or bytes. */
bool conf_parse_duration(const char *text, uint64_t *ns);
bool conf_parse_size(const char *text, uint64_t *bytes);
size_t conf_format_duration(uint64_t ns, char *out, size_t size);
size_t conf_format_size(uint64_t bytes, char *out, size_t size);

/* The effective value of option `index` as text, e.g. "spin-yield", "15", "sampled"; "" where there
 * is none, as for a tunable that the policy in force does not read. Returns the length. */
size_t conf_format_value(const struct conf *c, size_t index, char *out, size_t size);
/* "default", "relock.ini:12", "RELOCK_POLICY", "-p". Returns the length. */
size_t conf_format_origin(const struct conf *c, size_t index, char *out, size_t size);
/* One line an option that has a value, "section.key = value ; origin": what `config --show` prints
 * and the recording keeps. */
size_t conf_format_all(const struct conf *c, char *out, size_t size);
/* An annotated INI file with every option at its default, made from the table. */
size_t conf_format_default_ini(char *out, size_t size);

/* What a program's environment needs about option `index` so that the library in it arrives at this
 * configuration: EXPORT_SET: its variable with the value written to out; EXPORT_UNSET: not that
 * variable, for the command line overrode it; EXPORT_KEEP: as it is. Relative names of files are
 * made absolute against `directory`. Values that do not fit are not exported: give CONF_EXPORT_MAX.
 */
enum conf_export { EXPORT_KEEP, EXPORT_SET, EXPORT_UNSET };
enum conf_export conf_export(
	const struct conf *c, size_t index, const char *directory, char *out, size_t size);

/* Whether a shell pattern matches: *, ?, [a-z], [!a-z], and \ before what is to mean itself. */
bool conf_match(const char *pattern, const char *text);

/* Nearest spelling among `count` names, or NULL when none is near. For error messages everywhere.
 */
const char *conf_nearest(const char *word, const char *const *names, size_t count);

/* Expands %e %p %h %t %% of an output pattern into an absolute path (relative ones against
 * `directory`). */
bool conf_expand_output(const char *pattern, const char *directory, const char *executable, int pid,
	const char *host, uint64_t start_s, char *out, size_t size);

#endif
