#include "stats/report/symbolizer.h"

#include "stats/report/dwarf.h"
#include "stats/report/elffile.h"
#include "stats/report/members.h"
#include "stats/report/memory.h"
#include "stats/report/names.h"
#include "stats/report/symtab.h"

#include <elfutils/libdwfl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A module's file, opened when the first address in it is asked for. */
struct opened {
	bool tried;
	enum module_state state;
	Dwfl *dwfl;
	Dwfl_Module *module;
	Dwarf_Addr bias;         /* from an address in the file to one libdwfl knows */
	struct symtab variables; /* read when the first variable is asked for */
	bool variables_read;
	struct compunits units;
	struct members members;
};

struct symbolizer {
	const struct model *model;
	struct opened *opened; /* by module */
};

struct symbolizer *symbolizer_new(const struct model *model)
{
	struct symbolizer *s = memory_get(1, sizeof *s);

	s->model = model;
	s->opened = memory_get(model->modules.count, sizeof *s->opened);
	return s;
}

void symbolizer_free(struct symbolizer *s)
{
	for (size_t i = 0; i < s->model->modules.count; i++) {
		symtab_free(&s->opened[i].variables);
		compunits_free(&s->opened[i].units);
		members_free(&s->opened[i].members);
		if (s->opened[i].dwfl)
			dwfl_end(s->opened[i].dwfl);
	}
	free(s->opened);
	free(s);
}

/* Whether the file is still the one that was recorded. Without a recorded build-id nobody knows. */
static bool build_id_matches(const struct module *recorded, Dwfl_Module *module)
{
	const unsigned char *bits;
	GElf_Addr address;
	int length = dwfl_module_build_id(module, &bits, &address);

	if (recorded->build_id_length == 0)
		return true;
	return length == (int)recorded->build_id_length &&
	       memcmp(bits, recorded->build_id, recorded->build_id_length) == 0;
}

/* elfutils opens what a file names as its separate debug information, whatever that is. */
static int find_debuginfo(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr base,
	const char *file, const char *link, GElf_Word crc, char **found)
{
	if (elffile_link_is_odd(file, link))
		return -1;
	return dwfl_standard_find_debuginfo(module, data, name, base, file, link, crc, found);
}

static Dwfl_Module *module_report(struct opened *o, const char *path, int fd)
{
	static char *default_path;
	static const Dwfl_Callbacks callbacks = {
		.find_elf = dwfl_build_id_find_elf,
		.find_debuginfo = find_debuginfo,
		.section_address = dwfl_offline_section_address,
		.debuginfo_path = &default_path,
	};
	Dwfl_Module *module = NULL;

	o->dwfl = dwfl_begin(&callbacks);
	if (o->dwfl)
		module = dwfl_report_offline(o->dwfl, path, path, fd); /* takes the descriptor */
	if (!module)
		close(fd);
	if (o->dwfl)
		dwfl_report_end(o->dwfl, NULL, NULL);
	return module;
}

static enum module_state module_open(const struct module *recorded, struct opened *o)
{
	int fd;
	enum module_state state = elffile_open(recorded->path, &fd);

	if (state != MODULE_USABLE)
		return state;
	o->module = module_report(o, recorded->path, fd);
	if (!o->module || !dwfl_module_getelf(o->module, &o->bias))
		return MODULE_UNREADABLE;
	return build_id_matches(recorded, o->module) ? MODULE_USABLE : MODULE_CHANGED;
}

static struct opened *module_get(struct symbolizer *s, uint32_t row)
{
	struct opened *o = &s->opened[row];

	if (!o->tried) {
		o->tried = true;
		o->state = module_open(&s->model->modules.row[row], o);
	}
	return o;
}

enum module_state symbolizer_frames(
	struct symbolizer *s, uint32_t module, uint64_t offset, struct frames *out)
{
	struct opened *o = module_get(s, module);

	if (o->state == MODULE_USABLE)
		dwarf_frames(o->module, &o->units, offset + o->bias - 1, out);
	return o->state;
}

/* Takes the numbers out of "[3]", in place. */
static char *without_indices(char *path)
{
	char *out = path;

	for (const char *in = path; *in; in++) {
		*out++ = *in;
		if (*in == '[')
			in += strspn(in + 1, "0123456789");
	}
	*out = '\0';
	return path;
}

static void name_variable(struct opened *o, const struct variable *variable, uint64_t offset,
	struct variable_name *out)
{
	char *full = name_demangle(variable->name), *brief = name_shorten(full);
	char *path = members_path(&o->members, o->module, variable->start, offset);

	if (path) {
		out->whole = memory_format("%s%s", brief, path);
		out->family = without_indices(memory_copy(out->whole));
	} else if (offset > 0) {
		out->whole = memory_format("%s+0x%" PRIx64, brief, offset);
		out->family = memory_format("%s[]", brief);
	} else {
		out->whole = memory_copy(brief);
		out->family = memory_format("%s[]", brief);
	}
	free(path);
	free(full);
	free(brief);
}

enum module_state symbolizer_variable(
	struct symbolizer *s, uint32_t module, uint64_t offset, struct variable_name *out)
{
	struct opened *o = module_get(s, module);
	const struct variable *variable;

	*out = (struct variable_name){0};
	if (o->state != MODULE_USABLE)
		return o->state;
	if (!o->variables_read) {
		o->variables_read = true;
		symtab_read(&o->variables, o->module);
	}
	variable = symtab_find(&o->variables, offset + o->bias);
	if (variable)
		name_variable(o, variable, offset + o->bias - variable->start, out);
	return o->state;
}
