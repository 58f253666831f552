#include "stats/report/symbols.h"

#include "stats/report/dwarf.h"
#include "stats/report/members.h"
#include "stats/report/memory.h"
#include "stats/report/names.h"
#include "stats/report/symtab.h"

#include <elfutils/libdwfl.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A module's file, opened when the first address in it is asked for. */
struct opened {
	bool tried;
	Dwfl *dwfl;
	Dwfl_Module *module;     /* NULL: no usable file */
	Dwarf_Addr bias;         /* from an address in the file to one libdwfl knows */
	struct symtab variables; /* read when the first variable is asked for */
	bool variables_read;
	struct compunits units;
	struct members members;
};

struct symbols {
	struct model *model;
	struct opened *opened; /* by module */
	struct frames *sites;  /* by site; count 0: not asked for yet */
	size_t module_count, site_count;
};

struct symbols *symbols_new(struct model *model)
{
	struct symbols *s = memory_get(1, sizeof *s);

	unsetenv("DEBUGINFOD_URLS");
	s->model = model;
	s->module_count = model->modules.count;
	s->site_count = model->sites.count;
	s->opened = memory_get(s->module_count, sizeof *s->opened);
	s->sites = memory_get(s->site_count, sizeof *s->sites);
	return s;
}

static void frames_free(struct frames *frames)
{
	for (size_t i = 0; i < frames->count; i++) {
		free(frames->frame[i].function);
		free(frames->frame[i].brief);
		free(frames->frame[i].file);
	}
	free(frames->frame);
}

void symbols_free(struct symbols *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->module_count; i++) {
		symtab_free(&s->opened[i].variables);
		compunits_free(&s->opened[i].units);
		members_free(&s->opened[i].members);
		if (s->opened[i].dwfl)
			dwfl_end(s->opened[i].dwfl);
	}
	for (size_t i = 0; i < s->site_count; i++)
		frames_free(&s->sites[i]);
	free(s->opened);
	free(s->sites);
	free(s);
}

const char *symbols_module(const struct symbols *s, uint32_t module)
{
	const char *path = module < s->module_count ? s->model->modules.row[module].path : NULL;
	const char *slash = path ? strrchr(path, '/') : NULL;

	if (!path)
		return "[unknown]";
	return slash && slash[1] ? slash + 1 : path;
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

static Dwfl_Module *module_report(struct opened *o, const char *path)
{
	static char *default_path;
	static const Dwfl_Callbacks callbacks = {
		.find_elf = dwfl_build_id_find_elf,
		.find_debuginfo = dwfl_standard_find_debuginfo,
		.section_address = dwfl_offline_section_address,
		.debuginfo_path = &default_path,
	};
	Dwfl_Module *module = NULL;
	struct stat st;
	int fd;

	/* The path is the recording's word: never open a device because of it. */
	if (stat(path, &st) != 0 || !S_ISREG(st.st_mode))
		return NULL;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return NULL;
	o->dwfl = dwfl_begin(&callbacks);
	if (o->dwfl)
		module = dwfl_report_offline(o->dwfl, path, path, fd); /* takes the descriptor */
	if (!module)
		close(fd);
	if (o->dwfl)
		dwfl_report_end(o->dwfl, NULL, NULL);
	return module;
}

static void module_open(struct symbols *s, uint32_t row, struct opened *o)
{
	const struct module *recorded = &s->model->modules.row[row];
	Dwfl_Module *module;

	/* Names like "[vdso]" are no files. */
	if (!recorded->path || recorded->path[0] != '/')
		return;
	module = module_report(o, recorded->path);
	if (!module || !dwfl_module_getelf(module, &o->bias)) {
		notes_add(&s->model->notes, "%s: cannot be read, so there are no names from it",
			recorded->path);
		return;
	}
	if (!build_id_matches(recorded, module)) {
		notes_add(&s->model->notes,
			"%s: changed since the recording (another build-id), so there are no names "
			"from it",
			recorded->path);
		return;
	}
	o->module = module;
}

static struct opened *module_get(struct symbols *s, uint32_t row)
{
	static struct opened none;

	if (row >= s->module_count)
		return &none;
	if (!s->opened[row].tried) {
		s->opened[row].tried = true;
		module_open(s, row, &s->opened[row]);
	}
	return &s->opened[row];
}

/* The name of last resort: module and offset, or the bare address. */
static void frames_fallback(const struct symbols *s, const struct site *site, struct frames *frames)
{
	struct frame *frame = frames_append(frames);

	if (site->module == NONE)
		frame->function = memory_format("0x%" PRIx64, site->offset);
	else
		frame->function = memory_format(
			"%s+0x%" PRIx64, symbols_module(s, site->module), site->offset);
	frame->brief = memory_copy(frame->function);
}

const struct frames *symbols_site(struct symbols *s, uint32_t row)
{
	const struct site *site = &s->model->sites.row[row];
	struct frames *frames = &s->sites[row];
	struct opened *o;

	if (frames->count > 0)
		return frames;
	o = module_get(s, site->module);
	if (o->module)
		dwarf_frames(o->module, &o->units, site->offset + o->bias - 1, frames);
	if (frames->count == 0)
		frames_fallback(s, site, frames);
	return frames;
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

bool symbols_variable(
	struct symbols *s, uint32_t module, uint64_t address, struct variable_name *out)
{
	struct opened *o = module_get(s, module);
	const struct variable *variable;

	if (!o->module)
		return false;
	if (!o->variables_read) {
		o->variables_read = true;
		symtab_read(&o->variables, o->module);
	}
	variable = symtab_find(&o->variables, address + o->bias);
	if (!variable)
		return false;
	name_variable(o, variable, address + o->bias - variable->start, out);
	return true;
}
