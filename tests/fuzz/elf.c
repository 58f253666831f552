/*
 * Files behind the modules of a recording: the input is an ELF file, which the report asks for the
 * names of code and variables.
 *
 * As a fuzzer it reads them in its own process, so that what is wrong with our code is seen. When
 * the corpus is replayed they are read as the report does, by the helper process: then nothing that
 * elfutils does of a file may be more than a name that is missing.
 */
#include "stats/report/helper.h"
#include "stats/report/memory.h"
#include "stats/report/symbolizer.h"
#include "tests/fuzz/fuzz.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Where the corpus' files have code and data (corpus/make-elf). */
static const struct {
	uint64_t from, to, step;
} probes[] = {{0, 0x100, 0x8}, {0x1000, 0x1100, 4}, {0x2000, 0x2200, 8}};

static void check_name(const struct variable_name *name)
{
	fuzz_must((name->whole == NULL) == (name->family == NULL));
	fuzz_must(!name->whole || name->whole[0] != '\0');
	free(name->whole);
	free(name->family);
}

static void check_frames(const struct frames *frames)
{
	for (size_t i = 0; i < frames->count; i++)
		fuzz_must(frames->frame[i].function && frames->frame[i].brief);
}

#ifdef FUZZ_IN_PROCESS
const char *__lsan_default_suppressions(void);
const char *__lsan_default_options(void);

/* What elfutils loses of a broken file goes with the helper process. */
const char *__lsan_default_suppressions(void)
{
	return "leak:libdw.so\nleak:libelf.so\n";
}

const char *__lsan_default_options(void)
{
	return "print_suppressions=0";
}

static void ask_all(struct model *m)
{
	struct symbolizer *s = symbolizer_new(m);

	for (size_t i = 0; i < sizeof(probes) / sizeof(probes[0]); i++)
		for (uint64_t at = probes[i].from; at < probes[i].to; at += probes[i].step) {
			struct frames frames = {0};
			struct variable_name name;

			fuzz_must(symbolizer_frames(s, 0, at + 1, &frames) < MODULE_STATE_COUNT);
			check_frames(&frames);
			frames_free(&frames);
			symbolizer_variable(s, 0, at, &name);
			check_name(&name);
		}
	symbolizer_free(s);
}
#else
static void ask_all(struct model *m)
{
	struct helper *h;

	helper_limits.question_cpu_s = 2;
	helper_limits.memory = 512 << 20;
	h = helper_new(m);
	for (size_t i = 0; i < sizeof(probes) / sizeof(probes[0]); i++)
		for (uint64_t at = probes[i].from; at < probes[i].to; at += probes[i].step) {
			struct frames frames = {0};
			struct variable_name name;

			helper_frames(h, 0, at + 1, &frames);
			check_frames(&frames);
			frames_free(&frames);
			helper_variable(h, 0, at, &name);
			check_name(&name);
		}
	helper_free(h);
	fuzz_must(m->notes.count <= 1);
}
#endif

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct model *m = model_new();
	int file = memfd_create("fuzz.elf", MFD_CLOEXEC);

	fuzz_must(file >= 0 && write(file, data, size) == (ssize_t)size);
	m->modules.row = memory_get(1, sizeof(*m->modules.row));
	m->modules.row[m->modules.count++] =
		(struct module){.path = memory_format("/proc/self/fd/%d", file)};
	ask_all(m);
	model_free(m);
	close(file);
	return 0;
}
