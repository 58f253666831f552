/*
 * Compilation units by address, for modules whose compiler wrote no .debug_aranges (clang), from
 * which libdw would know. Read once a module, when it is first needed. For dwarf.c and
 * symbolizer.c.
 */
#ifndef RELOCK_STATS_REPORT_COMPUNITS_H
#define RELOCK_STATS_REPORT_COMPUNITS_H

#include <elfutils/libdwfl.h>
#include <stdbool.h>
#include <stddef.h>

struct compunit_range {
	Dwarf_Addr start, end; /* as libdwfl counts addresses */
	Dwarf_Die *unit;
	Dwarf_Addr bias;
};

struct compunits {
	bool read;
	struct compunit_range *range; /* by start */
	size_t count, capacity;
};

/* The unit that an address of the module is in, or NULL; *bias as from dwfl_module_addrdie(). */
Dwarf_Die *compunits_find(
	struct compunits *units, Dwfl_Module *module, Dwarf_Addr address, Dwarf_Addr *bias);
void compunits_free(struct compunits *units);

#endif
