#include "stats/report/symtab.h"

#include "stats/report/memory.h"

#include <stdlib.h>
#include <string.h>

/* At one address: the longest, then the first by name, so that the choice is always the same. */
static int variable_compare(const void *a, const void *b)
{
	const struct variable *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	if (x->end != y->end)
		return x->end > y->end ? -1 : 1;
	return strcmp(x->name, y->name);
}

static void symtab_add(struct symtab *t, const char *name, const GElf_Sym *symbol, uint64_t address)
{
	if (!name || !*name || GELF_ST_TYPE(symbol->st_info) != STT_OBJECT ||
		symbol->st_shndx == SHN_UNDEF || symbol->st_size == 0)
		return;
	t->variable = memory_grow(t->variable, t->count, &t->capacity, sizeof *t->variable);
	t->variable[t->count++] = (struct variable){address, address + symbol->st_size, name};
}

void symtab_read(struct symtab *t, Dwfl_Module *module)
{
	int symbols = dwfl_module_getsymtab(module);
	size_t kept = 0;

	*t = (struct symtab){0};
	for (int i = 0; i < symbols; i++) {
		GElf_Sym symbol;
		GElf_Addr address;
		const char *name =
			dwfl_module_getsym_info(module, i, &symbol, &address, NULL, NULL, NULL);

		symtab_add(t, name, &symbol, address);
	}
	if (t->count > 0)
		qsort(t->variable, t->count, sizeof *t->variable, variable_compare);
	for (size_t i = 0; i < t->count; i++)
		if (kept == 0 || t->variable[kept - 1].start != t->variable[i].start)
			t->variable[kept++] = t->variable[i];
	t->count = kept;
}

void symtab_free(struct symtab *t)
{
	free(t->variable);
	*t = (struct symtab){0};
}

const struct variable *symtab_find(const struct symtab *t, uint64_t address)
{
	size_t low = 0, high = t->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (t->variable[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low > 0 && address < t->variable[low - 1].end ? &t->variable[low - 1] : NULL;
}
