#include "cli/libraries.h"
#include "cli/cli.h"
#include "cli/elf_view.h"
#include "cli/install.h"

#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static bool is_own_loader(const char *loader)
{
	char path[PATH_MAX];
	struct stat own, other;
	struct elf_view view;
	bool found;

	if (!install_self(path, sizeof(path)) || !elf_view_open(&view, path))
		return false;
	found = elf_view_interpreter(&view, path, sizeof(path));
	elf_view_close(&view);
	return found && stat(path, &own) == 0 && stat(loader, &other) == 0 &&
	       own.st_dev == other.st_dev && own.st_ino == other.st_ino;
}

/* The loader's own variables would change what it prints, or preload into it. Tracing makes it list
 * what it finds and what it misses, and stop. */
static char **tracing_environment(void)
{
	static char *list[] = {"LD_TRACE_LOADED_OBJECTS=1", NULL, NULL};

	for (char **entry = environ; *entry; entry++)
		if (strncmp(*entry, "LD_LIBRARY_PATH=", 16) == 0)
			list[1] = *entry;
	return list;
}

/* Lets the loader trace the program and returns the reading end of its output, or NULL. */
static FILE *ask(const char *loader, const char *program, pid_t *pid)
{
	char *argv[] = {(char *)loader, (char *)program, NULL};
	posix_spawn_file_actions_t actions;
	int ends[2];
	bool started;

	if (pipe2(ends, O_CLOEXEC) != 0)
		return NULL;
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
	posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
	started = posix_spawn(pid, loader, &actions, NULL, argv, tracing_environment()) == 0;
	posix_spawn_file_actions_destroy(&actions);
	close(ends[1]);
	if (started)
		return fdopen(ends[0], "r");
	close(ends[0]);
	return NULL;
}

static void add(struct libraries *out, const char *name, const char *path)
{
	struct library *list = realloc(out->list, (out->count + 1) * sizeof(*list));

	if (!list)
		return;
	out->list = list;
	list[out->count] = (struct library){strdup(name), path ? strdup(path) : NULL};
	cli_printable(list[out->count++].name);
}

/* "\tNAME => PATH (0x…)", "\tNAME => not found", "\tPATH (0x…)", "\tlinux-vdso.so.1 (0x…)". */
static void add_line(struct libraries *out, char *line)
{
	char *name = line + strspn(line, " \t"), *path = strstr(name, " => "), *end;

	end = strrchr(name, '(');
	if (end && end > name && end[-1] == ' ')
		end[-1] = '\0';
	name[strcspn(name, "\n")] = '\0';
	if (path) {
		*path = '\0';
		path += 4;
		add(out, name, path[0] == '/' ? path : NULL);
	} else if (name[0] == '/') {
		add(out, basename(name), name);
	}
}

bool libraries_list(const char *loader, const char *program, struct libraries *out)
{
	char line[2 * PATH_MAX], real[PATH_MAX];
	pid_t pid;
	FILE *answer;

	*out = (struct libraries){0};
	/* $ORIGIN is taken from the path given, which the kernel would have resolved. */
	if (!is_own_loader(loader) || !realpath(program, real))
		return false;
	answer = ask(loader, real, &pid);
	if (!answer)
		return false;
	while (fgets(line, sizeof(line), answer))
		add_line(out, line);
	fclose(answer);
	while (waitpid(pid, NULL, 0) < 0)
		;
	return out->count > 0;
}

void libraries_free(struct libraries *libraries)
{
	for (size_t i = 0; i < libraries->count; i++) {
		free(libraries->list[i].name);
		free(libraries->list[i].path);
	}
	free(libraries->list);
}

bool libraries_glibc_version(const char *libc_path, char *out, size_t size)
{
	static const char banner[] = "release version ";
	struct elf_view view;
	const char *at;
	size_t left, length = 0;

	if (!elf_view_open(&view, libc_path))
		return false;
	at = elf_view_search(&view, ".rodata", banner, &left);
	if (at) {
		at += sizeof(banner) - 1;
		left -= sizeof(banner) - 1;
		while (length < left && length + 1 < size && strchr("0123456789.", at[length]) &&
			at[length])
			length++;
		while (length && at[length - 1] == '.')
			length--;
		snprintf(out, size, "%.*s", (int)length, at);
	}
	elf_view_close(&view);
	return length > 0;
}
