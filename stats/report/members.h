/*
 * What is at an offset inside a variable, by its type: "[3].lock". From debug information. For
 * symbolizer.c only.
 */
#ifndef RELOCK_STATS_REPORT_MEMBERS_H
#define RELOCK_STATS_REPORT_MEMBERS_H

#include <elfutils/libdwfl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct typed_variable {
	Dwarf_Addr address; /* as libdwfl counts addresses */
	Dwarf_Die die;
};

/* The variables of a module that have a type and a fixed address; read when first asked for. */
struct members {
	bool read;
	struct typed_variable *variable; /* by address */
	size_t count, capacity;
	size_t visited;
};

/*
 * The way from a variable at `address` to what is `offset` bytes inside of it, for free(). It ends
 * at what is called like a lock: a pthread type, or a class that wraps one. NULL: not known.
 */
char *members_path(struct members *members, Dwfl_Module *module, uint64_t address, uint64_t offset);
void members_free(struct members *members);

#endif
