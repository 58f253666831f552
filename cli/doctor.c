/* relock doctor: can a program be reached, and what of its synchronisation would be seen. */
#include "cli/cli.h"
#include "cli/elf_view.h"
#include "cli/families.h"
#include "cli/libraries.h"
#include "cli/program.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define WIDTH 100
#define COLUMN 22

/* Runtimes that bring synchronisation of their own, and how they show. */
enum runtime { RUNTIME_GO, RUNTIME_RUST, RUNTIME_JAVA, RUNTIME_PYTHON, RUNTIME_QT, RUNTIMES };

static const char *const runtime_meaning[RUNTIMES] = {
	"Go: goroutines wait on futexes and in the Go scheduler; only C code called through cgo is "
	"seen",
	"Rust: the standard library's Mutex, RwLock and Condvar are futexes; only locks of C "
	"libraries are seen",
	"Java: synchronized and java.util.concurrent are words in the heap; seen are the virtual "
	"machine's own mutexes, the parking of threads, and calls of sched_yield",
	"Python: threading.Lock is a semaphore; seen are the interpreter's own mutexes and "
	"conditions, the global interpreter lock among them",
	"Qt: QMutex and QSemaphore are futexes; only other locks are seen",
};

struct findings {
	struct sightings sightings;
	bool runtimes[RUNTIMES];
	char missing[256]; /* libraries the loader does not find */
	char libc[PATH_MAX];
	size_t libraries;
	bool libraries_known, loads_more;
};

static void row(const char *term, const char *text)
{
	int width = printf("  %s", term);

	printf("%*s", width < COLUMN ? COLUMN - width : 1, "");
	cli_fold(stdout, text, COLUMN, WIDTH, true);
}

static bool starts(const char *text, const char *start)
{
	return strncmp(text, start, strlen(start)) == 0;
}

/* Parts of glibc: what they call among themselves are not calls through hooks. */
static bool part_of_glibc(const char *name)
{
	static const char *const parts[] = {"libc.so.", "libpthread.so.", "librt.so.", "libdl.so.",
		"libm.so.", "libresolv.so.", "libanl.so.", "ld-linux", "ld64.so."};

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		if (starts(name, parts[i]))
			return true;
	return false;
}

static void runtime_symbol(const char *name, bool defined, void *data)
{
	struct findings *findings = data;

	if (strcmp(name, "Py_BytesMain") == 0 || strcmp(name, "Py_Initialize") == 0)
		findings->runtimes[RUNTIME_PYTHON] = true;
	else if (strcmp(name, "JNI_CreateJavaVM") == 0 || strcmp(name, "JLI_Launch") == 0)
		findings->runtimes[RUNTIME_JAVA] = true;
	else if (!defined && (strcmp(name, "dlopen") == 0))
		findings->loads_more = true;
}

static void examine_object(struct findings *findings, const char *path, const char *name)
{
	struct elf_view view;
	size_t left;

	if (!elf_view_open(&view, path))
		return;
	families_count(&findings->sightings, &view, name);
	elf_view_symbols(&view, runtime_symbol, findings);
	if (elf_view_has_section(&view, ".go.buildinfo"))
		findings->runtimes[RUNTIME_GO] = true;
	if (elf_view_search(&view, ".rodata", "/rustc/", &left) ||
		elf_view_search(&view, ".comment", "rustc version", &left))
		findings->runtimes[RUNTIME_RUST] = true;
	elf_view_close(&view);
}

static void examine_library(struct findings *findings, const struct library *library)
{
	size_t used = strlen(findings->missing);

	if (!library->path) {
		snprintf(findings->missing + used, sizeof(findings->missing) - used, "%s%s",
			used ? ", " : "", library->name);
		return;
	}
	findings->libraries++;
	if (starts(library->name, "libc.so."))
		snprintf(findings->libc, sizeof(findings->libc), "%s", library->path);
	if (starts(library->name, "libQt5Core.so") || starts(library->name, "libQt6Core.so"))
		findings->runtimes[RUNTIME_QT] = true;
	if (!part_of_glibc(library->name))
		examine_object(findings, library->path, library->name);
}

static void examine_libraries(struct findings *findings, const struct program *program)
{
	struct libraries libraries;

	findings->libraries_known =
		libraries_list(program->interpreter, program->image, &libraries);
	for (size_t i = 0; i < libraries.count; i++)
		examine_library(findings, &libraries.list[i]);
	libraries_free(&libraries);
}

static void print_program(const struct program *program, const struct findings *findings)
{
	char text[PATH_MAX + 128], version[32];

	printf("relock doctor: %s\n", program->path);
	if (program->script)
		row("script", program->image);
	snprintf(text, sizeof(text), "%s, %s%s", program->machine,
		program->interpreter[0] ? "dynamically linked, loader " : "statically linked",
		program->interpreter);
	row("program", text);
	if (findings->libc[0] &&
		libraries_glibc_version(findings->libc, version, sizeof(version))) {
		snprintf(text, sizeof(text), "glibc %s, %s", version, findings->libc);
		row("C library", text);
	}
	if (findings->libraries_known) {
		snprintf(text, sizeof(text), "%zu loaded at start%s", findings->libraries,
			findings->loads_more
				? ", more may be loaded later; their calls are seen as well"
				: "");
		row("libraries", text);
	} else if (program->interpreter[0]) {
		row("libraries", "not examined: this system's loader does not list them");
	}
	if (findings->missing[0]) {
		snprintf(text, sizeof(text), "not found, so that it cannot start: %s",
			findings->missing);
		row("libraries", text);
	}
}

static void print_sanitizer(const struct program *program)
{
	char text[512];

	if (!program->sanitizer)
		return;
	if (program->sanitizer_file[0])
		snprintf(text, sizeof(text),
			"%s; 'relock run' preloads its runtime %s first, as it demands",
			program->sanitizer, program->sanitizer_file);
	else
		snprintf(text, sizeof(text),
			"%s, inside the program; its own hooks come first and may hide who called",
			program->sanitizer);
	row("sanitizer", text);
}

/* Returns how many families of locks are called. */
static unsigned print_seen(const struct sightings *sightings)
{
	char text[512];
	unsigned count = 0;

	puts("\nseen by relock");
	for (size_t f = 0; families[f].name; f++) {
		const struct sighting *seen = &sightings->of[f];
		size_t used;

		if (!families[f].lock || !seen->objects)
			continue;
		count++;
		families_text(&families[f], seen->functions, text, sizeof(text));
		used = strlen(text);
		snprintf(text + used, sizeof(text) - used, "; called by %s%s", seen->who,
			seen->objects > 4 ? " and others" : "");
		row(families[f].name, text);
	}
	if (count == 0)
		row("nothing", "none of the functions that relock hooks is called directly");
	return count;
}

static void print_unseen(const struct findings *findings)
{
	const struct sightings *sightings = &findings->sightings;
	char text[512];

	puts("\nnot seen, or only in part");
	for (size_t f = 0; families[f].name; f++) {
		const struct sighting *seen = &sightings->of[f];

		if (families[f].lock || !seen->objects)
			continue;
		snprintf(text, sizeof(text), "%s (%s%s)", families[f].meaning, seen->who,
			seen->objects > 4 ? " and others" : "");
		row(families[f].name, text);
	}
	for (size_t i = 0; i < RUNTIMES; i++)
		if (findings->runtimes[i])
			row("runtime", runtime_meaning[i]);
	if (sightings->own_locks) {
		snprintf(text, sizeof(text),
			"%s brings a pthread_mutex_lock of its own; calls that end there are not "
			"seen",
			sightings->own_locks_who);
		row("own locks", text);
	}
	row("inlined", "locks made of atomic instructions in the code itself, unless they yield or "
		       "sleep");
}

static int print_verdict(const struct cli_args *args, const struct program *program,
	const struct findings *findings, unsigned seen)
{
	const char *doubt = "";

	bool color = cli_color(args, stdout), reached = program->reach == PROGRAM_REACHED;

	if (!seen)
		doubt = findings->loads_more
				? ", though what is loaded at start uses no lock that relock sees"
				: ", but a report will be empty: no lock that relock sees is used";
	printf("\n%s%s%s", color ? (reached ? "\033[32m" : "\033[31m") : "",
		reached ? "reachable" : "not reachable", color ? "\033[0m" : "");
	if (!reached)
		printf(": %s\n", program->reason);
	else
		printf("%s\nnext    relock run -- %s\n", doubt, args->operands[0]);
	return reached ? 0 : CLI_NO;
}

int doctor_main(const struct cli_args *args)
{
	struct findings findings = {0};
	struct program program;
	unsigned seen = 0;

	program_examine(&program, args->operands[0]);
	if (program.reach == PROGRAM_MISSING) {
		cli_say("%s", program.reason);
		return CLI_NOT_FOUND;
	}
	if (program.reach == PROGRAM_NOT_RUNNABLE) {
		cli_say("%s", program.reason);
		return CLI_NOT_EXECUTABLE;
	}
	examine_object(&findings, program.image, basename(program.image));
	if (program.interpreter[0])
		examine_libraries(&findings, &program);
	print_program(&program, &findings);
	print_sanitizer(&program);
	if (program.reach == PROGRAM_REACHED) {
		seen = print_seen(&findings.sightings);
		print_unseen(&findings);
	}
	return print_verdict(args, &program, &findings, seen);
}
