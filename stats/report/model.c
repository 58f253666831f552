#include "stats/report/model.h"

#include "stats/report/load.h"
#include "stats/report/memory.h"

#include <inttypes.h>
#include <stdlib.h>

uint64_t model_bytes_max = 1ull << 30;

struct model *model_new(void)
{
	return memory_get(1, sizeof(struct model));
}

/* Of each row its place in an index, and in the recording's own numbering. */
#define ROW_EXTRA 24

bool model_room(struct model *m, enum model_share share, size_t bytes)
{
#define MODEL_SHARE_SIZE(name, sixteenths) [SHARE_##name] = sixteenths,
	static const unsigned sixteenths[SHARES] = {MODEL_SHARES(MODEL_SHARE_SIZE)};

	if (m->bytes[share] + bytes + ROW_EXTRA > model_bytes_max / 16 * sixteenths[share]) {
		m->full = true;
		return false;
	}
	m->bytes[share] += bytes + ROW_EXTRA;
	return true;
}

void model_add(struct model *m, const struct recording *recording)
{
	struct load l = {.model = m,
		.recording = recording,
		.shards = {.row_size = sizeof(struct shard_sum)}};

	load_run(&l);
	load_places(&l);
	load_classes(&l);
	load_locks(&l);
	load_counts(&l);
	load_pairs(&l);
	load_yield_sites(&l);
	load_threads(&l);
	load_run_end(&l);
	map_end(&l.modules);
	map_end(&l.sites);
	map_end(&l.stacks);
	map_end(&l.classes);
	map_end(&l.locks);
	free(l.local_modules);
	free(l.ranges);
	sparse_free(&l.shards);
	m->bytes[SHARE_READING] = 0;
}

void *load_sparse(struct load *l, struct sparse *table, uint64_t index)
{
	if (!sparse_find(table, index) && !model_room(l->model, SHARE_READING, SPARSE_PART_BYTES))
		return NULL;
	return sparse_make(table, index);
}

bool model_is_rwlock(uint32_t kind)
{
	return kind == RLK_KIND_RDLOCK || kind == RLK_KIND_WRLOCK;
}

bool model_lock_is_empty(const struct lock *lock)
{
	const struct side *side = lock->side;

	return (lock->flags & RLK_LOCK_IS_CLASS) && !side[SIDE_READ].acquired &&
	       !side[SIDE_WRITE].acquired && !side[SIDE_READ].failed && !side[SIDE_WRITE].failed &&
	       !side[SIDE_READ].detail && !side[SIDE_WRITE].detail;
}

void model_lock_figures(const struct lock *lock, struct figures *out)
{
	*out = (struct figures){0};
	for (unsigned side = 0; side < SIDES; side++)
		figures_add(out, lock->side[side].acquired, lock->side[side].failed,
			lock->side[side].detail);
}

/* A thread may be between noting a wait and counting the acquisition; more than that is an error.
 * By class, as a thread's waits for many locks may be kept per class. */
static void check_sums(struct model *m)
{
	uint64_t *acquired = memory_get(m->classes.count * SIDES, sizeof *acquired);
	uint64_t *contended = memory_get(m->classes.count * SIDES, sizeof *contended);
	uint64_t excess = 0;

	for (size_t i = 0; i < m->locks.count; i++) {
		for (unsigned side = 0; side < SIDES; side++) {
			const struct side *s = &m->locks.row[i].side[side];
			size_t at = (size_t)m->locks.row[i].class * SIDES + side;

			acquired[at] += s->acquired;
			contended[at] += s->detail ? s->detail->counter[COUNT_contended] : 0;
		}
	}
	for (size_t at = 0; at < m->classes.count * SIDES; at++)
		if (contended[at] > acquired[at])
			excess += contended[at] - acquired[at];
	free(acquired);
	free(contended);
	if (excess > m->threads.count)
		notes_add(&m->notes,
			"inconsistent: %" PRIu64 " acquisitions waited that were not counted",
			excess);
}

static void sum_runs(struct model *m)
{
	uint64_t start = UINT64_MAX, end = 0;

	m->cpu_known = true;
	for (size_t i = 0; i < m->runs.count; i++) {
		const struct run *run = &m->runs.row[i];
		uint64_t began = run->header.start_realtime_ns;

		m->threads_peak += run->threads_peak;
		m->thread_time_ns += run->thread_time_ns;
		m->overhead_ns += run->overhead_ns;
		m->cpu_ns += run->cpu_user_ns + run->cpu_system_ns;
		m->cpu_known = m->cpu_known && run->cpu_known;
		start = began < start ? began : start;
		end = began + run->wall_ns > end ? began + run->wall_ns : end;
	}
	m->wall_ns = end > start ? end - start : 0;
}

/* Locks whose class is not in the recording get one made up, so that sums stay whole. */
static void describe_all(struct model *m)
{
	uint32_t made = NONE;

	for (size_t i = 0; i < m->locks.count; i++) {
		if (m->locks.row[i].class != NONE)
			continue;
		if (made == NONE) {
			made = (uint32_t)m->classes.count;
			m->classes.row = memory_grow(
				m->classes.row, made, &m->classes.capacity, sizeof *m->classes.row);
			m->classes.row[m->classes.count++] = (struct class){
				.kind = m->locks.row[i].kind, .place = {.module = NONE}};
		}
		m->locks.row[i].class = made;
		m->classes.row[made].locks++;
	}
}

void model_finish(struct model *m)
{
	describe_all(m);
	for (size_t i = 0; i < m->locks.count; i++) {
		const struct lock *lock = &m->locks.row[i];

		m->locks_shown += !model_lock_is_empty(lock);
		for (unsigned side = 0; side < SIDES; side++)
			figures_add(&m->total, lock->side[side].acquired, lock->side[side].failed,
				lock->side[side].detail);
	}
	sum_runs(m);
	check_sums(m);
	if (m->full)
		notes_add(&m->notes,
			"too large: rows that do not fit into %" PRIu64
			" MiB are left out, or counted together",
			model_bytes_max >> 20);
}

static void run_free(struct run *run)
{
	free(run->path);
	free(run->program);
	free(run->command);
	free(run->host);
	free(run->libc);
	free(run->kernel);
	free(run->config);
	free(run->run_id);
	for (unsigned kind = 0; kind < RLK_KINDS; kind++)
		free(run->policy[kind]);
	for (unsigned rule = 0; rule <= RUN_RULES_MAX; rule++)
		free(run->policy_of_rule[rule]);
}

static void lock_free(struct lock *lock)
{
	for (unsigned side = 0; side < SIDES; side++) {
		if (!lock->side[side].detail)
			continue;
		detail_free(lock->side[side].detail);
		free(lock->side[side].detail);
	}
}

#define TABLE_FREE(table) (free((table).row), index_free(&(table).index))

void model_free(struct model *m)
{
	for (size_t i = 0; i < m->runs.count; i++)
		run_free(&m->runs.row[i]);
	for (size_t i = 0; i < m->modules.count; i++)
		free(m->modules.row[i].path);
	for (size_t i = 0; i < m->locks.count; i++)
		lock_free(&m->locks.row[i]);
	TABLE_FREE(m->runs);
	TABLE_FREE(m->modules);
	TABLE_FREE(m->sites);
	TABLE_FREE(m->stacks);
	TABLE_FREE(m->classes);
	TABLE_FREE(m->locks);
	TABLE_FREE(m->threads);
	TABLE_FREE(m->pairs);
	TABLE_FREE(m->yield_sites);
	TABLE_FREE(m->bursts);
	free(m->stack_sites);
	notes_free(&m->notes);
	free(m);
}
