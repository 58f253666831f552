#include "stats/report/compunits.h"

#include "stats/report/memory.h"

#include <elfutils/libdw.h>
#include <stdlib.h>

static void add_ranges(struct compunits *u, Dwarf_Die *unit, Dwarf_Addr bias)
{
	Dwarf_Addr base, start, end;
	ptrdiff_t next = 0;

	while ((next = dwarf_ranges(unit, next, &base, &start, &end)) > 0) {
		if (start >= end)
			continue;
		u->range = memory_grow(u->range, u->count, &u->capacity, sizeof *u->range);
		u->range[u->count++] =
			(struct compunit_range){start + bias, end + bias, unit, bias};
	}
}

static int range_compare(const void *a, const void *b)
{
	const struct compunit_range *x = a, *y = b;

	return (x->start > y->start) - (x->start < y->start);
}

static void read_units(struct compunits *u, Dwfl_Module *module)
{
	Dwarf_Die *unit = NULL;
	Dwarf_Addr bias;

	u->read = true;
	while ((unit = dwfl_module_nextcu(module, unit, &bias)))
		add_ranges(u, unit, bias);
	if (u->count > 0)
		qsort(u->range, u->count, sizeof *u->range, range_compare);
}

Dwarf_Die *compunits_find(
	struct compunits *u, Dwfl_Module *module, Dwarf_Addr address, Dwarf_Addr *bias)
{
	Dwarf_Die *unit = dwfl_module_addrdie(module, address, bias);
	size_t low = 0, high;

	if (unit)
		return unit;
	if (!u->read)
		read_units(u, module);
	high = u->count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (u->range[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == 0 || address >= u->range[low - 1].end)
		return NULL;
	*bias = u->range[low - 1].bias;
	return u->range[low - 1].unit;
}

void compunits_free(struct compunits *u)
{
	free(u->range);
	*u = (struct compunits){0};
}
