/*
 * What a program is, before it is started: where it lies, whether a preloaded library reaches it,
 * and what keeps one from it.
 *
 * Use: program_examine() with the word the user typed. `run` refuses what is not reachable,
 * `doctor` explains.
 *
 * Contract: nothing is executed. The answer describes the file as it is now, for a process with the
 * caller's user and groups.
 */
#ifndef RELOCK_CLI_PROGRAM_H
#define RELOCK_CLI_PROGRAM_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

enum program_reach {
	PROGRAM_REACHED,
	PROGRAM_MISSING,      /* no such file; `error` is ENOENT */
	PROGRAM_NOT_RUNNABLE, /* found, cannot be executed; `error` is EACCES or so */
	PROGRAM_STATIC,
	PROGRAM_OTHER_MACHINE, /* word size or processor differ from relock's own */
	PROGRAM_OTHER_LIBC,
	PROGRAM_PRIVILEGED, /* setuid, setgid or file capabilities */
};

struct program {
	char path[PATH_MAX];        /* what is executed */
	char image[PATH_MAX];       /* what the kernel loads in the end: a script's interpreter */
	char interpreter[PATH_MAX]; /* the image's loader, "" if it has none */
	char machine[48];           /* "64-bit x86-64" */
	bool script;                /* path and image differ */
	enum program_reach reach;
	int error;
	char reason[1024]; /* a sentence: why it cannot be reached; "" if it can */
	/* Sanitizer runtimes want to be loaded before anything else. */
	const char *sanitizer;    /* "AddressSanitizer", …; NULL: none */
	char sanitizer_file[256]; /* the runtime's name, to be preloaded before the library; "": it
				     is inside the program */
};

void program_examine(struct program *program, const char *word);

/* Looks a word up as execvp does. Returns 0; ENOENT, with the word in `out`; or why the file in
 * `out`, the last candidate, cannot be executed. */
int program_find(const char *word, char *out, size_t size);

#endif
