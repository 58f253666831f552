/*
 * Records of locks: found, made, born, destroyed and folded at the same time, by addresses that all
 * share a chain; while a reader adds up.
 *
 * Each address belongs to a few users. Its birth and its end exclude its use, as in any program;
 * uses do not exclude each other.
 */
#include "stats/record/births.h"
#include "stats/record/entry.h"
#include "tests/litmus/world.h"

#include <string.h>

#define LOCKS 5
#define INITIALISED 3 /* the first so many are born by a call, at one of SITES places */
#define SITES 3
#define USERS 3
#define STEPS 24

/* Who is at a lock: users, or EXCLUSIVE. */
#define EXCLUSIVE 0x10000u

struct place {
	uint32_t created, destroyed;
	uint64_t begun, done; /* acquisitions: counted before and after the recorder counts */
};

static struct {
	uint32_t users;
	uint32_t born; /* 1 + the site; 0: not there */
} locks[LOCKS];
/* By place of birth: the sites of births, then the first users' of those without. */
static struct place places[SITES + LOCKS];

static uint64_t address_of(unsigned place)
{
	return WORLD_SITE(place);
}

static void begin(void)
{
	world_begin(1000);
	memset(locks, 0, sizeof(locks));
	memset(places, 0, sizeof(places));
}

/* --- users */

static bool enter_alone(unsigned lock)
{
	uint32_t nobody = 0;

	return __atomic_compare_exchange_n(
		&locks[lock].users, &nobody, EXCLUSIVE, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

static bool enter(unsigned lock)
{
	uint32_t users = __atomic_load_n(&locks[lock].users, __ATOMIC_RELAXED);

	do {
		if (users >= EXCLUSIVE)
			return false;
	} while (!__atomic_compare_exchange_n(
		&locks[lock].users, &users, users + 1, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED));
	return true;
}

static void leave(unsigned lock, uint32_t users)
{
	__atomic_fetch_sub(&locks[lock].users, users, __ATOMIC_RELEASE);
}

static void acquire(struct thread *t, unsigned lock, unsigned place)
{
	struct lock_id id = world_lock(lock);
	uint64_t key = id.address;
	struct rlk_entry *e;

	__atomic_fetch_add(&places[place].begun, 1, __ATOMIC_SEQ_CST);
	e = entry_fast(t, key);
	if (!e)
		e = entry_get(t, key, &id, address_of(place));
	entry_count(t, e, key, address_of(place), 0);
	__atomic_fetch_add(&places[place].done, 1, __ATOMIC_SEQ_CST);
}

static void use(struct thread *t, unsigned lock)
{
	unsigned times = 1 + litmus_random(3);

	if (!enter(lock))
		return;
	for (unsigned i = 0; i < times; i++) {
		if (lock >= INITIALISED)
			acquire(t, lock, SITES + lock);
		else if (locks[lock].born)
			acquire(t, lock, locks[lock].born - 1);
	}
	leave(lock, 1);
}

static void live_or_die(unsigned lock)
{
	struct lock_id id = world_lock(lock);
	unsigned site = litmus_random(SITES);

	if (!enter_alone(lock))
		return;
	/* Now and then it is initialised without having been destroyed. */
	if (locks[lock].born && litmus_random(4)) {
		__atomic_fetch_add(&places[locks[lock].born - 1].destroyed, 1, __ATOMIC_RELAXED);
		lock_died(&id);
		locks[lock].born = 0;
	} else {
		__atomic_fetch_add(&places[site].created, 1, __ATOMIC_RELAXED);
		lock_born(&id, address_of(site));
		locks[lock].born = site + 1;
	}
	leave(lock, EXCLUSIVE);
}

static void user(void)
{
	struct thread *t = thread_ready();

	for (unsigned i = 0; i < STEPS; i++) {
		if (litmus_random(3))
			use(t, litmus_random(LOCKS));
		else
			live_or_die(litmus_random(INITIALISED));
	}
	world_leave();
}

/* --- what must hold */

/* Classes of a place: two threads that meet it first at once make a row each, and use one. */
static bool is_of(uint32_t class, unsigned place)
{
	return load32_acquire(&class_row(class)->birth) &&
	       class_row(class)->address == address_of(place);
}

static uint64_t total(uint64_t *done)
{
	uint64_t begun = 0;

	*done = 0;
	for (unsigned i = 0; i < SITES + LOCKS; i++) {
		begun += __atomic_load_n(&places[i].begun, __ATOMIC_SEQ_CST);
		*done += __atomic_load_n(&places[i].done, __ATOMIC_SEQ_CST);
	}
	return begun;
}

static void reader(void)
{
	for (unsigned i = 0; i < 4; i++) {
		uint64_t least, begun, done;
		struct sums sums;

		litmus_yield();
		total(&least);
		world_sum(&sums);
		begun = total(&done);
		litmus_check(sums.acquired >= least && sums.acquired <= begun,
			"a reader sees %llu acquisitions of %llu to %llu",
			(unsigned long long)sums.acquired, (unsigned long long)least,
			(unsigned long long)begun);
		litmus_check(!litmus_scheduled() || !sums.nobodys,
			"a reader sees %llu acquisitions of no lock's",
			(unsigned long long)sums.nobodys);
	}
}

static void body(unsigned self)
{
	if (self < USERS)
		user();
	else if (self == USERS)
		for (unsigned i = 0; i < 6; i++)
			world_deflate(litmus_random(2));
	else
		reader();
}

static void check_place(const struct sums *sums, unsigned place)
{
	const struct place *p = &places[place];
	uint64_t created = 0, destroyed = 0, acquired = 0;

	for (uint32_t i = 0; i < classes_count(); i++) {
		if (is_of(i, place)) {
			created += class_row(i)->created;
			destroyed += class_row(i)->destroyed;
			acquired += sums->of_class[i];
		}
	}
	for (uint32_t i = 0; i < lock_records(); i++) {
		const struct rlk_record *row = lock_row(i);

		if (row->generations && is_of(row->class_index, place)) {
			created += RLK_RECORD_CREATED(row->generations);
			destroyed += RLK_RECORD_DESTROYED(row->generations, row->flags);
		}
	}
	litmus_check(acquired == p->done, "place %u: %llu acquisitions are %llu", place,
		(unsigned long long)p->done, (unsigned long long)acquired);
	litmus_check(created == (place < SITES ? p->created : p->done > 0),
		"place %u: %llu locks were created there", place, (unsigned long long)created);
	litmus_check(destroyed == p->destroyed, "place %u: of %u destroyed locks, %llu are known",
		place, p->destroyed, (unsigned long long)destroyed);
}

static void check_lock(unsigned lock)
{
	unsigned standing = 0, place = lock < INITIALISED ? locks[lock].born - 1 : SITES + lock;
	uint32_t class = births_find(world_address[lock]);

	for (uint32_t i = 0; i < lock_records(); i++) {
		const struct rlk_record *row = lock_row(i);

		standing +=
			row->generations && row->lock == world_address[lock] &&
			!(row->flags & (RLK_LOCK_REPLACED | RLK_LOCK_FOLDED | RLK_LOCK_IS_CLASS));
	}
	litmus_check(standing <= 1, "lock %u has %u records", lock, standing);
	litmus_check(!standing || class == BIRTH_UNKNOWN,
		"lock %u has a record, and a birth of its own", lock);
	if (lock < INITIALISED && !locks[lock].born)
		litmus_check(class == BIRTH_UNKNOWN, "lock %u is gone, and its birth kept", lock);
	else if (class != BIRTH_UNKNOWN)
		litmus_check(is_of(class, place), "lock %u: another one's birth", lock);
	else if (lock < INITIALISED || places[place].done)
		litmus_check(standing == 1, "lock %u is known by nothing", lock);
}

static void end(void)
{
	struct sums sums;

	world_sum(&sums);
	for (unsigned i = 0; i < LOCKS; i++)
		check_lock(i);
	for (unsigned i = 0; i < SITES + LOCKS; i++)
		check_place(&sums, i);
	litmus_check(!sums.nobodys, "%llu acquisitions are of no lock's",
		(unsigned long long)sums.nobodys);
}

static const struct litmus tests[] = {
	{"records", 1000, USERS + 2, begin, body, end},
};

int main(int argc, char **argv)
{
	return litmus_main(argc, argv, tests, sizeof(tests) / sizeof(*tests));
}
