/*
 * Where relock's own files are, found from where the command itself lies, so that a build tree, an
 * installation and an installation that was moved all work.
 */
#ifndef RELOCK_CLI_INSTALL_H
#define RELOCK_CLI_INSTALL_H

#include <stdbool.h>
#include <stddef.h>

/* The command's own file. False: it is not known. */
bool install_self(char *out, size_t size);

/* librelock.so, as an absolute path. False: not found; a message was printed. */
bool install_library(char *out, size_t size);

/* An INI file that came with relock, by name with or without ".ini". False: there is none. */
bool install_configuration(const char *name, char *out, size_t size);

/* One of the workloads that came with relock. False: there is none. */
bool install_workload(const char *name, char *out, size_t size);

/*
 * The same library under a path that fits into LD_PRELOAD, which is split at spaces and colons: the
 * path itself, or a link in the private directory. False: a message was printed.
 */
bool install_preloadable(const char *library, char *out, size_t size);

/*
 * A directory only this user can write to: $TMPDIR/relock-UID, or below /tmp. It is created as
 * needed and refused when anyone else could have prepared it. `plain`: one without spaces and
 * colons in its path. False: there is none.
 */
bool install_private_directory(bool plain, char *out, size_t size);

#endif
