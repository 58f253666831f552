/*
 * Symbols by name, the other way round than symbols.h: where in a file are the variables and
 * functions that a shell pattern matches.
 *
 * Contract: only for the command; looks at the file itself and its separate debug information on
 * this machine, never at the network.
 */
#ifndef RELOCK_STATS_REPORT_LOOKUP_H
#define RELOCK_STATS_REPORT_LOOKUP_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Told of each place, addresses as the ELF file counts them, both ends included: of a variable its
 * bytes, of a function the return addresses of calls in it.
 */
typedef void lookup_found(void *data, uint64_t low, uint64_t high);

/*
 * The pattern is compared with the name in the symbol table, without a version, with the demangled
 * name, and with that in short (names.h). False: the file could not be read.
 */
bool lookup_symbols(const char *path, const char *pattern, lookup_found *found, void *data);

#endif
