/*
 * Entries of threads: made, found and compacted by their owners, while others peek and deflation
 * gives them other records. Each thread uses a few locks that all use, and a stream of others, so
 * that its directory grows, and rows that only count are merged.
 */
#include "stats/record/entry.h"

#include "tests/litmus/world.h"

#include <string.h>

#define USERS 3
#define SHARED 8 /* locks that all use, and peek at */
#define PLACES 4 /* where locks are first used, by number */
#define LOCKS 4000
#define STEPS 5000

static uint32_t used[LOCKS];                 /* 1: by somebody */
static uint64_t begun[PLACES], done[PLACES]; /* acquisitions: before and after they are counted */
static uint32_t at_work;
static struct thread *threads[USERS];

/* Those that all use are so near each other that they have one home, until the directory is hashed
 * otherwise. */
static uint64_t address_of(unsigned lock)
{
	return UINT64_C(0x200000000) + (uint64_t)lock * (lock < SHARED ? 4 : 64);
}

static uint64_t site_of_lock(unsigned lock)
{
	return WORLD_SITE(lock % PLACES);
}

static void begin(void)
{
	world_begin(2000);
	memset(used, 0, sizeof(used));
	memset(begun, 0, sizeof(begun));
	memset(done, 0, sizeof(done));
	memset(threads, 0, sizeof(threads));
	at_work = USERS;
}

/* --- users */

static void acquire(struct thread *t, unsigned lock)
{
	struct lock_id id = {address_of(lock), RLK_KIND_MUTEX, 0};
	uint64_t key = id.address, site = site_of_lock(lock);
	struct rlk_entry *e;

	__atomic_store_n(&used[lock], 1, __ATOMIC_RELAXED);
	__atomic_fetch_add(&begun[lock % PLACES], 1, __ATOMIC_SEQ_CST);
	e = entry_fast(t, key);
	if (!e)
		e = entry_get(t, key, &id, site);
	entry_count(t, e, key, site, 0);
	__atomic_fetch_add(&done[lock % PLACES], 1, __ATOMIC_SEQ_CST);
}

/* As a waiter looks at where the holder acquired the lock (events.c). */
static void peek(unsigned other, unsigned lock)
{
	struct thread *t = __atomic_load_n(&threads[other], __ATOMIC_ACQUIRE);
	uint64_t key = address_of(lock), site;
	const struct rlk_entry *e = t ? entry_peek(t, key) : NULL;

	if (!e)
		return;
	site = load64(&e->site);
	if (load64_acquire(&e->lock) == key)
		litmus_check(site == site_of_lock(lock) || site == 0,
			"lock %u was acquired at %llx, says another thread's entry", lock,
			(unsigned long long)site);
}

static void user(unsigned self)
{
	struct thread *t = thread_ready();
	unsigned stream = litmus_random(LOCKS);

	__atomic_store_n(&threads[self], t, __ATOMIC_RELEASE);
	for (unsigned i = 0; i < STEPS; i++) {
		unsigned shared = litmus_random(SHARED);

		if (i % 4 == 0)
			acquire(t, shared);
		else if (i % 4 == 1)
			peek((self + 1) % USERS, shared);
		else
			acquire(t, SHARED + (stream + i) % (LOCKS - SHARED));
	}
	__atomic_fetch_sub(&at_work, 1, __ATOMIC_ACQ_REL);
	world_leave();
}

/* Whoever waits for the recorder's lock is to have it in between. */
static void let_others_go_on(void)
{
	for (unsigned i = 0; i < USERS; i++)
		litmus_yield();
}

static void deflater(void)
{
	while (__atomic_load_n(&at_work, __ATOMIC_ACQUIRE)) {
		let_others_go_on();
		world_deflate(false);
	}
}

static uint64_t sum_of(const uint64_t *places)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < PLACES; i++)
		sum += __atomic_load_n(&places[i], __ATOMIC_SEQ_CST);
	return sum;
}

/* Takes no lock: it may come while counts are moved. */
static void reader(void)
{
	while (__atomic_load_n(&at_work, __ATOMIC_ACQUIRE)) {
		struct sums sums;
		uint64_t least, most;

		let_others_go_on();
		least = sum_of(done);
		world_sum(&sums);
		most = sum_of(begun);
		/* Copied while counts are moved, they may be there twice. */
		if (!litmus_scheduled())
			continue;
		litmus_check(sums.acquired >= least && sums.acquired <= most,
			"a reader sees %llu acquisitions of %llu to %llu",
			(unsigned long long)sums.acquired, (unsigned long long)least,
			(unsigned long long)most);
		litmus_check(!sums.nobodys, "a reader sees %llu acquisitions of no lock's",
			(unsigned long long)sums.nobodys);
	}
}

static void body(unsigned self)
{
	if (self < USERS)
		user(self);
	else if (self == USERS)
		deflater();
	else
		reader();
}

/* --- what must hold */

static void check_place(const struct sums *sums, unsigned place)
{
	uint64_t acquired = 0, created = 0, locks = 0;

	for (uint32_t i = 0; i < classes_count(); i++) {
		if (class_row(i)->birth && class_row(i)->address == WORLD_SITE(place)) {
			acquired += sums->of_class[i];
			created += class_row(i)->created;
		}
	}
	for (unsigned lock = place; lock < LOCKS; lock += PLACES)
		locks += used[lock];
	litmus_check(acquired == done[place], "place %u: %llu acquisitions are %llu", place,
		(unsigned long long)done[place], (unsigned long long)acquired);
	litmus_check(created == locks, "place %u: %llu locks are %llu", place,
		(unsigned long long)locks, (unsigned long long)created);
}

static void end(void)
{
	struct sums sums;

	world_sum(&sums);
	litmus_check(!sums.nobodys, "%llu acquisitions are of no lock's",
		(unsigned long long)sums.nobodys);
	for (unsigned i = 0; i < PLACES; i++)
		check_place(&sums, i);
}

static const struct litmus tests[] = {{"entries", 16, USERS + 2, begin, body, end, 64}};

int main(int argc, char **argv)
{
	return litmus_main(argc, argv, tests, sizeof(tests) / sizeof(*tests));
}
