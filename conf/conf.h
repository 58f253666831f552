/*
 * Configuration: one option table, from which the INI file (inih), the RELOCK_* environment and the
 * command line are read and documented. Later wins: defaults < INI < environment < command line.
 *
 * Use, in the library:   conf_defaults(&s); conf_load_process(&s, &error)  -- INI and environment,
 * then [process] rules Use, in the command:   the same, then conf_set() for each -p, -c, -o …;
 * conf_export() hands the result to the program.
 *
 * Contract: no function here allocates memory, uses stdio streams or locale, or exits. Files are
 * read with open/read into a fixed buffer, so that the library can call it from its constructor
 * under any allocator. Errors come back as a struct conf_error whose message is whole: "file:line:
 * what is wrong; what is valid; nearest spelling". Every function returns true on success.
 */
#ifndef RELOCK_CONF_CONF_H
#define RELOCK_CONF_CONF_H

#include "policies/policy.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CONF_PATH_MAX 1024
#define CONF_MESSAGE_MAX 512
#define CONF_PATTERNS_MAX 16
#define CONF_PATTERN_MAX 128
#define CONF_FILE_MAX (64 * 1024) /* a longer INI file is an error */

enum conf_origin { FROM_DEFAULT, FROM_INI, FROM_ENVIRONMENT, FROM_COMMAND_LINE };

/* Which policy waits, and tuned how. Written "NAME" or "NAME:key=value,key=value". */
struct policy_choice {
	const struct policy *policy;
	struct tunables tunables;
};

enum conf_lock { CONF_MUTEX, CONF_SPIN, CONF_RWLOCK, CONF_LOCKS };
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
	uint64_t max_memory; /* bytes of recording */
	uint64_t max_locks;  /* lock records */

	bool report_stderr; /* short text at exit */
	bool verbose;
	char run_id[64]; /* set by `relock run`; not documented for users */

	bool enabled; /* false: a [process] rule excluded this executable; the hooks pass through */
};

/* Where each effective value came from, parallel to the option table. */
struct conf_origins {
	uint8_t origin[64];      /* enum conf_origin, by option index */
	int line[64];            /* line in the INI file, where it came from one */
	char ini[CONF_PATH_MAX]; /* the INI file that was read, "" if none */
};

struct conf {
	struct settings settings;
	struct conf_origins origins;
	char process[CONF_PATTERN_MAX]; /* executable's base name the [process] sections are matched
					   against */
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
	TYPE_TEXT
};

struct conf_option {
	const char *section; /* INI section */
	const char *key;     /* INI key */
	const char *env;     /* environment variable, or NULL */
	const char *flag;    /* the command's flag, e.g. "-p", or NULL */
	enum conf_type type;
	uint64_t min, max;  /* counts, sizes (bytes), durations (ns) */
	const char *values; /* enums: "off|sampled|all" */
	const char *help;   /* sentences */
	const char *example;
};

extern const struct conf_option conf_table[];
extern const size_t conf_table_size;

void conf_defaults(struct conf *c);
/* Reads an INI file. Unknown sections, keys, values, units: an error naming file:line. */
bool conf_load_ini(struct conf *c, const char *path, struct conf_error *error);
/* Reads RELOCK_* (RELOCK_CONFIG first, the INI it names). Unknown RELOCK_ variables that resemble
 * an option are an error. */
bool conf_load_environment(struct conf *c, char *const *environment, struct conf_error *error);
/* What the library does at start: defaults, RELOCK_CONFIG's INI, environment; `process` is the
 * executable's base name. */
bool conf_load_process(
	struct conf *c, const char *process, char *const *environment, struct conf_error *error);
/* Sets "section.key" (or an unambiguous "key") as from `origin`. `where` is named in errors ("-p",
 * "RELOCK_POLICY"). */
bool conf_set(struct conf *c, const char *name, const char *value, enum conf_origin origin,
	const char *where, struct conf_error *error);

/* Parses "NAME:key=value,…". */
bool conf_parse_choice(const char *text, struct policy_choice *out, struct conf_error *error);
/* Writes it back in canonical form, every used tunable named. Returns the length as snprintf does.
 */
size_t conf_format_choice(const struct policy_choice *choice, char *out, size_t size);

/* "250us", "1.5ms", "10s", bare numbers are an error but for 0; "64KiB", "1G", "4096". */
bool conf_parse_duration(const char *text, uint64_t *ns);
bool conf_parse_size(const char *text, uint64_t *bytes);
size_t conf_format_duration(uint64_t ns, char *out, size_t size);
size_t conf_format_size(uint64_t bytes, char *out, size_t size);

/* The effective value of option `index` as text, e.g. "spin-yield", "15", "sampled". Returns the
 * length. */
size_t conf_format_value(const struct conf *c, size_t index, char *out, size_t size);
/* One line an option, "section.key = value ; origin": what `config --show` prints and the recording
 * keeps. */
size_t conf_format_all(const struct conf *c, char *out, size_t size);
/* An annotated INI file with every option at its default, made from the table. */
size_t conf_format_default_ini(char *out, size_t size);

/* Nearest spelling among `count` names, or NULL when none is near. For error messages everywhere.
 */
const char *conf_nearest(const char *word, const char *const *names, size_t count);

/* Expands %e %p %h %t %% of an output pattern into an absolute path (relative ones against
 * `directory`). */
bool conf_expand_output(const char *pattern, const char *directory, const char *executable, int pid,
	const char *host, uint64_t start_s, char *out, size_t size);

#endif
