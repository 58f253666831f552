#include "stats/record/deflate.h"

#include "policies/arch.h"
#include "stats/record/look.h"
#include "stats/record/quiet.h"
#include "stats/record/recorder.h"

#include <errno.h>

static uint32_t limit; /* percent */
static uint64_t interval;
static uint64_t next_look;  /* ticks */
static unsigned vain_looks; /* in a row */

/* Looks that folded less than one in so many records were in vain: the interval doubles with each,
 * so many times at most. A program of very many locks that it all uses is hardly disturbed then. */
#define VAIN 20
#define VAIN_MOST 6
/* No more than a tenth of one thread's time goes by with looking. A slice that took longer than
 * this was interrupted. */
#define PAUSE 9
#define SLICE_LONGEST_NS 300000

void deflate_open(uint32_t threshold, uint64_t interval_ns)
{
	limit = threshold;
	interval = interval_ns;
}

void deflate_reset(void)
{
	look_reset();
	next_look = 0;
	vain_looks = 0;
}

/* Whoever compacts looks at the sums without the recorder's lock. */
static void note_slice(uint64_t length)
{
	struct rlk_deflation *seen = &arena_header->deflation;

	store64(&seen->total, seen->total + length);
	shard_max(&seen->longest, length);
	if (look_under_way())
		return;
	store64(&seen->scans, seen->scans + 1);
	store64(&seen->folded, seen->folded + look_folded());
}

/* The next slice, or the next look. */
static void plan_next(uint64_t begin, bool looked)
{
	uint64_t now = arch_ticks(), length = now - begin, usual = 0, pause;
	uint64_t longest = recorder_ticks(SLICE_LONGEST_NS);
	bool vain = look_folded() * VAIN < look_population();

	if (looked && !look_under_way() && (!vain || vain_looks < VAIN_MOST))
		vain_looks = vain ? vain_looks + 1 : 0;
	pause = PAUSE * (length < longest || !look_under_way() ? length : longest);
	if (!look_under_way())
		usual = recorder_ticks(interval) << vain_looks;
	store64(&next_look, now + (usual > pause ? usual : pause));
}

/* `whole`: to the end of the look. */
static void deflate(uint64_t population, uint64_t now, bool wanted, bool whole)
{
	struct quiet quiet;
	int saved = errno;
	uint64_t begin;
	bool looked;

	recorder_calibrate_sometimes(now);
	quiet_begin(&quiet);
	begin = arch_ticks();
	if (now >= next_look || (whole && look_under_way())) {
		if (!look_under_way() && wanted)
			look_begin((uint32_t)population);
		looked = look_under_way();
		do
			look_on();
		while (whole && look_under_way());
		if (looked)
			note_slice(arch_ticks() - begin);
		plan_next(begin, looked);
	}
	quiet_end(&quiet);
	errno = saved;
}

void deflate_sometimes(uint64_t population)
{
	uint64_t now;

	if (population < DEFLATE_LEAST || !limit)
		return;
	now = arch_ticks();
	if (now >= load64(&next_look))
		deflate(population, now, deflate_wanted(population, look_free_rows(), limit),
			false);
}

bool deflate_when_full(uint64_t population)
{
	uint64_t now = arch_ticks();

	if (!look_under_way() && now < load64(&next_look))
		return false;
	deflate(population, now, true, true);
	return look_free_rows() > 0;
}
