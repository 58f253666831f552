/*
 * Rules per lock that name symbols: the library inside the program cannot look them up, so the
 * command does, before the program starts.
 */
#ifndef RELOCK_CLI_RESOLVE_H
#define RELOCK_CLI_RESOLVE_H

#include "cli/program.h"
#include "conf/conf.h"

/* Turns the symbols into classes, as the program's image and the libraries it is started with have
 * them. A rule of the command line whose symbol is in none of them is refused; those of INI files,
 * which may be for several programs, are left out. False: a message was printed. */
bool resolve_rules(const struct program *program, struct conf *conf);

#endif
