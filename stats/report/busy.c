#include "stats/report/busy.h"

double busy_cpus(const struct run *run)
{
	double cpus = run->header.cpus_allowed;

	if (run->header.cpus_quota_milli > 0 && run->header.cpus_quota_milli < cpus * 1000)
		cpus = run->header.cpus_quota_milli / 1000.0;
	return cpus;
}

/* Left to the C library, a spinlock's waiters spin in what is counted as blocking. */
static double spinlocks_ns(const struct model *m)
{
	double spun = 0;

	for (size_t i = 0; i < m->locks.count; i++) {
		const struct detail *d = m->locks.row[i].side[SIDE_READ].detail;

		if (m->locks.row[i].kind == RLK_KIND_SPIN && d && d->counter[COUNT_blocks] > 0 &&
			d->counter[COUNT_sleeps] == 0)
			spun += (double)d->counter[COUNT_parked_total];
	}
	return spun;
}

/* Threads that neither slept in a lock nor in a condition wait may have slept elsewhere: this is
 * the most time that they can have wanted a CPU. */
static double wanted_ns(const struct model *m, double spinlocks)
{
	const uint64_t *counter = m->total.counter;
	double asleep = (double)counter[COUNT_parked_total] - spinlocks +
			(double)counter[COUNT_cond_wait_total];
	double all = (double)m->thread_time_ns;

	return all > asleep ? all - asleep : 0;
}

static double least(double a, double b)
{
	return a < b ? a : b;
}

static double most(double a, double b)
{
	return a > b ? a : b;
}

static double crowding(const struct model *m)
{
	double crowding = 0;

	for (size_t i = 0; i < m->runs.count; i++) {
		const struct run *run = &m->runs.row[i];

		if (busy_cpus(run) > 0)
			crowding = most(crowding, run->threads_peak / busy_cpus(run));
	}
	return crowding;
}

void busy_find(const struct model *m, struct busy *out)
{
	double spinlocks = spinlocks_ns(m), wanted = wanted_ns(m, spinlocks);
	double waited = (double)m->total.counter[COUNT_wait_total];
	double cond_waits = (double)m->total.counter[COUNT_cond_wait_total];

	*out = (struct busy){.on_cpu = 1,
		.spun_ns = (double)figures_spun_ns(&m->total) + spinlocks,
		.crowding = crowding(m)};
	if (m->cpu_known)
		out->cpu_ns = (double)m->cpu_ns;
	wanted = most(wanted, out->spun_ns);
	if (out->cpu_ns > 0 && wanted > 0)
		out->on_cpu = least(1, out->cpu_ns / wanted);
	if (out->cpu_ns > 0)
		out->busy_ns = out->cpu_ns + waited - busy_cpu_of(out, out->spun_ns);
	else
		out->busy_ns = most(waited, (double)m->thread_time_ns - cond_waits);
}

double busy_cpu_of(const struct busy *busy, double spun_ns)
{
	return spun_ns * busy->on_cpu;
}
