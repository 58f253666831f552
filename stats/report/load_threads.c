/*
 * Threads. A shard is handed on when its thread ends, so what a thread did is the difference
 * between the shard's sums when it took it over and when the next one did; for the last taker, the
 * sums as they are.
 */
#include "stats/report/load.h"
#include "stats/report/memory.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct taker {
	struct rlk_thread thread;
	uint64_t index;
};

struct takers {
	struct taker *row;
	size_t count, capacity;
};

static int taker_compare(const void *a, const void *b)
{
	const struct taker *x = a, *y = b;

	if (x->thread.shard != y->thread.shard)
		return x->thread.shard < y->thread.shard ? -1 : 1;
	if (x->thread.birth_ticks != y->thread.birth_ticks)
		return x->thread.birth_ticks < y->thread.birth_ticks ? -1 : 1;
	return (x->index > y->index) - (x->index < y->index);
}

static void takers_read(struct load *l, struct takers *t)
{
	const struct rlk_thread *row;
	struct rows rows;

	rows_begin(&rows, l->recording, RLK_THREADS);
	while ((row = rows_next(&rows))) {
		if (row->birth_ticks == 0 || !model_room(l->model, SHARE_THREADS,
						     sizeof *t->row + sizeof(struct thread)))
			continue;
		t->row = memory_grow(t->row, t->count, &t->capacity, sizeof *t->row);
		t->row[t->count++] = (struct taker){*row, rows.index};
		if (l->last_ticks < row->birth_ticks)
			l->last_ticks = row->birth_ticks;
		if (l->last_ticks < row->end_ticks)
			l->last_ticks = row->end_ticks;
	}
	if (t->count > 0)
		qsort(t->row, t->count, sizeof *t->row, taker_compare);
}

/* The shard's sums when the thread at `i` was done with it. */
static struct shard_sum sums_after(struct load *l, const struct takers *t, size_t i)
{
	const struct rlk_thread *next = i + 1 < t->count ? &t->row[i + 1].thread : NULL;
	const struct shard_sum *sum;

	if (next && next->shard == t->row[i].thread.shard)
		return (struct shard_sum){
			next->before_acquired, next->before_contended, next->before_wait_ticks};
	sum = load_shard(l, t->row[i].thread.shard + 1);
	return sum ? *sum : (struct shard_sum){0};
}

/* 0 where the sums are inconsistent, as in a recording being written. */
static uint64_t difference(uint64_t after, uint64_t before, bool *consistent)
{
	if (after >= before)
		return after - before;
	*consistent = false;
	return 0;
}

static void thread_append(struct model *m, const struct thread *thread)
{
	m->threads.row = memory_grow(
		m->threads.row, m->threads.count, &m->threads.capacity, sizeof *m->threads.row);
	m->threads.row[m->threads.count++] = *thread;
}

static bool load_thread(struct load *l, const struct takers *t, size_t i)
{
	const struct rlk_thread *from = &t->row[i].thread;
	const struct clock *clock = &l->model->runs.row[l->run].clock;
	struct shard_sum after = sums_after(l, t, i);
	uint64_t end = from->end_ticks ? from->end_ticks : l->last_ticks;
	bool consistent = true;
	struct thread thread = {.tid = from->tid,
		.run = l->run,
		.shard = from->shard + 1,
		.birth_ns = clock_since_start(clock, from->birth_ticks),
		.lifetime_ns =
			end > from->birth_ticks ? clock_ns(clock, end - from->birth_ticks) : 0,
		.ended = from->end_ticks != 0};

	memcpy(thread.name, from->name, RLK_NAME_MAX);
	thread.acquired = difference(after.acquired, from->before_acquired, &consistent);
	thread.contended = difference(after.contended, from->before_contended, &consistent);
	thread.wait_ns =
		clock_ns(clock, difference(after.wait_ticks, from->before_wait_ticks, &consistent));
	thread_append(l->model, &thread);
	l->model->runs.row[l->run].thread_time_ns += thread.lifetime_ns;
	return consistent;
}

static int moment_compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* The most threads there were at one moment: each birth against the ends before it. */
static uint32_t threads_peak(const struct takers *t)
{
	uint64_t *birth = memory_get(t->count, sizeof *birth);
	uint64_t *end = memory_get(t->count, sizeof *end);
	size_t ended = 0, peak = 0;

	for (size_t i = 0; i < t->count; i++) {
		birth[i] = t->row[i].thread.birth_ticks;
		end[i] = t->row[i].thread.end_ticks ? t->row[i].thread.end_ticks : UINT64_MAX;
	}
	qsort(birth, t->count, sizeof *birth, moment_compare);
	qsort(end, t->count, sizeof *end, moment_compare);
	for (size_t i = 0; i < t->count; i++) {
		while (ended < i && end[ended] <= birth[i])
			ended++;
		if (peak < i + 1 - ended)
			peak = i + 1 - ended;
	}
	free(birth);
	free(end);
	return (uint32_t)peak;
}

void load_threads(struct load *l)
{
	struct takers takers = {0};
	struct run *run;
	size_t inconsistent = 0;

	takers_read(l, &takers);
	for (size_t i = 0; i < takers.count; i++)
		inconsistent += !load_thread(l, &takers, i);
	run = &l->model->runs.row[l->run];
	run->threads = (uint32_t)takers.count;
	run->threads_peak = threads_peak(&takers);
	if (inconsistent > 0 && run->header.end != RLK_RUNNING)
		notes_add(&l->model->notes,
			"%s: the figures of %zu threads are less than they were before", run->path,
			inconsistent);
	free(takers.row);
}
