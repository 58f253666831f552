/*
 * The configuration as the arguments of a verb ask for it: defaults, INI file, environment,
 * options.
 */
#ifndef RELOCK_CLI_SETTINGS_H
#define RELOCK_CLI_SETTINGS_H

#include "cli/cli.h"
#include "conf/conf.h"

/* `process` is the executable's base name, for [process] sections, or "". False: a message was
 * printed. */
bool settings_load(const struct cli_args *args, const char *process, struct conf *conf);

#endif
