/*
 * Feeds a fuzz target the inputs of a corpus, and a number of mutations of each that are the same
 * every time.
 *
 *	replay_TARGET [--mutations N] FILE|DIRECTORY…
 *
 * An input that takes longer than LIMIT_S, or for which more memory is asked than any should need,
 * ends the program.
 */
#include "tests/fuzz/fuzz.h"

#include <dirent.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define INPUT_MAX 65536
#define LIMIT_S 20
#define MEMORY_MAX (512ull << 20)

#if defined(__SANITIZE_ADDRESS__)
#define UNDER_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define UNDER_ASAN 1
#endif
#endif

#pragma weak LLVMFuzzerCustomMutator

static const char *current = "nothing";
static size_t inputs, mutated;
static unsigned long mutations;
static uint64_t state = 0x2545f4914f6cdd1d;

#ifdef UNDER_ASAN
const char *__asan_default_options(void);

const char *__asan_default_options(void)
{
	return "max_allocation_size_mb=512";
}

static void limit_memory(void)
{
}
#else
/* The sanitizer's own memory would not fit into it. */
static void limit_memory(void)
{
	const struct rlimit limit = {MEMORY_MAX, MEMORY_MAX};

	setrlimit(RLIMIT_DATA, &limit);
}
#endif

static void on_alarm(int number)
{
	static const char said[] = "replay: this input takes too long: ";

	(void)number;
	if (write(STDERR_FILENO, said, sizeof(said) - 1) < 0 ||
		write(STDERR_FILENO, current, strlen(current)) < 0 ||
		write(STDERR_FILENO, "\n", 1) < 0)
		_exit(2);
	_exit(1);
}

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t room)
{
	size_t at = size ? fuzz_random(&state) % size : 0;
	uint64_t value = fuzz_random(&state);

	switch (fuzz_random(&state) % 4) {
	case 0: /* a byte more */
		if (size == room)
			break;
		memmove(data + at + 1, data + at, size - at);
		data[at] = (uint8_t)value;
		return size + 1;
	case 1: /* a byte less */
		if (size < 2)
			break;
		memmove(data + at, data + at + 1, size - at - 1);
		return size - 1;
	case 2: /* a bit */
		if (size)
			data[at] ^= (uint8_t)(1u << value % 8);
		return size;
	}
	if (size) /* a byte of elsewhere */
		data[at] = data[value % size];
	return size;
}

static size_t mutate(uint8_t *data, size_t size, size_t room)
{
	if (LLVMFuzzerCustomMutator)
		return LLVMFuzzerCustomMutator(data, size, room, (unsigned)fuzz_random(&state));
	return LLVMFuzzerMutate(data, size, room);
}

/* A copy of exactly its size, so that a sanitizer sees what is read beyond it. */
static void run(const uint8_t *data, size_t size)
{
	uint8_t *copy = malloc(size ? size : 1);

	fuzz_must(copy != NULL);
	memcpy(copy, data, size);
	alarm(LIMIT_S);
	fuzz_must(LLVMFuzzerTestOneInput(copy, size) == 0);
	alarm(0);
	free(copy);
}

static void run_file(const char *path)
{
	static uint8_t input[INPUT_MAX], changed[INPUT_MAX];
	FILE *file = fopen(path, "rb");
	size_t size, changed_size;

	if (!file) {
		perror(path);
		exit(2);
	}
	size = fread(input, 1, sizeof(input), file);
	fclose(file);
	current = path;
	run(input, size);
	inputs++;
	/* Each changes the one before, so that they get far from it. */
	memcpy(changed, input, size);
	changed_size = size;
	for (unsigned long i = 0; i < mutations; i++) {
		changed_size = mutate(changed, changed_size, sizeof(changed));
		run(changed, changed_size);
		mutated++;
		if (i % 8 != 7)
			continue;
		memcpy(changed, input, size);
		changed_size = size;
	}
}

static int visible(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

static void run_directory(const char *path)
{
	struct dirent **names;
	int count = scandir(path, &names, visible, alphasort);

	if (count < 0) {
		perror(path);
		exit(2);
	}
	for (int i = 0; i < count; i++) {
		char name[4096];

		snprintf(name, sizeof(name), "%s/%s", path, names[i]->d_name);
		run_file(name);
		free(names[i]);
	}
	free(names);
}

int main(int argc, char **argv)
{
	struct stat st;
	int at = 1;

	if (argc > 2 && strcmp(argv[1], "--mutations") == 0) {
		mutations = strtoul(argv[2], NULL, 10);
		at = 3;
	}
	limit_memory();
	signal(SIGALRM, on_alarm);
	for (; at < argc; at++) {
		if (stat(argv[at], &st) == 0 && S_ISDIR(st.st_mode))
			run_directory(argv[at]);
		else
			run_file(argv[at]);
	}
	printf("%zu inputs and %zu mutations of them\n", inputs, mutated);
	return inputs > 0 ? 0 : 2;
}
