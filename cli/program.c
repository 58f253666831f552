#include "cli/program.h"
#include "cli/cli.h"
#include "cli/elf_view.h"
#include "cli/install.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>
#include <unistd.h>

#define SCRIPTS_DEEP 5 /* the kernel gives up after as many interpreters of interpreters */
#define SHELL "/bin/sh"

/* 0 when the file can be executed. */
static int runnable(const char *path)
{
	struct stat status;

	if (stat(path, &status) != 0)
		return errno;
	if (!S_ISREG(status.st_mode))
		return EACCES;
	return access(path, X_OK) == 0 ? 0 : errno;
}

/* The candidate in one directory of PATH, an empty one standing for the current directory. */
static int find_in(const char *directory, int length, const char *word, char *out, size_t size)
{
	char candidate[PATH_MAX];
	int error;

	snprintf(candidate, sizeof(candidate), "%.*s%s%s", length, directory, length ? "/" : "./",
		word);
	error = runnable(candidate);
	if (error != ENOENT && error != ENOTDIR)
		snprintf(out, size, "%s", candidate);
	return error == ENOTDIR ? ENOENT : error;
}

int program_find(const char *word, char *out, size_t size)
{
	const char *path = getenv("PATH");
	int found = ENOENT;

	snprintf(out, size, "%s", word);
	if (strchr(word, '/'))
		return runnable(out);
	if (!word[0])
		return ENOENT;
	for (path = path ? path : "/bin:/usr/bin";; path++) {
		int length = (int)strcspn(path, ":");
		int error = find_in(path, length, word, out, size);

		if (error == 0)
			return 0;
		if (error != ENOENT)
			found = error;
		path += length;
		if (!*path)
			return found;
	}
}

__attribute__((format(printf, 3, 4))) static void refuse(
	struct program *program, enum program_reach reach, const char *format, ...)
{
	va_list list;

	program->reach = reach;
	va_start(list, format);
	vsnprintf(program->reason, sizeof(program->reason), format, list);
	va_end(list);
}

/* --- scripts */

/* The program that "#!/usr/bin/env [-S] [NAME=VALUE] prog" asks for, or NULL. */
static char *env_program(char *argument)
{
	char *rest = NULL;

	for (char *word = strtok_r(argument, " \t", &rest); word;
		word = strtok_r(NULL, " \t", &rest))
		if (word[0] != '-' && !strchr(word, '='))
			return word;
	return NULL;
}

/* Replaces `path` by the interpreter its first line names. False: it is no script. */
static bool script_interpreter(char *path, size_t size)
{
	char line[256], *interpreter, *argument = NULL;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t length = fd < 0 ? -1 : read(fd, line, sizeof(line) - 1);

	if (fd >= 0)
		close(fd);
	if (length < 0)
		return false;
	line[length] = '\0';
	if (length < 2 || line[0] != '#' || line[1] != '!') {
		/* What execvp and shells do with a text that is no script by its first line. */
		snprintf(path, size, SHELL);
		return true;
	}
	line[strcspn(line, "\n")] = '\0';
	interpreter = strtok_r(line + 2, " \t", &argument);
	snprintf(path, size, "%s", interpreter ? interpreter : SHELL);
	if (interpreter && strcmp(basename(interpreter), "env") == 0 && argument) {
		char *wanted = env_program(argument);

		if (wanted)
			program_find(wanted, path, size);
	}
	return true;
}

/* --- what keeps a library out */

static bool privileges_ignored(const char *path)
{
	struct statvfs mount;

	return prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1 ||
	       (statvfs(path, &mount) == 0 && (mount.f_flag & ST_NOSUID));
}

static void check_privileges(struct program *program)
{
	const char *image = program->image;
	struct stat status;

	if (stat(image, &status) != 0 || privileges_ignored(image))
		return;
	if ((status.st_mode & S_ISUID) && status.st_uid != getuid())
		refuse(program, PROGRAM_PRIVILEGED,
			"'%s' is setuid to user %u, and the loader ignores preloaded libraries in "
			"programs that gain privileges; run it as that user, or run a copy without "
			"the setuid bit",
			image, (unsigned)status.st_uid);
	else if ((status.st_mode & S_ISGID) && (status.st_mode & S_IXGRP) &&
		 status.st_gid != getgid())
		refuse(program, PROGRAM_PRIVILEGED,
			"'%s' is setgid to group %u, and the loader ignores preloaded libraries in "
			"programs that gain privileges; run a copy without the setgid bit",
			image, (unsigned)status.st_gid);
	else if (getuid() != 0 && getxattr(image, "security.capability", NULL, 0) > 0)
		refuse(program, PROGRAM_PRIVILEGED,
			"'%s' has file capabilities, and the loader ignores preloaded libraries in "
			"programs that gain privileges; run it as root, or run a copy, which has "
			"none",
			image);
}

static void check_machine(struct program *program, const struct elf_view *view)
{
	char self[PATH_MAX];
	struct elf_view own;

	snprintf(program->machine, sizeof(program->machine), "%u-bit %s", elf_view_bits(view),
		elf_view_machine(view));
	if (!install_self(self, sizeof(self)) || !elf_view_open(&own, self))
		return;
	if (own.header.e_machine != view->header.e_machine ||
		elf_view_bits(&own) != elf_view_bits(view))
		refuse(program, PROGRAM_OTHER_MACHINE,
			"'%s' is a %s program, and this relock's library can only be loaded into "
			"%u-bit %s ones; build relock for that machine to reach it",
			program->image, program->machine, elf_view_bits(&own),
			elf_view_machine(&own));
	elf_view_close(&own);
}

static void check_loader(struct program *program, const struct elf_view *view)
{
	const char *name, *libc = NULL;

	if (!elf_view_interpreter(view, program->interpreter, sizeof(program->interpreter))) {
		program->interpreter[0] = '\0';
		refuse(program, PROGRAM_STATIC,
			"'%s' is statically linked: no loader runs in it, so nothing can be "
			"preloaded; link it dynamically to reach its locks",
			program->image);
		return;
	}
	cli_printable(program->interpreter);
	name = basename(program->interpreter);
	if (strncmp(name, "ld-musl", 7) == 0)
		libc = "musl";
	else if (strncmp(name, "ld-uClibc", 9) == 0)
		libc = "uClibc";
	else if (strncmp(name, "ld", 2) != 0)
		libc = "a C library other than glibc";
	if (libc)
		refuse(program, PROGRAM_OTHER_LIBC,
			"'%s' is linked with %s (its loader is %s), and relock's library needs "
			"glibc; build the program against glibc to reach its locks",
			program->image, libc, program->interpreter);
	else if (access(program->interpreter, F_OK) != 0)
		refuse(program, PROGRAM_NOT_RUNNABLE,
			"'%s' cannot be started: its loader %s does not exist here", program->image,
			program->interpreter);
}

/* --- sanitizers */

static const struct {
	const char *library, *symbol, *name;
} sanitizers[] = {
	{"libasan.so", "__asan_init", "AddressSanitizer"},
	{"libtsan.so", "__tsan_init", "ThreadSanitizer"},
	{"liblsan.so", "__lsan_init", "LeakSanitizer"},
	{"libhwasan.so", "__hwasan_init", "HWAddressSanitizer"},
	{"libclang_rt.asan", NULL, "AddressSanitizer"},
	{"libclang_rt.tsan", NULL, "ThreadSanitizer"},
	{"libclang_rt.hwasan", NULL, "HWAddressSanitizer"},
};
#define SANITIZERS (sizeof(sanitizers) / sizeof(sanitizers[0]))

static void match_sanitizer_symbol(const char *name, bool defined, void *data)
{
	struct program *program = data;

	for (size_t i = 0; defined && i < SANITIZERS; i++)
		if (sanitizers[i].symbol && strcmp(name, sanitizers[i].symbol) == 0)
			program->sanitizer = sanitizers[i].name;
}

static void find_sanitizer(struct program *program, const struct elf_view *view)
{
	const char *needed;

	for (unsigned i = 0; (needed = elf_view_needed(view, i)); i++)
		for (size_t s = 0; s < SANITIZERS; s++) {
			const char *library = sanitizers[s].library;

			if (strncmp(needed, library, strlen(library)) != 0)
				continue;
			program->sanitizer = sanitizers[s].name;
			snprintf(program->sanitizer_file, sizeof(program->sanitizer_file), "%s",
				needed);
			return;
		}
	elf_view_symbols(view, match_sanitizer_symbol, program);
}

/* --- all of it */

static void examine_image(struct program *program, const struct elf_view *view)
{
	check_machine(program, view);
	if (program->reach == PROGRAM_REACHED)
		check_loader(program, view);
	if (program->reach == PROGRAM_REACHED)
		check_privileges(program);
	find_sanitizer(program, view);
}

static void not_runnable(struct program *program, const char *path, int error)
{
	program->error = error;
	if (error == ENOENT || error == ENOTDIR)
		refuse(program, PROGRAM_MISSING, "'%s' was not found%s", path,
			strchr(path, '/') ? "" : " in PATH");
	else
		refuse(program, PROGRAM_NOT_RUNNABLE, "'%s' cannot be executed: %s", path,
			strerror(error));
}

void program_examine(struct program *program, const char *word)
{
	struct elf_view view;
	int error;

	*program = (struct program){0};
	error = program_find(word, program->path, sizeof(program->path));
	if (error) {
		not_runnable(program, program->path, error);
		return;
	}
	snprintf(program->image, sizeof(program->image), "%s", program->path);
	for (int depth = 0; depth < SCRIPTS_DEEP; depth++) {
		if (elf_view_open(&view, program->image)) {
			examine_image(program, &view);
			elf_view_close(&view);
			return;
		}
		if (!script_interpreter(program->image, sizeof(program->image)))
			break;
		program->script = true;
		error = runnable(program->image);
		if (error)
			break;
	}
	/* A program that may be executed and not read is no reason to refuse: try it. */
	if (error)
		refuse(program, PROGRAM_NOT_RUNNABLE,
			"'%s' cannot be executed: its interpreter '%s' is not runnable (%s)",
			program->path, program->image, strerror(error));
	program->error = error;
}
