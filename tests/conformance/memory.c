#include "memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static int descriptor = -1;

static struct place map_twice(void)
{
	struct place place;

	descriptor = memfd_create("conformance", 0);
	if (descriptor < 0 || ftruncate(descriptor, PLACE_BYTES) != 0)
		exit(2);
	place.subject = mmap(NULL, PLACE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
	place.other = mmap(NULL, PLACE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
	if (place.subject == MAP_FAILED || place.other == MAP_FAILED)
		exit(2);
	return place;
}

struct place memory_place(bool shared)
{
	static _Alignas(64) char private_memory[PLACE_BYTES];
	static struct place shared_memory;
	struct place place = {private_memory, private_memory};

	if (shared) {
		if (!shared_memory.subject)
			shared_memory = map_twice();
		place = shared_memory;
	}
	memset(place.subject, 0, PLACE_BYTES);
	return place;
}

int memory_descriptor(void)
{
	return descriptor;
}

/* NEAR is long enough for a waiter to get asleep; FAR is beyond any test's time limit. */
#define NEAR_NS 2000000L
#define FAR_S 3600

struct timespec deadline_at(clockid_t clock, enum when when)
{
	struct timespec t = {0};

	if (when == PAST)
		return t;
	if (clock_gettime(clock, &t) != 0)
		clock_gettime(CLOCK_REALTIME, &t);
	switch (when) {
	case NEAR:
		t.tv_nsec += NEAR_NS;
		if (t.tv_nsec >= 1000000000L) {
			t.tv_nsec -= 1000000000L;
			t.tv_sec++;
		}
		break;
	case NSEC_LOW:
		t.tv_nsec = -1;
		break;
	case NSEC_HIGH:
		t.tv_nsec = 1000000000L;
		break;
	case SEC_NEGATIVE:
		t.tv_sec = -1;
		break;
	default:
		t.tv_sec += FAR_S;
		break;
	}
	return t;
}

const char *when_name(enum when when)
{
	static const char *const names[] = {
		"past", "near", "far", "nsec-low", "nsec-high", "sec-negative"};

	return names[when];
}

bool deadline_passed(clockid_t clock, const struct timespec *deadline)
{
	struct timespec now;

	if (clock_gettime(clock, &now) != 0)
		return true;
	return now.tv_sec > deadline->tv_sec ||
	       (now.tv_sec == deadline->tv_sec && now.tv_nsec >= deadline->tv_nsec);
}
