/*
 * Reports: reads recordings (.rlk, stats/format.h) and prints what the locks in them cost.
 *
 * Use:
 *	struct report_options o = {.format = REPORT_TEXT, .by = REPORT_BY_LOCK};
 *	int status = report_run(paths, count, &o, stdout, stderr);
 * A zeroed struct report_options is the default report. The names that -k, --by, --format and
 * --color accept are in NULL-terminated arrays below, whose positions are the enumerators.
 *
 * Contract: a recording may be running, cut short, damaged or hostile; what can be read is
 * reported and what is wrong is said, nothing here crashes or exits over a file. Errors and
 * warnings are whole sentences. What a recording can take is bounded: memory by model_bytes_max
 * (model.h), time by the bytes really in it, reading the files it names by helper_limits
 * (helper.h). Nothing here writes to a recording but report_note_run(). Only for
 * the command: it allocates, uses stdio and takes DEBUGINFOD_URLS out of the environment. Not
 * thread-safe.
 *
 * The JSON document ("schema": "relock-report-1"). Times are integers in ns and their keys end in
 * _ns; shares are fractions of 1; unknown values are null. Keys are only ever added.
 *
 * - schema, relock: the schema and the version of relock that wrote the report.
 *
 * - recordings[]: path, program, command, host, libc, kernel, run_id, pid, ppid, state ("exited",
 *   "killed", "ended", "unfinished"), exit_status, exit_signal, start_realtime_ns, wall_ns,
 *   cpu_user_ns, cpu_system_ns, max_rss_kib, cpus_present, cpus_allowed, cpus_quota_milli, clock,
 *   holds, hold_sample, delegate_all, fast_mutexes, fast_spin, policy {mutex, spin, rdlock,
 *   wrlock}, config [{name, value, origin}], cost_acquire_ns, cost_clock_ns,
 *   cost_hold_ns, cost_hold_spin_ns, cost_wait_ns, lost {one key a loss}, deflation {scans,
 *   folded, total_ns, longest_ns}.
 *
 * - totals: locks, classes, threads, threads_peak, thread_time_ns, wall_ns, cpu_ns,
 *   overhead_ns, overhead_share, and the figures (below) of all locks together.
 *
 * - locks[], sorted by the key asked for: index, name, address, kind ("mutex", "spin", "rwlock"),
 *   class (a class's index), recording (position), flags[], generations, waiters_max,
 *   stands_for_many, rule (what selects its class in a rule per lock, "class=libfoo.so.1+0x10"),
 *   policy (that a rule gave it, null where none did), and the figures of all its sides together. A
 *   rwlock also has sides {read {…}, write {…}}.
 *
 * - the figures: acquired, failed, every counter of RLK_COUNTERS (ticks as name_ns), wait_p50_ns,
 *   wait_p90_ns, wait_p99_ns, hold_p50_ns, hold_p90_ns, hold_p99_ns, hold_total_estimated_ns,
 *   holds_estimated (true when only a sample of the holds was timed), spun_total_ns (waiting time
 *   that was neither yielded nor parked), acquired_first, wait_share (of all waiting),
 *   wait_histogram and hold_histogram [[lower_ns, upper_ns, count], …].
 *
 * - classes[]: index, name, kind, birth ("static", "init", "first-use", "unknown"), context,
 *   created, destroyed, locks, rule, and the figures over all its locks.
 *
 * - sites[]: places that waited, by headline: name, waits, wait_total_ns, wait_max_ns, wait_share,
 *   caused_waits, caused_total_ns (waiting of others while this place held the lock).
 *
 * - threads[]: name, tid, recording, birth_ns (since the start), lifetime_ns, ended, acquired,
 *   contended, wait_total_ns, wait_share (of its lifetime).
 *
 * - pairs[]: lock (a lock's index), kind, waiter, holder (context ids; null: not known),
 *   count, wait_total_ns, wait_share, wait_max_ns.
 *
 * - yield_sites[]: context, call ("sched_yield", "sleep"), count, asked_ns.
 *
 * - contexts[]: id, headline, stack (true, false), truncated, frames [{function, short, file, line,
 *   module, build_id, offset, inlined}], innermost first.
 *
 * - advice[], strongest first: kind (ADVICE_KINDS of advice.h, which has the thresholds of
 *   each), recording, lock, class, context (indices as above; null: not about one), thread (a
 *   name) and tid, stake_ns (what it is worth at most, in time of threads), numbers {what it
 *   rests on, keys of ADVICE_NUMBERS}, text (a sentence), command (that tests it; null: the
 *   recording has no command line), needs_change (true: the command compares with a run of
 *   the changed program).
 *
 * - warnings[]: sentences.
 *
 * CSV is the table that --by names, one heading line, the same keys as columns; a rwlock has one
 * row a side, of kind "rdlock" and "wrlock", so that columns can be summed. A name that a
 * spreadsheet would take for a formula (it begins with =, +, - or @ and is no number) has ' in
 * front; control characters are \xNN. Names as they are stand in JSON.
 *
 * HTML is what the text says, as one page that loads nothing and has no script. It has more room:
 * 100 rows, whole names, and where each recording was made.
 *
 * "folded" is what flame graphs are drawn from: a line for each stack and lock that were waited
 *for, longest first, "program;outermost;…;innermost;[lock] N", N in ns. By class, [class]; by site,
 *none; there is none by thread. A ";" in a name is ",". A place without a stack is one frame, one
 *that is not known "?"; "…" stands for frames that were not recorded.
 *
 * "openmetrics" is OpenMetrics text: relock_recording_info for each recording, the totals as
 * relock_NAME, and the rows of the table that --by names as relock_lock_NAME, relock_class_NAME, …,
 * with the labels index, name and kind; for a single recording also program, pid and host. NAME is
 * acquired, failed or a counter of RLK_COUNTERS; times are in seconds and end in _seconds, what
 *adds up ends in _total.
 */
#ifndef RELOCK_STATS_REPORT_REPORT_H
#define RELOCK_STATS_REPORT_REPORT_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/resource.h>

enum report_format {
	REPORT_TEXT,
	REPORT_JSON,
	REPORT_CSV,
	REPORT_HTML,
	REPORT_FOLDED,
	REPORT_OPENMETRICS
};
#define REPORT_FORMATS (REPORT_OPENMETRICS + 1)
enum report_by { REPORT_BY_LOCK, REPORT_BY_CLASS, REPORT_BY_SITE, REPORT_BY_THREAD };
enum report_color { REPORT_COLOR_AUTO, REPORT_COLOR_ALWAYS, REPORT_COLOR_NEVER };

extern const char *const report_format_names[]; /* "text", "json", …, NULL */
extern const char *const report_by_names[];     /* "lock", "class", "site", "thread", NULL */
extern const char *const report_color_names[];  /* "auto", "always", "never", NULL */
extern const char *const report_key_names[];    /* "wait", "acquired", …, NULL */

/* One line of help on report_key_names[index]. */
const char *report_key_help(size_t index);

#define REPORT_ROWS_ALL UINT_MAX

struct report_options {
	enum report_format format;
	enum report_by by;
	const char *key; /* one of report_key_names; NULL: "wait" */
	unsigned rows; /* rows a table; 0: ten in a text, 100 in HTML, 1000 in OpenMetrics, else all
			*/
	bool stacks;   /* text, HTML: the stacks of waiters under each lock */
	bool rules;    /* text, HTML: what selects each lock in a rule per lock */
	enum report_color color;
	const char *next; /* what the end of a text or page proposes to type; NULL: chosen by the
			     report; "": no such line */
};

enum report_status {
	REPORT_OK,         /* printed; `err` may carry warnings */
	REPORT_UNREADABLE, /* no recording could be read, or the output could not be written */
	REPORT_BAD_OPTION, /* an option has no such value; `err` says which exist */
};

/*
 * Prints a report over `count` paths to `out`, errors and warnings to `err` (a text report carries
 * its warnings itself). A directory stands for every *.rlk in it; several recordings are merged.
 */
int report_run(const char *const *paths, size_t count, const struct report_options *options,
	FILE *out, FILE *err);

/* The most recently changed *.rlk of a directory, as a path that starts with it. False: none. */
bool report_newest(const char *directory, char *out, size_t size);

struct report_found {
	char path[PATH_MAX];
	int32_t pid;
	uint64_t waited_ns;
};

/*
 * All recordings of a directory that carry this run id, the one with most waited time first.
 * Returns how many and stores a list for free() in *found (NULL when there are none).
 */
size_t report_find_run(const char *directory, const char *run_id, struct report_found **found);

/*
 * Adds to a recording how its process ended: `status` as from waitpid, its resource usage, the wall
 * time. False with errno set: it could not be opened or written, or is no recording (EINVAL).
 */
bool report_note_run(const char *path, int status, const struct rusage *usage, uint64_t wall_ns);

#endif
