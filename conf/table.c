#include "conf/internal.h"

#include <stddef.h>
#include <string.h>

const struct conf_section conf_sections[] = {
	{"relock", "What holds for every lock, and for relock itself."},
	{"mutex", "How threads wait for mutexes: pthread_mutex_* and mtx_*, and taking the mutex "
		  "back after a condition wait. Tunables given here apply to this section's "
		  "policy, and only those it reads may be given."},
	{"spin", "How threads wait for spinlocks: pthread_spin_*. A spinlock cannot block; where "
		 "a policy would block, it sleeps between tries. The tunables are those of "
		 "[mutex]."},
	{"rwlock", "How threads wait for either side of read-write locks: pthread_rwlock_*. The "
		   "tunables are those of [mutex]."},
	{"cond", "Condition variables."},
	{"record", "The recording that `relock report` reads."},
	{"process", "Settings for executables whose name matches a shell pattern, such as "
		    "[process \"java\"] or [process \"db_*\"]. The last section that matches "
		    "decides. As soon as one section says enabled = on, executables that match "
		    "none of those run without relock."},
	{"lock", "A policy for some locks only, in place of that of their kind, such as "
		 "[lock \"the queue\"]; the name is for people. A lock has to match all that is "
		 "given of kind, module, class and symbol; the first section that matches decides. "
		 "The policy's tunables may be given here too, by keys as in [mutex]. `relock "
		 "report "
		 "--rules` tells the class of each lock."},
};
const size_t conf_sections_count = sizeof(conf_sections) / sizeof(conf_sections[0]);

#define FIELD(name)                                                                                \
	.field = offsetof(struct settings, name), .size = sizeof(((struct settings *)0)->name)

#define NAMES(section_, key_, env_) .section = section_, .key = key_, .env = env_

/* A lock's tunables are policies/tunables.c's; only their names stand here again, since environment
 * variables need them in capitals. A unit test compares. */
#define TUNABLE(section_, SECTION, lock_, name, NAME, example_)                                    \
	{                                                                                          \
		NAMES(section_, name, "RELOCK_" SECTION "_" #NAME),                                \
			.type = TYPE_TUNABLE, .lock = lock_, .tunable = TUNE_##NAME, .help = "",   \
			.example = example_                                                        \
	}

#define LOCK(section_, SECTION, lock_, kind)                                                       \
	{NAMES(section_, "policy", "RELOCK_" SECTION "_POLICY"), .type = TYPE_POLICY,              \
		.lock = lock_,                                                                     \
		.help = "The policy for " kind ", if it is not to be that of [relock].",           \
		.example = "spin-yield:spins=15"},                                                 \
		TUNABLE(section_, SECTION, lock_, "spins", SPINS, "15"),                           \
		TUNABLE(section_, SECTION, lock_, "yields", YIELDS, "3"),                          \
		TUNABLE(section_, SECTION, lock_, "sleep", SLEEP, "100us"),                        \
		TUNABLE(section_, SECTION, lock_, "hint", HINT, "none"),                           \
		TUNABLE(section_, SECTION, lock_, "hint_count", HINT_COUNT, "7"),                  \
		TUNABLE(section_, SECTION, lock_, "budget", BUDGET, "20us")

#define MATCH(key_, example_, help_)                                                               \
	{                                                                                          \
		.section = "lock", .key = key_, .type = TYPE_MATCH,                                \
		.flags = CONF_INI_ONLY | CONF_OF_LOCK, .help = help_, .example = example_          \
	}

_Static_assert(TUNABLE_IDS == 6, "each tunable has its line in LOCK");

const struct conf_option conf_table[] = {
	{NAMES("relock", "policy", "RELOCK_POLICY"), .flag = "-p", .type = TYPE_POLICY,
		.lock = CONF_LOCKS, .initial = "native",
		.help = "How a thread waits once its first try failed: for mutexes, spinlocks and "
			"read-write locks alike, where their own sections say nothing else. "
			"Tunables may follow the name. `relock policies` describes each.",
		.example = "spin-park:spins=100,hint_count=3"},
	{NAMES("relock", "config", "RELOCK_CONFIG"), .flag = "-c", .type = TYPE_TEXT,
		.flags = CONF_NOT_IN_INI, .max = CONF_PATH_MAX - 1, .text = TEXT_CONFIG,
		.initial = "",
		.help = "The INI file to read. It cannot be given in an INI file itself.",
		.example = "relock.ini"},
	{NAMES("relock", "rules", "RELOCK_RULES"), .flag = "-r", .type = TYPE_RULES,
		.flags = CONF_NOT_IN_INI,
		.help = "Rules per lock, separated by ';'. A rule is KEY=VALUE,...=POLICY with the "
			"keys kind, module, class and symbol of a [lock \"name\"] section; a "
			"backslash "
			"goes before a , = ; | or \\ in a value. The first that matches decides, "
			"those "
			"of the command line before these, and these before the INI file's. "
			"\"none\" "
			"in place of a rule ends the list.",
		.example = "class=libfoo.so.1+0x4546a=spin-park:spins=1000"},
	{NAMES("relock", "report", "RELOCK_REPORT"), .type = TYPE_ENUM, .values = "none|stderr",
		.initial = "none", FIELD(report_stderr),
		.help = "Whether the program, when it exits, writes a short report of its locks to "
			"standard error.",
		.example = "stderr"},
	{NAMES("relock", "verbose", "RELOCK_VERBOSE"), .flag = "-v", .type = TYPE_BOOL,
		.initial = "off", FIELD(verbose),
		.help = "Whether the library tells on standard error what it does at start and "
			"end: "
			"policies, recording, what it left to the C library.",
		.example = "on"},
	{NAMES("relock", "run_id", "RELOCK_RUN_ID"), .type = TYPE_TEXT,
		.flags = CONF_NOT_IN_INI | CONF_HIDDEN,
		.max = sizeof(((struct settings *)0)->run_id) - 1, .text = TEXT_RUN_ID,
		.initial = "", FIELD(run_id),
		.help = "The run that the recordings of its processes belong to.", .example = "1"},

	LOCK("mutex", "MUTEX", CONF_MUTEX, "mutexes"),
	LOCK("spin", "SPIN", CONF_SPIN, "spinlocks"),
	LOCK("rwlock", "RWLOCK", CONF_RWLOCK, "read-write locks"),

	{NAMES("cond", "mode", "RELOCK_COND"), .type = TYPE_ENUM, .values = "relock|native",
		.initial = "relock", FIELD(cond_native),
		.help = "After a condition wait the mutex has to be taken back: by its policy and "
			"counted (relock), or by the C library, unseen (native).",
		.example = "native"},

	{NAMES("record", "enabled", "RELOCK_RECORD"), .type = TYPE_BOOL, .initial = "on",
		FIELD(record),
		.help = "Whether to record. Without, policies still apply, at the least cost.",
		.example = "off"},
	{NAMES("record", "output", "RELOCK_OUTPUT"), .flag = "-o", .type = TYPE_TEXT,
		.max = CONF_PATH_MAX - 1, .text = TEXT_OUTPUT, .initial = "relock.%e.%p.rlk",
		FIELD(output),
		.help = "Name of the recording. %e stands for the executable, %p for the process "
			"id, "
			"%h for the host, %t for the start time in seconds since 1970, %% for a "
			"percent sign. A relative name is taken from the directory the program "
			"starts in.",
		.example = "/var/tmp/%h.%e.%p.rlk"},
	{NAMES("record", "holds", "RELOCK_HOLDS"), .type = TYPE_ENUM, .values = "off|sampled|all",
		.initial = "sampled", FIELD(holds),
		.help = "Whether to measure how long locks are held: never, for some acquisitions, "
			"or for all of them, which costs two readings of the clock each.",
		.example = "all"},
	{NAMES("record", "hold_sample", "RELOCK_HOLD_SAMPLE"), .type = TYPE_COUNT, .min = 1,
		.max = 1000000, .initial = "64", FIELD(hold_sample),
		.help = "With holds = sampled, one acquisition in so many is measured, on average; "
			"fewer, down to a sixteenth, of a thread that acquires more than some "
			"hundred thousand times a second.",
		.example = "1000"},
	{NAMES("record", "stacks", "RELOCK_STACKS"), .type = TYPE_BOOL, .initial = "on",
		FIELD(stacks),
		.help = "Whether to take the call stack of threads that have to wait. It happens "
			"while they wait, and rarely for a place already known.",
		.example = "off"},
	{NAMES("record", "stack_depth", "RELOCK_STACK_DEPTH"), .type = TYPE_COUNT, .min = 1,
		.max = 24, .initial = "16", FIELD(stack_depth),
		.help = "How many callers a stack has at most.", .example = "8"},
	{NAMES("record", "max_memory", "RELOCK_MAX_MEMORY"), .type = TYPE_SIZE, .min = 1 << 20,
		.max = 1ull << 37, .initial = "1GiB", FIELD(max_memory),
		.help = "How large the recording may grow. Beyond that, locks still work, and what "
			"there is no room for is counted with the others of its class.",
		.example = "256MiB"},
	{NAMES("record", "max_locks", "RELOCK_MAX_LOCKS"), .type = TYPE_COUNT, .min = 1,
		.max = 100000000, .initial = "1000000", FIELD(max_locks),
		.help = "How many locks get a record of their own. Further ones are counted with "
			"the others made at the same place.",
		.example = "10000000"},
	{NAMES("record", "deflate_threshold", "RELOCK_DEFLATE_THRESHOLD"), .type = TYPE_COUNT,
		.min = 0, .max = 100, .initial = "90", FIELD(deflate_threshold),
		.help = "When more than so many percent of the lock records are in use, those of "
			"locks that were destroyed or not used for an interval are counted with "
			"the others made at the same place, and their room is used again. 0: only "
			"when there are max_locks of them. It begins at 1024 locks.",
		.example = "20"},
	{NAMES("record", "deflate_interval", "RELOCK_DEFLATE_INTERVAL"), .type = TYPE_DURATION,
		.min = 1000000, .max = 3600000000000, .initial = "1s", FIELD(deflate_interval),
		.help = "How often that is looked at, at most.", .example = "250ms"},

	{.section = "process",
		.key = "enabled",
		.type = TYPE_BOOL,
		.flags = CONF_INI_ONLY,
		.initial = "on",
		FIELD(enabled),
		.help = "Whether relock does anything in the executables that match.",
		.example = "off"},
	{.section = "process",
		.key = "policy",
		.type = TYPE_POLICY,
		.flags = CONF_INI_ONLY,
		.lock = CONF_LOCKS,
		.help = "The policy for all locks of the executables that match. It beats those of "
			"[relock], [mutex], [spin] and [rwlock] in this file, with their tunables.",
		.example = "spin-park"},

	MATCH("kind", "mutex", "Only locks of this kind."),
	MATCH("module", "libfoo.so*",
		"Only locks born in files whose name, without directories, matches this shell "
		"pattern: where a static lock is, else whose code initialised it or, without that, "
		"was the first to acquire it."),
	MATCH("class", "libfoo.so.1+0x4546a",
		"Only locks born here: at the address of a static lock, else of the call that "
		"initialised it or, without that, of the first that acquired it. "
		"MODULE+0xOFFSET, or MODULE+0xLOW-0xHIGH with both ends included; several are "
		"separated by '|'. Offsets are those of the ELF file, the same in every run."),
	MATCH("symbol", "DBImpl::*",
		"Only static locks in variables, and other locks born in functions, whose name "
		"matches this shell pattern. Names are looked up by the relock command in the "
		"program and its libraries, before it starts: as in the symbol table, demangled, "
		"or demangled without parameters. Functions that were inlined have no symbol."),
	{.section = "lock",
		.key = "policy",
		.type = TYPE_POLICY,
		.flags = CONF_INI_ONLY | CONF_OF_LOCK,
		.lock = CONF_LOCKS,
		.help = "The policy for the locks that match.",
		.example = "spin-park:spins=1000"},
};
const size_t conf_table_size = sizeof(conf_table) / sizeof(conf_table[0]);

_Static_assert(sizeof(conf_table) / sizeof(conf_table[0]) <= CONF_OPTIONS_MAX,
	"struct conf has room for every option");

const char *conf_option_help(size_t index)
{
	const struct conf_option *option = &conf_table[index];

	return option->type == TYPE_TUNABLE ? tunable_table[option->tunable].help : option->help;
}

size_t conf_find_key(const char *section, const char *key)
{
	for (size_t i = 0; i < conf_table_size; i++) {
		if (strcmp(conf_table[i].section, section) == 0 &&
			strcmp(conf_table[i].key, key) == 0)
			return i;
	}
	return CONF_NONE;
}

/* A bare key: [relock]'s own, or the only one outside [process]. */
static size_t find_bare(const char *key)
{
	size_t found = conf_find_key("relock", key);
	unsigned count = 0;

	if (found != CONF_NONE)
		return found;
	for (size_t i = 0; i < conf_table_size; i++) {
		if (!(conf_table[i].flags & CONF_INI_ONLY) && strcmp(conf_table[i].key, key) == 0) {
			found = i;
			count++;
		}
	}
	return count == 1 ? found : CONF_NONE;
}

size_t conf_find(const char *name)
{
	const char *dot = strchr(name, '.');

	if (!dot)
		return find_bare(name);
	for (size_t i = 0; i < conf_table_size; i++) {
		size_t length = strlen(conf_table[i].section);

		if ((size_t)(dot - name) == length &&
			memcmp(conf_table[i].section, name, length) == 0 &&
			strcmp(conf_table[i].key, dot + 1) == 0)
			return i;
	}
	return CONF_NONE;
}

size_t conf_policy_option(enum conf_lock lock)
{
	size_t i = 0;

	while (conf_table[i].type != TYPE_POLICY || conf_table[i].lock != lock)
		i++;
	return i;
}

size_t conf_tunable_option(enum conf_lock lock, enum tunable_id id)
{
	size_t i = 0;

	while (conf_table[i].type != TYPE_TUNABLE || conf_table[i].lock != lock ||
		conf_table[i].tunable != id)
		i++;
	return i;
}

size_t conf_text_option(enum conf_text text)
{
	size_t i = 0;

	while (conf_table[i].type != TYPE_TEXT || conf_table[i].text != text)
		i++;
	return i;
}

const char *conf_name(size_t option, char out[CONF_NAME_MAX])
{
	struct text t = text_start(out, CONF_NAME_MAX);

	text_add(&t, "%s.%s", conf_table[option].section, conf_table[option].key);
	return out;
}
