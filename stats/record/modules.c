#include "stats/record/modules.h"

#include "stats/record/quiet.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <string.h>

#define SNAPSHOT_MAX 256

TABLE(modules, RLK_MODULES, struct rlk_module, 32, 128);

static const char *executable_path = "";
static struct found_object snapshot[SNAPSHOT_MAX];
static size_t snapshot_count;

#ifdef DLFO_STRUCT_HAS_EH_DBASE
#pragma weak _dl_find_object
#endif

static bool object_from_snapshot(uint64_t address, struct found_object *out)
{
	for (size_t i = 0; i < snapshot_count; i++) {
		if (address >= snapshot[i].start && address < snapshot[i].end) {
			*out = snapshot[i];
			return true;
		}
	}
	return false;
}

bool object_find(uint64_t address, struct found_object *out)
{
#ifdef DLFO_STRUCT_HAS_EH_DBASE
	struct dl_find_object found;

	if (_dl_find_object) {
		if (_dl_find_object((void *)address, &found))
			return false;
		out->start = (uint64_t)found.dlfo_map_start;
		out->end = (uint64_t)found.dlfo_map_end;
		out->identity = (uint64_t)found.dlfo_link_map;
		out->bias = found.dlfo_link_map->l_addr;
		out->eh_frame_header = (uint64_t)found.dlfo_eh_frame;
		out->path = found.dlfo_link_map->l_name;
		return true;
	}
#endif
	return object_from_snapshot(address, out);
}

static int snapshot_add(struct dl_phdr_info *info, size_t size, void *unused)
{
	struct found_object *o = &snapshot[snapshot_count];

	(void)size, (void)unused;
	if (snapshot_count == SNAPSHOT_MAX)
		return 1;
	*o = (struct found_object){
		.start = UINT64_MAX, .bias = info->dlpi_addr, .path = info->dlpi_name};
	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		uint64_t from = info->dlpi_addr + p->p_vaddr;

		if (p->p_type == PT_LOAD && from < o->start)
			o->start = from;
		if (p->p_type == PT_LOAD && from + p->p_memsz > o->end)
			o->end = from + p->p_memsz;
		if (p->p_type == PT_GNU_EH_FRAME)
			o->eh_frame_header = from;
	}
	o->identity = o->start;
	snapshot_count += o->end != 0;
	return 0;
}

void modules_open(const char *executable)
{
	executable_path = executable;
#ifdef DLFO_STRUCT_HAS_EH_DBASE
	if (_dl_find_object)
		return;
#endif
	snapshot_count = 0;
	dl_iterate_phdr(snapshot_add, NULL);
}

/* Reads the build-id from the notes in memory; the ELF header is at the start of every ordinary
 * mapping. */
static void read_build_id(const struct found_object *object, struct rlk_module *row)
{
	const ElfW(Ehdr) *elf = (const ElfW(Ehdr) *)object->start;
	const ElfW(Phdr) *p = (const ElfW(Phdr) *)((const char *)elf + elf->e_phoff);

	if (memcmp(elf->e_ident, ELFMAG, SELFMAG) || elf->e_phoff > 4096 || elf->e_phnum > 64)
		return;
	for (unsigned i = 0; i < elf->e_phnum; i++) {
		const char *at = (const char *)object->bias + p[i].p_vaddr,
			   *end = at + p[i].p_memsz;

		if (p[i].p_type != PT_NOTE || (uint64_t)at < object->start ||
			(uint64_t)end > object->end)
			continue;
		while (at + sizeof(ElfW(Nhdr)) + 4 <= end) {
			const ElfW(Nhdr) *note = (const ElfW(Nhdr) *)at;
			const char *name = (const char *)(note + 1),
				   *desc = name + ((note->n_namesz + 3) & ~3u);

			if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 &&
				!memcmp(name, "GNU", 4) && note->n_descsz <= RLK_BUILD_ID_MAX &&
				desc + note->n_descsz <= end) {
				memcpy(row->build_id, desc, note->n_descsz);
				row->build_id_length = note->n_descsz;
				return;
			}
			at = desc + ((note->n_descsz + 3) & ~3u);
		}
	}
}

bool module_is(uint32_t module, const struct found_object *object)
{
	const struct rlk_module *row = table_row(&modules, module - 1);

	return row->link_map == object->identity && row->start == object->start &&
	       load64(&row->end) == object->end;
}

static uint32_t module_find(const struct found_object *object)
{
	/* The newest first: a place that was reused belongs to whoever came last. */
	for (uint32_t n = table_count(&modules); n > 0; n--) {
		if (module_is(n, object))
			return n;
	}
	return 0;
}

static uint32_t module_add(const struct found_object *object)
{
	const char *path = object->path && *object->path ? object->path : executable_path;
	uint32_t number;
	struct rlk_module *row = table_new(&modules, &number);

	if (!row)
		return 0;
	row->start = object->start;
	row->bias = object->bias;
	row->link_map = object->identity;
	row->eh_frame_header = object->eh_frame_header;
	read_build_id(object, row);
	row->path = arena_text(path, strlen(path));
	store64_release(&row->end, object->end);
	return number + 1;
}

uint32_t module_of(const struct found_object *object)
{
	uint32_t module = module_find(object);
	struct quiet quiet;

	if (module)
		return module;
	quiet_begin(&quiet);
	module = module_find(object);
	if (!module)
		module = module_add(object);
	quiet_end(&quiet);
	return module;
}

void modules_reset(void)
{
	table_reset(&modules);
}
