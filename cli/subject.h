/*
 * The program that is to run under relock, for the verbs that start one.
 */
#ifndef RELOCK_CLI_SUBJECT_H
#define RELOCK_CLI_SUBJECT_H

#include "cli/program.h"
#include "conf/conf.h"

/* Whether the program can be started and reached. Returns 0, or the exit status of a refusal after
 * a message. `force`: one that cannot be reached will do, with a message too. */
int subject_check(const struct program *program, bool force);

/* The name that [process] sections are matched against: the library knows the program by the file
 * that is mapped, not by a link to it. */
void subject_process(const struct program *program, char *out, size_t size);

/* Turns off what a sanitizer in the program would misunderstand. False: a message was printed. */
bool subject_respect_sanitizer(const struct program *program, struct conf *conf);

/* The library as LD_PRELOAD can name it, in `out`, and where it is, in `library`; both PATH_MAX.
 * False: a message was printed. */
bool subject_library(char *library, char *out);

/* A text that no other run has. */
void subject_run_id(char *out, size_t size);

#endif
