#include "stats/report/dwarf.h"

#include "stats/report/memory.h"
#include "stats/report/names.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <stdlib.h>

struct frame *frames_append(struct frames *frames)
{
	struct frame *grown = memory_get(frames->count + 1, sizeof *grown);

	for (size_t i = 0; i < frames->count; i++)
		grown[i] = frames->frame[i];
	free(frames->frame);
	frames->frame = grown;
	return &grown[frames->count++];
}

/* Where in the source something is: `file` belongs to libdw. */
struct place {
	const char *file;
	int line;
};

/* `function` is the frame's from here on. */
static void frame_add(struct frames *out, char *function, struct place place, bool inlined)
{
	struct frame *frame = frames_append(out);

	frame->function = function;
	frame->brief = name_shorten(function);
	frame->file = memory_copy(place.file);
	frame->line = place.line;
	frame->known = true;
	frame->inlined = inlined;
}

static const char *linkage_name(Dwarf_Die *die)
{
	Dwarf_Attribute attribute;
	const char *name;

	name = dwarf_formstring(dwarf_attr_integrate(die, DW_AT_linkage_name, &attribute));
	if (name)
		return name;
	return dwarf_formstring(dwarf_attr_integrate(die, DW_AT_MIPS_linkage_name, &attribute));
}

/* Where the function was declared: what an inlined copy or a definition outside of its class came
 * from. */
static Dwarf_Die die_declaration(const Dwarf_Die *die)
{
	Dwarf_Die declaration = *die;
	Dwarf_Attribute attribute;

	/* Two steps at most: from a copy to its definition, from there into the class. */
	for (int step = 0; step < 2; step++) {
		Dwarf_Attribute *from = dwarf_attr(&declaration, DW_AT_abstract_origin, &attribute);
		Dwarf_Die next;

		if (!from)
			from = dwarf_attr(&declaration, DW_AT_specification, &attribute);
		if (!from || !dwarf_formref_die(from, &next))
			break;
		declaration = next;
	}
	return declaration;
}

static bool is_scope(Dwarf_Die *die)
{
	switch (dwarf_tag(die)) {
	case DW_TAG_namespace:
	case DW_TAG_class_type:
	case DW_TAG_structure_type:
	case DW_TAG_union_type:
	case DW_TAG_subprogram:
		return true;
	default:
		return false;
	}
}

/* A scope's name in front of what it contains; types without one, and those of lambdas, whose names
 * differ between compilers, are called after what they mostly are. */
static char *prepend_scope(Dwarf_Die *scope, char *inner)
{
	const char *name = dwarf_diename(scope);
	char *outer;

	if (!name && dwarf_tag(scope) == DW_TAG_namespace)
		return inner;
	outer = memory_format("%s::%s", !name || name[0] == '<' ? "lambda" : name, inner);
	free(inner);
	return outer;
}

/* "app::Registry<int>::add": functions that are not seen outside of their file have no symbol that
 * would tell. */
static char *qualified_name(Dwarf_Die *die)
{
	Dwarf_Die declaration = die_declaration(die);
	const char *own = dwarf_diename(die);
	Dwarf_Die *scopes;
	int count = dwarf_getscopes_die(&declaration, &scopes);
	char *name = own ? memory_copy(own) : NULL;

	for (int i = 1; name && i < count; i++)
		if (is_scope(&scopes[i]))
			name = prepend_scope(&scopes[i], name);
	if (count > 0)
		free(scopes);
	return name;
}

/* The function's whole name, for free(); NULL: it has none. */
static char *die_name(Dwarf_Die *die)
{
	const char *symbol = linkage_name(die);

	return symbol ? name_demangle(symbol) : qualified_name(die);
}

static int die_number(Dwarf_Die *die, unsigned what)
{
	Dwarf_Attribute attribute;
	Dwarf_Word value;

	if (dwarf_formudata(dwarf_attr(die, what, &attribute), &value) != 0)
		return 0;
	return (int)value;
}

/* The place an inlined function was called from. */
static struct place call_place(Dwarf_Die *inlined)
{
	struct place place = {.line = die_number(inlined, DW_AT_call_line)};
	int number = die_number(inlined, DW_AT_call_file);
	Dwarf_Files *files;
	Dwarf_Die unit;
	size_t count;

	if (dwarf_diecu(inlined, &unit, NULL, NULL) &&
		dwarf_getsrcfiles(&unit, &files, &count) == 0 && number >= 0 &&
		(size_t)number < count)
		place.file = dwarf_filesrc(files, (size_t)number, NULL, NULL);
	return place;
}

static struct place pc_place(Dwarf_Die *unit, Dwarf_Addr pc)
{
	Dwarf_Line *line = dwarf_getsrc_die(unit, pc);
	struct place place = {0};

	if (line && dwarf_lineno(line, &place.line) == 0)
		place.file = dwarf_linesrc(line, NULL, NULL);
	return place;
}

/* The scopes around `pc`, innermost first, up to its compilation unit; for free(). */
static int pc_scopes(Dwarf_Die *unit, Dwarf_Addr pc, Dwarf_Die **scopes)
{
	Dwarf_Die *inner = NULL;
	int count = dwarf_getscopes(unit, pc, &inner);

	*scopes = NULL;
	/* The scopes of an inlined function are first those of its definition; ask again for those
	 * of the place it was inlined at. */
	if (count > 0)
		count = dwarf_getscopes_die(&inner[0], scopes);
	free(inner);
	return count;
}

/* Frames by debug information; `pc` as the unit counts addresses. */
static void scope_frames(Dwarf_Die *unit, Dwarf_Addr pc, struct frames *out)
{
	struct place place = pc_place(unit, pc);
	Dwarf_Die *scopes;
	int count = pc_scopes(unit, pc, &scopes);

	for (int i = 0; i < count; i++) {
		int tag = dwarf_tag(&scopes[i]);
		char *name;

		if (tag != DW_TAG_inlined_subroutine && tag != DW_TAG_subprogram)
			continue;
		name = die_name(&scopes[i]);
		if (name)
			frame_add(out, name, place, tag == DW_TAG_inlined_subroutine);
		if (tag == DW_TAG_subprogram)
			break;
		place = call_place(&scopes[i]);
	}
	free(scopes);
}

void dwarf_frames(Dwfl_Module *module, struct compunits *units, Dwarf_Addr pc, struct frames *out)
{
	Dwarf_Addr bias;
	Dwarf_Die *unit = compunits_find(units, module, pc, &bias);
	GElf_Off offset;
	GElf_Sym symbol;
	const char *name;

	if (unit)
		scope_frames(unit, pc - bias, out);
	if (out->count > 0)
		return;
	name = dwfl_module_addrinfo(module, pc, &offset, &symbol, NULL, NULL, NULL);
	if (name)
		frame_add(out, name_demangle(name),
			unit ? pc_place(unit, pc - bias) : (struct place){0}, false);
}
