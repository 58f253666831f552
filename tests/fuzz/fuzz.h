/*
 * Fuzzing: a target is one file that defines LLVMFuzzerTestOneInput(), which takes any bytes and
 * ends the process when something is wrong: by a sanitizer, by fuzz_must(), or by taking too long.
 *
 * Use: each target is built twice. With libFuzzer (preset "fuzz", see scripts/fuzz) it looks for
 * new inputs; with replay.c it is a plain program that feeds it the corpus, in every build.
 *
 * Contract: a target keeps no state that one input could leave to the next, and leaks nothing.
 */
#ifndef RELOCK_TESTS_FUZZ_H
#define RELOCK_TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* libFuzzer's names, as it wants them. Returns 0. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
/* Changes the input in place, to at most `room` bytes; returns the new size. A target may have one
 * that knows what its inputs mean. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed);
/* What a custom mutator falls back on: changes that know nothing of the meaning. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t room);

#define fuzz_must(condition) fuzz_check((condition), #condition, __FILE__, __LINE__)

static inline void fuzz_check(int holds, const char *condition, const char *file, int line)
{
	if (holds)
		return;
	fprintf(stderr, "%s:%d: does not hold: %s\n", file, line, condition);
	abort();
}

/* Two texts that have to be one. */
static inline void fuzz_same(const char *text, const char *other)
{
	if (strcmp(text, other) == 0)
		return;
	fprintf(stderr, "not the same:\n%s\n%s\n", text, other);
	abort();
}

/* Always the same numbers for a seed (xorshift). The state is not 0. */
static inline uint64_t fuzz_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

#endif
