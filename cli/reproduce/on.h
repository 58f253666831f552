/*
 * The tables of findings 1 and 3 applied to any program: by how much spinning changes it, and the
 * processor's hint. Two comparisons, made and reported by `relock compare`.
 */
#ifndef RELOCK_CLI_REPRODUCE_ON_H
#define RELOCK_CLI_REPRODUCE_ON_H

#include "cli/cli.h"

/* The operands are the program and its arguments. Returns the exit status. */
int reproduce_on(const struct cli_args *args);

#endif
