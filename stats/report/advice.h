/*
 * Advice: what the figures of a recording prove, strongest first.
 *
 * Use:
 *	struct advices *list = advices_new(model, labels);
 *	…list->row[i]: what it is about, the numbers it rests on…
 *	text = advice_sentence(&words, &list->row[i]);  command = advice_command(&words, …);
 *	advices_free(list);
 *
 * A function of the model and its names alone. Every kind has thresholds of its own, below, for how
 * much has to be at stake and how much must have been seen: no advice is better than a wrong one.
 *
 * What is at stake is compared with the busy time: what the program computed, and what its threads
 * waited for locks without computing. Threads that are idle have no part in it.
 */
#ifndef RELOCK_STATS_REPORT_ADVICE_H
#define RELOCK_STATS_REPORT_ADVICE_H

#include "stats/report/units.h"
#include "stats/report/view.h"

/* --- thresholds */

#define LIMIT_AT_STAKE 0.05  /* of the busy time */
#define LIMIT_WAITS 100      /* waits that make a statement about waits */
#define LIMIT_HOLDS 100      /* timed holds that make one about holds, */
#define LIMIT_HOLDS_P99 1000 /* and about one in a hundred of them */

/* vain-spins: spinning that ended in blocking or sleeping all the same. */
#define LIMIT_VAIN 0.8      /* of the waits */
#define LIMIT_VAIN_CPU 0.02 /* of the CPU time went into it */

/* short-holds: waits that block although the lock will be free sooner than they fall asleep. */
#define LIMIT_SPINNABLE_NS 10000 /* longest p90 of holds worth spinning for */
#define LIMIT_SHORT 4            /* the average wait is so many times that p90 */
#define LIMIT_BLOCKED 0.5        /* of the waits blocked */
#define LIMIT_WAKE_NS 200000     /* longer waits than this are not only a wake-up: not counted, */
#define LIMIT_ON_CPU 0.8 /* unless threads had a CPU for so much of the time they wanted one */

/* descheduled: the lock is held shortly, and waited for as long as time slices are. */
#define LIMIT_SLICE_NS 1000000     /* the shortest wait that counts as long, */
#define LIMIT_SLICE_SHARE 0.5      /* of all waiting is in long waits, */
#define LIMIT_SLICE_WAITS 20       /* so many at least, */
#define LIMIT_SLICE_HOLD_NS 100000 /* and p99 of holds is at most this, */
#define LIMIT_CROWDED 2.0          /* with so many threads for each CPU */

/* long-holder: most waiting for a lock is for one place that holds it much longer than is usual. */
#define LIMIT_HOLDER_SHARE 0.5 /* of the waiting for the lock is for that place, */
#define LIMIT_HOLDER_WAITS 20  /* in so many waits at least, */
#define LIMIT_HOLDER_NS 20000  /* of this length at least, and the same for p99 of holds; */
#define LIMIT_LONG_HOLD 20     /* p99 of holds is so many times their median, */
/* or that place's share of the waiting is so many times its share of the waits. */
#define LIMIT_HOLDER_EXCESS 2.0

/* bursts: one thread takes one lock over and over with next to nothing in between. */
#define LIMIT_BURST 10000 /* acquisitions in runs, */
/* From one hold to the next, waits left out, as long as acquiring and releasing take where the
 * lock's cache line has to be fetched: more is work of the program's own. */
#define LIMIT_BURST_BETWEEN_NS 150
#define LIMIT_BURST_SAVED 0.1 /* of the time the thread can have computed went by between holds */

/* many-locks: waiting is spread over the locks of one class. */
#define LIMIT_MANY 1000  /* locks, */
#define LIMIT_SPREAD 0.1 /* of the waiting is for one of them at most */

/* churn: locks are made and destroyed all the time. */
#define LIMIT_CHURN 100000     /* locks made, */
#define LIMIT_CHURN_RATE 10000 /* a second, */
#define LIMIT_CHURN_GONE 0.9   /* of them destroyed, */
#define LIMIT_CHURN_USES 4.0   /* and taken so often at most, each */

/* cpu-burnt: more threads than CPUs, and most of the CPU time went into waiting. */
#define LIMIT_BURNT_WAITS 20 /* waits that make a statement about so much time */
#define LIMIT_BURNT 0.25     /* of the CPU time */
#define LIMIT_YIELD_NS 300   /* what a yield costs at least */

/* only-written: a rwlock that nobody reads. */
#define LIMIT_WRITTEN 100000    /* times taken, */
#define LIMIT_RWLOCK_NS 10      /* at so much more than a mutex would have cost, */
#define LIMIT_RWLOCK_SHARE 0.01 /* which is this share of the busy time, or it is waited for */

/* home-made: the program yields, or sleeps as briefly as it can, in a loop. */
#define LIMIT_HOME_MADE 10000           /* calls from one place, */
#define LIMIT_HOME_MADE_RATE 1000       /* a second, */
#define LIMIT_HOME_MADE_SLEEP_NS 100000 /* that asked for so much sleep at most, each */

/* --- types */

/* X(name, text): the kinds. The text is what JSON calls them. */
#define ADVICE_KINDS(X)                                                                            \
	X(VAIN_SPINS, "vain-spins")                                                                \
	X(SHORT_HOLDS, "short-holds")                                                              \
	X(DESCHEDULED, "descheduled")                                                              \
	X(LONG_HOLDER, "long-holder")                                                              \
	X(BURSTS, "bursts")                                                                        \
	X(MANY_LOCKS, "many-locks")                                                                \
	X(CHURN, "churn")                                                                          \
	X(CPU_BURNT, "cpu-burnt")                                                                  \
	X(ONLY_WRITTEN, "only-written")                                                            \
	X(HOME_MADE, "home-made")

#define ADVICE_KIND_ID(name, text) ADVICE_##name,
enum advice_kind { ADVICE_KINDS(ADVICE_KIND_ID) ADVICES };
#undef ADVICE_KIND_ID
extern const char *const advice_kind_names[ADVICES];

/* The numbers that advice rests on; each kind has some. X(name, unit, description). */
#define ADVICE_NUMBERS(X)                                                                          \
	X(waits, count, "contended acquisitions")                                                  \
	X(wait_total, ns, "waiting for it")                                                        \
	X(wait_mean, ns, "average wait")                                                           \
	X(blocked, share, "waits that ended by blocking or sleeping")                              \
	X(short_total, ns, "waiting in waits no longer than falling asleep and being woken takes") \
	X(long_waits, count, "waits of a millisecond and more")                                    \
	X(long_total, ns, "waiting in these")                                                      \
	X(spun_total, ns, "CPU time spent spinning")                                               \
	X(spun_each, ns, "the same for each wait")                                                 \
	X(hold_p50, ns, "median hold")                                                             \
	X(hold_p90, ns, "")                                                                        \
	X(hold_p99, ns, "")                                                                        \
	X(window, ns, "how long to spin")                                                          \
	X(spins, count, "about so many pauses")                                                    \
	X(holder_waits, count, "waits for the place named in context")                             \
	X(holder_total, ns, "waiting in these")                                                    \
	X(holder_share, share, "of the waiting for the lock")                                      \
	X(acquired, count, "acquisitions; bursts: those in runs")                                  \
	X(apart, ns, "from one acquisition to the next")                                           \
	X(hold_mean, ns, "mean hold of the thread")                                                \
	X(between, ns, "from one hold to the next: acquiring, releasing, what else is done")       \
	X(others, count, "further threads that do the same")                                       \
	X(saved, ns, "the sum of that: what one hold for many would save at most")                 \
	X(saved_share, share, "of the time it can have computed")                                  \
	X(locks, count, "locks")                                                                   \
	X(largest_share, share, "of their waiting that is for one lock")                           \
	X(created, count, "locks made")                                                            \
	X(destroyed, count, "locks destroyed")                                                     \
	X(per_second, count, "of wall time")                                                       \
	X(burnt, ns, "CPU time spent waiting")                                                     \
	X(burnt_share, share, "of the CPU time")                                                   \
	X(threads, count, "at once")                                                               \
	X(cpus, share, "CPUs the process may use")                                                 \
	X(calls, count, "calls")                                                                   \
	X(asked, ns, "sleep asked for")

#define ADVICE_NUMBER_ID(name, unit, description) NUMBER_##name,
enum advice_number { ADVICE_NUMBERS(ADVICE_NUMBER_ID) NUMBERS };
#undef ADVICE_NUMBER_ID

enum advice_unit { ADVICE_COUNT, ADVICE_NS, ADVICE_PART };
struct advice_number_info {
	const char *name; /* key in JSON; ns end in _ns */
	enum advice_unit unit;
};
extern const struct advice_number_info advice_number_info[NUMBERS];

struct advice {
	enum advice_kind kind;
	double stake_ns;    /* what it is worth at most, in time of threads */
	uint32_t run;       /* whose policy and command line count */
	uint32_t lock;      /* NONE: all of the class, or no lock */
	uint32_t class_row; /* row of advices->classes; NONE: about no lock */
	uint32_t thread;    /* bursts: row of the model; NONE: none, or several that followed each
			       other */
	uint32_t context;   /* the holder, or a place of home-made waiting; 0: none */
	bool has[NUMBERS];
	double number[NUMBERS];
};

struct advices {
	const struct model *model;
	struct view *classes; /* by class */
	struct advice *row;
	size_t count, capacity;
};

struct advices *advices_new(struct model *model, struct labels *labels);
void advices_free(struct advices *list);

/* --- as words */

struct advice_words {
	const struct advices *list;
	struct labels *labels;
	const struct view *table; /* locks are called by their number in it; NULL: by name */
	size_t table_rows;        /* rows of it that are shown */
	struct style style;
	bool whole; /* names are not shortened, nor escaped: for machines */
};

/* One sentence without a full stop, for free(). */
char *advice_sentence(const struct advice_words *words, const struct advice *advice);
/* The command that tests it, for free(); NULL: the recording has no command line, or one that would
 * do something else when it is typed. Where relock can
 * do nothing about it, the command compares with a run of the changed program. */
char *advice_command(const struct advice_words *words, const struct advice *advice);
/* The command has something to compare with only after the program was changed. */
bool advice_needs_change(const struct advice *advice);

#endif
