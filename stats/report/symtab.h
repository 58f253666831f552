/*
 * The variables of a module by address. elfutils searches a module's whole symbol table for each
 * question; a program may have very many static locks, so the answers come from a sorted copy.
 */
#ifndef RELOCK_STATS_REPORT_SYMTAB_H
#define RELOCK_STATS_REPORT_SYMTAB_H

#include <elfutils/libdwfl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct variable {
	uint64_t start, end; /* as libdwfl counts addresses */
	const char *name;    /* belongs to the module */
};

struct symtab {
	struct variable *variable; /* by start; of several at one address, one is kept */
	size_t count, capacity;
};

void symtab_read(struct symtab *symtab, Dwfl_Module *module);
void symtab_free(struct symtab *symtab);
/* The variable an address is inside of, or NULL. */
const struct variable *symtab_find(const struct symtab *symtab, uint64_t address);

#endif
