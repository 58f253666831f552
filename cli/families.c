#include "cli/families.h"

#include <stdio.h>
#include <string.h>

const struct family families[] = {
	{"mutexes", "pthread_mutex_",
		{"lock", "trylock", "timedlock", "clocklock", "unlock", "init", "destroy"}, true,
		NULL},
	{"spinlocks", "pthread_spin_", {"lock", "trylock", "unlock", "init", "destroy"}, true,
		NULL},
	{"rwlocks", "pthread_rwlock_",
		{"rdlock", "tryrdlock", "timedrdlock", "clockrdlock", "wrlock", "trywrlock",
			"timedwrlock", "clockwrlock", "unlock", "init", "destroy"},
		true, NULL},
	{"conditions", "pthread_cond_",
		{"wait", "timedwait", "clockwait", "signal", "broadcast", "init", "destroy"}, true,
		NULL},
	{"C11 mutexes", "mtx_", {"lock", "trylock", "timedlock", "unlock", "init", "destroy"}, true,
		NULL},
	{"C11 conditions", "cnd_", {"wait", "timedwait", "signal", "broadcast", "init", "destroy"},
		true, NULL},
	{"home-made waiting", "", {"sched_yield", "nanosleep", "clock_nanosleep", "usleep"}, false,
		"yields and short sleeps are counted by call site, whatever lock they belong to"},
	{"futexes", "", {"syscall"}, false,
		"system calls made directly, often futexes of the program's own: waiting there is "
		"not "
		"seen"},
	{"semaphores", "sem_", {"wait", "timedwait", "clockwait", "trywait", "post"}, false,
		"waiting for POSIX semaphores is not seen"},
	{"barriers", "pthread_barrier_", {"wait"}, false, "waiting at barriers is not seen"},
	{"System V semaphores", "", {"semop", "semtimedop"}, false,
		"waiting for semaphores shared between processes is not seen"},
	{"file locks", "", {"flock", "lockf", "lockf64"}, false,
		"waiting for locks on files is not seen"},
	{0},
};

_Static_assert(sizeof(families) / sizeof(families[0]) <= FAMILIES_MAX + 1, "a sighting a family");

struct count {
	uint32_t seen[FAMILIES_MAX];
	bool own_locks;
};

static void count_symbol(const char *name, bool defined, void *data)
{
	struct count *count = data;

	if (defined) {
		count->own_locks |= strcmp(name, "pthread_mutex_lock") == 0;
		return;
	}
	for (size_t f = 0; families[f].name; f++) {
		size_t length = strlen(families[f].prefix);

		if (strncmp(name, families[f].prefix, length) != 0)
			continue;
		for (size_t i = 0; families[f].functions[i]; i++)
			if (strcmp(name + length, families[f].functions[i]) == 0)
				count->seen[f] |= 1u << i;
	}
}

static void note_object(struct sighting *sighting, uint32_t functions, const char *object)
{
	size_t used = strlen(sighting->who);

	sighting->functions |= functions;
	if (sighting->objects++ < 4)
		snprintf(sighting->who + used, sizeof(sighting->who) - used, "%s%s",
			used ? ", " : "", object);
}

void families_count(struct sightings *sightings, const struct elf_view *view, const char *object)
{
	struct count count = {0};

	elf_view_symbols(view, count_symbol, &count);
	for (size_t f = 0; families[f].name; f++)
		if (count.seen[f])
			note_object(&sightings->of[f], count.seen[f], object);
	if (count.own_locks && !sightings->own_locks) {
		sightings->own_locks = true;
		snprintf(sightings->own_locks_who, sizeof(sightings->own_locks_who), "%s", object);
	}
}

void families_text(const struct family *family, uint32_t functions, char *out, size_t size)
{
	size_t used = (size_t)snprintf(out, size, "%s", family->prefix);
	const char *between = used ? " " : "";

	for (size_t i = 0; family->functions[i] && used < size; i++) {
		if (!(functions & 1u << i))
			continue;
		used += (size_t)snprintf(
			out + used, size - used, "%s%s", between, family->functions[i]);
		between = ", ";
	}
}
