/* Advice as sentences. */
#include "stats/report/advice.h"
#include "stats/report/memory.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define NAME_WIDTH 56

struct sentence {
	const struct advice_words *words;
	const struct advice *advice;
	FILE *out;
};

/* --- parts */

static void put_number(struct sentence *s, enum advice_number id)
{
	double value = s->advice->number[id];
	char text[UNITS_MAX];

	switch (advice_number_info[id].unit) {
	case ADVICE_NS:
		units_duration(units_whole(value), false, &s->words->style, text, sizeof text);
		break;
	case ADVICE_PART:
		units_share(value, text, sizeof text);
		break;
	case ADVICE_COUNT:
		units_count(units_whole(value), text, sizeof text);
		break;
	}
	fputs(text, s->out);
}

static void put_name(struct sentence *s, const char *name)
{
	const struct style *style = &s->words->style;
	char *shown;

	if (s->words->whole) {
		fputs(name, s->out);
		return;
	}
	shown = units_escape(name, style);
	units_cut(shown, NAME_WIDTH, style);
	fputs(shown, s->out);
	free(shown);
}

static void put_context(struct sentence *s)
{
	put_name(s, labels_context(s->words->labels, s->advice->context));
}

/* The number of the lock in the table above; 0: it is not there. */
static size_t lock_rank(const struct sentence *s)
{
	const struct view *table = s->words->table;

	if (!table || table->by != REPORT_BY_LOCK || s->advice->lock == NONE)
		return 0;
	for (size_t i = 0; i < table->count && i < s->words->table_rows; i++)
		if (table->row[i].subject == s->advice->lock)
			return i + 1;
	return 0;
}

static bool is_one(const struct sentence *s)
{
	return s->advice->lock != NONE;
}

/* "lock 3", "DBImpl::mutex", "the 16 locks of LRU (cache.cc:50)" */
static void put_locks(struct sentence *s)
{
	size_t rank = lock_rank(s);
	char *label;

	if (rank > 0) {
		fprintf(s->out, "lock %zu", rank);
		return;
	}
	if (is_one(s)) {
		label = labels_lock(s->words->labels, s->advice->lock);
	} else {
		label = view_label(s->words->list->classes, s->advice->class_row);
		fputs("the ", s->out);
		put_number(s, NUMBER_locks);
		fputs(" locks ", s->out);
	}
	put_name(s, label);
	free(label);
}

static const char *is_or_are(const struct sentence *s)
{
	return is_one(s) ? "is" : "are";
}

static void put_crowd(struct sentence *s)
{
	double cpus = s->advice->number[NUMBER_cpus];

	fprintf(s->out, "%g threads on %g CPU%s", s->advice->number[NUMBER_threads], cpus,
		cpus == 1 ? "" : "s");
}

/* --- kinds */

static void say_vain_spins(struct sentence *s)
{
	put_number(s, NUMBER_blocked);
	fputs(" of the waits for ", s->out);
	put_locks(s);
	fputs(" spun, ", s->out);
	put_number(s, NUMBER_spun_each);
	fputs(" each, and then blocked all the same: spinning less would save up to ", s->out);
	put_number(s, NUMBER_spun_total);
	fputs(" of CPU", s->out);
}

static void say_short_holds(struct sentence *s)
{
	put_locks(s);
	fprintf(s->out, " %s held ", is_or_are(s));
	put_number(s, NUMBER_hold_p90);
	fputs(" at p90, but a wait, most of which block, takes ", s->out);
	put_number(s, NUMBER_wait_mean);
	fputs(" on average: spinning for some ", s->out);
	put_number(s, NUMBER_window);
	fputs(" first may spare most of ", s->out);
	put_number(s, NUMBER_short_total);
}

static void say_descheduled(struct sentence *s)
{
	put_locks(s);
	fprintf(s->out, " %s held ", is_or_are(s));
	put_number(s, NUMBER_hold_p99);
	fputs(" at p99, but ", s->out);
	put_number(s, NUMBER_long_total);
	fputs(" of ", s->out);
	put_number(s, NUMBER_wait_total);
	fputs(" went by in waits of 1 ms and more: with ", s->out);
	put_crowd(s);
	fputs(", who holds it or is next has no CPU; try yielding, or fewer threads", s->out);
}

static void say_long_holder(struct sentence *s)
{
	const struct advice *a = s->advice;

	put_locks(s);
	fprintf(s->out, " %s held ", is_or_are(s));
	put_number(s, NUMBER_hold_p50);
	fputs(" at the median", s->out);
	if (a->has[NUMBER_hold_p99]) {
		fputs(" but ", s->out);
		put_number(s, NUMBER_hold_p99);
		fputs(" at p99", s->out);
	}
	fputs(": the long holder is ", s->out);
	put_context(s);
	fputs(", for which ", s->out);
	put_number(s, NUMBER_holder_waits);
	fputs(" waits took ", s->out);
	put_number(s, NUMBER_holder_total);
	fputs(", ", s->out);
	put_number(s, NUMBER_holder_share);
	fputs(" of the waiting", s->out);
}

static void put_thread(struct sentence *s)
{
	const struct thread *thread;

	if (s->advice->thread == NONE) {
		put_number(s, NUMBER_threads);
		fputs(" threads, one after the other,", s->out);
		return;
	}
	thread = &s->words->list->model->threads.row[s->advice->thread];
	fprintf(s->out, "thread %" PRId32, thread->tid);
	if (thread->name[0]) {
		fputs(" (", s->out);
		put_name(s, thread->name);
		fputc(')', s->out);
	}
	if (s->advice->number[NUMBER_others] > 0) {
		fputs(", like ", s->out);
		put_number(s, NUMBER_others);
		fprintf(s->out, " other%s,", s->advice->number[NUMBER_others] == 1 ? "" : "s");
	}
}

static void say_bursts(struct sentence *s)
{
	put_thread(s);
	fputs(" took ", s->out);
	put_locks(s);
	fputc(' ', s->out);
	put_number(s, NUMBER_acquired);
	fputs(" times in runs, one in ", s->out);
	put_number(s, NUMBER_apart);
	fputs(", held ", s->out);
	put_number(s, NUMBER_hold_mean);
	fputs(": one hold for many would save up to ", s->out);
	put_number(s, NUMBER_between);
	fputs(" each, ", s->out);
	put_number(s, NUMBER_saved);
	fputs(" in all, if nothing else is done in between", s->out);
}

static void say_many_locks(struct sentence *s)
{
	put_number(s, NUMBER_wait_total);
	fputs(" of waiting is spread over ", s->out);
	put_locks(s);
	fputs(", ", s->out);
	put_number(s, NUMBER_largest_share);
	fputs(" at most for one of them: a rule for their class reaches all", s->out);
}

static void say_churn(struct sentence *s)
{
	char *label = view_label(s->words->list->classes, s->advice->class_row);

	put_number(s, NUMBER_created);
	fputs(" locks were made at ", s->out);
	put_name(s, label);
	fputs(" and ", s->out);
	put_number(s, NUMBER_destroyed);
	fputs(" destroyed, ", s->out);
	put_number(s, NUMBER_per_second);
	fprintf(s->out, " a second, each taken %.1f times: keeping them would be cheaper",
		s->advice->number[NUMBER_acquired] / s->advice->number[NUMBER_created]);
	free(label);
}

static void say_cpu_burnt(struct sentence *s)
{
	put_number(s, NUMBER_burnt_share);
	fputs(" of the CPU time, ", s->out);
	put_number(s, NUMBER_burnt);
	fputs(", went into waiting for locks, with ", s->out);
	put_crowd(s);
	fputs(": let waiters block", s->out);
}

static void say_only_written(struct sentence *s)
{
	put_locks(s);
	fprintf(s->out, " %s write-locked ", is_one(s) ? "was" : "were");
	put_number(s, NUMBER_acquired);
	fputs(" times and never read-locked: a mutex does the same for less", s->out);
}

static void say_home_made(struct sentence *s)
{
	bool sleeps = s->advice->has[NUMBER_asked];

	put_context(s);
	fprintf(s->out, " %s ", sleeps ? "slept briefly" : "called sched_yield");
	put_number(s, NUMBER_calls);
	fputs(" times, ", s->out);
	put_number(s, NUMBER_per_second);
	fputs(" a second: it waits in a loop of its own, which no policy reaches", s->out);
}

char *advice_sentence(const struct advice_words *words, const struct advice *advice)
{
	static void (*const say[ADVICES])(struct sentence *) = {
		[ADVICE_VAIN_SPINS] = say_vain_spins,
		[ADVICE_SHORT_HOLDS] = say_short_holds,
		[ADVICE_DESCHEDULED] = say_descheduled,
		[ADVICE_LONG_HOLDER] = say_long_holder,
		[ADVICE_BURSTS] = say_bursts,
		[ADVICE_MANY_LOCKS] = say_many_locks,
		[ADVICE_CHURN] = say_churn,
		[ADVICE_CPU_BURNT] = say_cpu_burnt,
		[ADVICE_ONLY_WRITTEN] = say_only_written,
		[ADVICE_HOME_MADE] = say_home_made,
	};
	char *text = NULL;
	size_t size;
	struct sentence s = {words, advice, open_memstream(&text, &size)};

	if (!s.out)
		return memory_copy("");
	say[advice->kind](&s);
	fclose(s.out);
	return text;
}
