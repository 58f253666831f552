#include "stats/report/members.h"

#include "stats/report/headline.h"
#include "stats/report/memory.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define VISITED_MAX                                                                                \
	5000000      /* entries of debug information looked at; beyond, some stay unknown          \
		      */
#define DEPTH_MAX 32 /* types inside of types, scopes inside of scopes, dimensions of an array */

/* --- variables by address */

/* The address of a variable that has one for all its life. */
static bool fixed_address(Dwarf_Die *die, Dwarf_Addr *address)
{
	Dwarf_Attribute attribute, indirect;
	Dwarf_Op *operation;
	size_t length;

	if (!dwarf_attr(die, DW_AT_location, &attribute) ||
		dwarf_getlocation(&attribute, &operation, &length) != 0 || length != 1)
		return false;
	if (operation->atom == DW_OP_addr) {
		*address = operation->number;
		return true;
	}
	return operation->atom == DW_OP_addrx &&
	       dwarf_getlocation_attr(&attribute, operation, &indirect) == 0 &&
	       dwarf_formaddr(&indirect, address) == 0;
}

static void add_variable(struct members *m, Dwarf_Die *die, Dwarf_Addr bias)
{
	Dwarf_Addr address;

	if (!fixed_address(die, &address))
		return;
	m->variable = memory_grow(m->variable, m->count, &m->capacity, sizeof *m->variable);
	m->variable[m->count++] = (struct typed_variable){address + bias, *die};
}

/* What is looked for on a way through the debug information. */
struct pass {
	struct members *members;
	Dwarf_Addr bias;
	bool functions; /* static variables of functions, else those of files and namespaces */
};

static void read_scope(const struct pass *pass, Dwarf_Die *scope, bool in_function, int depth)
{
	Dwarf_Die die;

	if (depth > DEPTH_MAX || dwarf_child(scope, &die) != 0)
		return;
	do {
		int tag = dwarf_tag(&die);

		if (pass->members->visited++ > VISITED_MAX)
			return;
		if (tag == DW_TAG_variable && in_function == pass->functions)
			add_variable(pass->members, &die, pass->bias);
		else if (tag == DW_TAG_namespace || tag == DW_TAG_lexical_block)
			read_scope(pass, &die, in_function, depth + 1);
		else if (tag == DW_TAG_subprogram && pass->functions)
			read_scope(pass, &die, true, depth + 1);
	} while (dwarf_siblingof(&die, &die) == 0);
}

static int variable_compare(const void *a, const void *b)
{
	const struct typed_variable *x = a, *y = b;

	return (x->address > y->address) - (x->address < y->address);
}

/* Functions come last: they are most of what there is, and hold few locks. */
static void read_module(struct members *m, Dwfl_Module *module)
{
	struct pass pass = {.members = m};

	m->read = true;
	for (int round = 0; round < 2; round++) {
		Dwarf_Die *unit = NULL;

		pass.functions = round == 1;
		while ((unit = dwfl_module_nextcu(module, unit, &pass.bias)))
			read_scope(&pass, unit, false, 0);
	}
	if (m->count > 0)
		qsort(m->variable, m->count, sizeof *m->variable, variable_compare);
}

static Dwarf_Die *find_variable(struct members *m, uint64_t address)
{
	struct typed_variable key = {.address = address};
	struct typed_variable *found =
		m->count > 0 ? bsearch(&key, m->variable, m->count, sizeof key, variable_compare)
			     : NULL;

	return found ? &found->die : NULL;
}

void members_free(struct members *m)
{
	free(m->variable);
	*m = (struct members){0};
}

/* --- types */

struct walk {
	Dwarf_Die type;
	uint64_t offset;
	char *path;
};

static bool type_of(Dwarf_Die *die, Dwarf_Die *type)
{
	Dwarf_Attribute attribute;

	return dwarf_formref_die(dwarf_attr_integrate(die, DW_AT_type, &attribute), type) != NULL;
}

/* Whether the name alone says that this is a lock: nobody wants to see what it is made of. */
static bool is_lock(Dwarf_Die *type)
{
	const char *name = dwarf_diename(type);

	return name && (headline_is_wrapper(name) || strncmp(name, "pthread_", 8) == 0);
}

/* Takes typedefs and qualifiers off. False: at a lock, or at nothing that has parts. */
static bool strip(struct walk *w)
{
	for (int i = 0; i < DEPTH_MAX && !is_lock(&w->type); i++) {
		switch (dwarf_tag(&w->type)) {
		case DW_TAG_typedef:
		case DW_TAG_const_type:
		case DW_TAG_volatile_type:
		case DW_TAG_atomic_type:
			if (!type_of(&w->type, &w->type))
				return false;
			break;
		case DW_TAG_array_type:
		case DW_TAG_structure_type:
		case DW_TAG_class_type:
		case DW_TAG_union_type:
			return true;
		default:
			return false;
		}
	}
	return false;
}

static void extend(struct walk *w, char *longer)
{
	free(w->path);
	w->path = longer;
}

/* Elements that one step of the array's dimension `skip` spans: the product of those after it. */
static uint64_t elements_after(Dwarf_Die *array, int skip)
{
	uint64_t product = 1;
	Dwarf_Die die;

	if (dwarf_child(array, &die) != 0)
		return 1;
	do {
		Dwarf_Attribute attribute;
		Dwarf_Word count = 0;

		if (dwarf_tag(&die) != DW_TAG_subrange_type || skip-- >= 0)
			continue;
		if (dwarf_formudata(
			    dwarf_attr_integrate(&die, DW_AT_upper_bound, &attribute), &count) == 0)
			count++;
		else
			dwarf_formudata(
				dwarf_attr_integrate(&die, DW_AT_count, &attribute), &count);
		product *= count ? count : 1;
	} while (dwarf_siblingof(&die, &die) == 0);
	return product;
}

static int dimensions(Dwarf_Die *array)
{
	Dwarf_Die die;
	int count = 0;

	if (dwarf_child(array, &die) != 0)
		return 0;
	do
		count += dwarf_tag(&die) == DW_TAG_subrange_type;
	while (dwarf_siblingof(&die, &die) == 0);
	return count;
}

static bool enter_array(struct walk *w)
{
	Dwarf_Die array = w->type;
	Dwarf_Word size;
	int count = dimensions(&array);

	if (count > DEPTH_MAX || !type_of(&array, &w->type) ||
		dwarf_aggregate_size(&w->type, &size) != 0 || size == 0)
		return false;
	for (int i = 0; i < count; i++) {
		uint64_t step = size * elements_after(&array, i);

		if (step == 0)
			return false;
		extend(w, memory_format("%s[%" PRIu64 "]", w->path, w->offset / step));
		w->offset %= step;
	}
	return true;
}

static bool member_covers(Dwarf_Die *member, uint64_t offset, Dwarf_Die *type, uint64_t *start)
{
	Dwarf_Attribute attribute;
	Dwarf_Word at = 0, size;

	if (!type_of(member, type) || dwarf_aggregate_size(type, &size) != 0)
		return false;
	/* Parts of a union have no place: they all begin with it. */
	if (dwarf_attr(member, DW_AT_data_member_location, &attribute) &&
		dwarf_formudata(&attribute, &at) != 0)
		return false;
	*start = at;
	return offset >= at && offset - at < size;
}

static bool enter_structure(struct walk *w)
{
	Dwarf_Die structure = w->type, member, type;
	uint64_t start;

	if (dwarf_child(&structure, &member) != 0)
		return false;
	do {
		int tag = dwarf_tag(&member);
		const char *name = dwarf_diename(&member);

		if ((tag != DW_TAG_member && tag != DW_TAG_inheritance) ||
			!member_covers(&member, w->offset, &type, &start))
			continue;
		/* Base classes and nameless members are part of what they are in. */
		if (tag == DW_TAG_member && name)
			extend(w, memory_format("%s.%s", w->path, name));
		w->type = type;
		w->offset -= start;
		return true;
	} while (dwarf_siblingof(&member, &member) == 0);
	return false;
}

static bool enter(struct walk *w)
{
	return dwarf_tag(&w->type) == DW_TAG_array_type ? enter_array(w) : enter_structure(w);
}

char *members_path(struct members *m, Dwfl_Module *module, uint64_t address, uint64_t offset)
{
	struct walk w = {.offset = offset};
	Dwarf_Die *variable;

	if (!m->read)
		read_module(m, module);
	variable = find_variable(m, address);
	if (!variable || !type_of(variable, &w.type))
		return NULL;
	w.path = memory_copy("");
	for (int depth = 0; depth < DEPTH_MAX && strip(&w); depth++) {
		if (!enter(&w)) {
			free(w.path);
			return NULL;
		}
	}
	return w.path;
}
