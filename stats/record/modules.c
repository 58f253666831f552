#include "stats/record/modules.h"

#include "stats/record/quiet.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <string.h>

#define STARTUP_MAX 256
#define MODULE_ROWS 32
#define MODULE_BLOCKS 128

TABLE(modules, RLK_MODULES, struct rlk_module, MODULE_ROWS, MODULE_BLOCKS);

static const char *executable_path = "";

/* The objects that came with the program. */
static struct startup {
	struct found_object object;
	struct object_details details;
} startup[STARTUP_MAX];
static size_t startup_count;

atomic_uint modules_nameless;
static uint32_t nameless[MODULE_ROWS * MODULE_BLOCKS / 32];

#ifdef DLFO_STRUCT_HAS_EH_DBASE
#pragma weak _dl_find_object
#endif

static const struct startup *startup_at(uint64_t start, uint64_t end)
{
	for (size_t i = 0; i < startup_count; i++) {
		if (startup[i].object.start < end && startup[i].object.end > start)
			return &startup[i];
	}
	return NULL;
}

bool object_find(uint64_t address, struct found_object *out)
{
	const struct startup *known;
#ifdef DLFO_STRUCT_HAS_EH_DBASE
	struct dl_find_object found;

	if (_dl_find_object) {
		if (_dl_find_object((void *)address, &found))
			return false;
		out->start = (uint64_t)found.dlfo_map_start;
		out->end = (uint64_t)found.dlfo_map_end;
		out->identity = (uint64_t)found.dlfo_link_map;
		out->eh_frame_header = (uint64_t)found.dlfo_eh_frame;
		return true;
	}
#endif
	known = startup_at(address, address + 1);
	if (known)
		*out = known->object;
	return known != NULL;
}

bool object_is_permanent(const struct found_object *object)
{
	return startup_at(object->start, object->end) != NULL;
}

void object_describe(const struct found_object *object, struct object_details *out)
{
	const struct startup *known = startup_at(object->start, object->end);

	/* What is in no list was found by _dl_find_object, whose identities are link maps. */
	if (known)
		*out = known->details;
	else
		*out = (struct object_details){
			.bias = ((const struct link_map *)object->identity)->l_addr,
			.path = ((const struct link_map *)object->identity)->l_name,
		};
}

static int startup_add(struct dl_phdr_info *info, size_t size, void *unused)
{
	struct startup *s = &startup[startup_count];

	(void)size, (void)unused;
	if (startup_count == STARTUP_MAX)
		return 1;
	s->object = (struct found_object){.start = UINT64_MAX};
	s->details = (struct object_details){.bias = info->dlpi_addr, .path = info->dlpi_name};
	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		uint64_t from = info->dlpi_addr + p->p_vaddr;

		if (p->p_type == PT_LOAD && from < s->object.start)
			s->object.start = from;
		if (p->p_type == PT_LOAD && from + p->p_memsz > s->object.end)
			s->object.end = from + p->p_memsz;
		if (p->p_type == PT_GNU_EH_FRAME)
			s->object.eh_frame_header = from;
	}
	s->object.identity = s->object.start;
	startup_count += s->object.end != 0;
	return 0;
}

void modules_open(const char *executable)
{
	executable_path = executable;
	startup_count = 0;
	dl_iterate_phdr(startup_add, NULL);
}

/* Reads the build-id from the notes in memory; the ELF header is at the start of every ordinary
 * mapping. */
static void read_build_id(const struct found_object *object, uint64_t bias, struct rlk_module *row)
{
	const ElfW(Ehdr) *elf = (const ElfW(Ehdr) *)object->start;
	const ElfW(Phdr) *p = (const ElfW(Phdr) *)((const char *)elf + elf->e_phoff);

	if (memcmp(elf->e_ident, ELFMAG, SELFMAG) || elf->e_phoff > 4096 || elf->e_phnum > 64)
		return;
	for (unsigned i = 0; i < elf->e_phnum; i++) {
		const char *at = (const char *)bias + p[i].p_vaddr, *end = at + p[i].p_memsz;

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

	/* Acquire pairs with the release in module_add(): the rest is there. */
	return load64_acquire(&row->end) == object->end && row->link_map == object->identity &&
	       row->start == object->start;
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

/* The path comes last: whoever sees where it is sees the rest. */
static void module_name(struct rlk_module *row, const struct found_object *object)
{
	struct object_details details;
	struct rlk_text path;

	object_describe(object, &details);
	row->bias = details.bias;
	read_build_id(object, details.bias, row);
	if (!*details.path)
		details.path = executable_path;
	path = arena_text(details.path, strlen(details.path));
	row->path.length = path.length;
	store64_release(&row->path.offset, path.offset);
}

/* Under the recorder's lock. */
static void nameless_set(uint32_t number, bool set)
{
	uint32_t bit = 1u << number % 32, before = load32(&nameless[number / 32]);

	store32(&nameless[number / 32], set ? before | bit : before & ~bit);
	atomic_fetch_add_explicit(&modules_nameless, set ? 1 : -1u, memory_order_relaxed);
}

static bool is_nameless(uint32_t number)
{
	return load32(&nameless[number / 32]) >> number % 32 & 1;
}

static uint32_t module_add(const struct found_object *object, bool stays)
{
	uint32_t number;
	struct rlk_module *row = table_new(&modules, &number, 0);

	if (!row)
		return 0;
	row->start = object->start;
	row->bias = object->start; /* as most files are laid out */
	row->link_map = object->identity;
	row->eh_frame_header = object->eh_frame_header;
	if (stays)
		module_name(row, object);
	else
		nameless_set(number, true);
	/* Pairs with the acquire in module_is(). */
	store64_release(&row->end, object->end);
	return number + 1;
}

uint32_t module_of(const struct found_object *object, enum presence presence)
{
	bool stays = presence == OBJECT_STAYS || object_is_permanent(object);
	uint32_t module = module_find(object);
	struct quiet quiet;

	if (module && !(stays && is_nameless(module - 1)))
		return module;
	quiet_begin(&quiet);
	module = module_find(object);
	if (!module) {
		module = module_add(object, stays);
	} else if (stays && is_nameless(module - 1)) {
		module_name(table_row(&modules, module - 1), object);
		nameless_set(module - 1, false);
	}
	quiet_end(&quiet);
	return module;
}

void module_settle(uint64_t site)
{
	struct found_object object;

	if (object_find(site - 1, &object))
		module_of(&object, OBJECT_STAYS);
}

const struct rlk_module *module_at(uint64_t address)
{
	for (uint32_t n = table_count(&modules); n > 0; n--) {
		const struct rlk_module *row = table_row(&modules, n - 1);

		/* Acquire pairs with the releases in module_add() and module_name(). */
		if (address < load64_acquire(&row->end) && address >= row->start &&
			load64_acquire(&row->path.offset))
			return row;
	}
	return NULL;
}

void modules_reset(void)
{
	table_reset(&modules);
	memset(nameless, 0, sizeof(nameless));
	atomic_store_explicit(&modules_nameless, 0, memory_order_relaxed);
}
