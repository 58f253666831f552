#include "cli/elf_view.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

bool elf_view_open(struct elf_view *view, const char *path)
{
	elf_version(EV_CURRENT);
	errno = 0;
	view->fd = open(path, O_RDONLY | O_CLOEXEC);
	if (view->fd < 0)
		return false;
	view->elf = elf_begin(view->fd, ELF_C_READ_MMAP, NULL);
	if (view->elf && elf_kind(view->elf) == ELF_K_ELF && gelf_getehdr(view->elf, &view->header))
		return true;
	elf_view_close(view);
	errno = 0;
	return false;
}

void elf_view_close(struct elf_view *view)
{
	elf_end(view->elf);
	close(view->fd);
}

unsigned elf_view_bits(const struct elf_view *view)
{
	return view->header.e_ident[EI_CLASS] == ELFCLASS64 ? 64 : 32;
}

const char *elf_view_machine(const struct elf_view *view)
{
	static char other[32];

	switch (view->header.e_machine) {
	case EM_X86_64:
		return "x86-64";
	case EM_386:
		return "x86";
	case EM_AARCH64:
		return "aarch64";
	case EM_ARM:
		return "arm";
	case EM_RISCV:
		return "riscv";
	case EM_PPC64:
		return "ppc64";
	case EM_S390:
		return "s390";
	default:
		snprintf(other, sizeof(other), "machine %u", view->header.e_machine);
		return other;
	}
}

bool elf_view_interpreter(const struct elf_view *view, char *out, size_t size)
{
	size_t count = 0;
	GElf_Phdr segment;

	if (elf_getphdrnum(view->elf, &count) != 0)
		return false;
	for (size_t i = 0; i < count; i++) {
		ssize_t length;

		if (!gelf_getphdr(view->elf, (int)i, &segment) || segment.p_type != PT_INTERP)
			continue;
		if (segment.p_filesz == 0 || segment.p_filesz > size)
			return false;
		length = pread(view->fd, out, segment.p_filesz, (off_t)segment.p_offset);
		if (length != (ssize_t)segment.p_filesz)
			return false;
		out[segment.p_filesz - 1] = '\0';
		return true;
	}
	return false;
}

static Elf_Scn *section_of_type(const struct elf_view *view, GElf_Word type, GElf_Shdr *header)
{
	for (Elf_Scn *section = NULL; (section = elf_nextscn(view->elf, section));)
		if (gelf_getshdr(section, header) && header->sh_type == type)
			return section;
	return NULL;
}

static Elf_Data *section_rows(
	const struct elf_view *view, GElf_Word type, GElf_Shdr *header, size_t *rows)
{
	Elf_Scn *section = section_of_type(view, type, header);
	Elf_Data *data = section ? elf_getdata(section, NULL) : NULL;

	*rows = data && header->sh_entsize ? header->sh_size / header->sh_entsize : 0;
	return data;
}

const char *elf_view_needed(const struct elf_view *view, unsigned index)
{
	GElf_Shdr header;
	GElf_Dyn entry;
	size_t rows;
	Elf_Data *data = section_rows(view, SHT_DYNAMIC, &header, &rows);

	for (size_t i = 0; i < rows && gelf_getdyn(data, (int)i, &entry); i++)
		if (entry.d_tag == DT_NEEDED && index-- == 0)
			return elf_strptr(view->elf, header.sh_link, entry.d_un.d_val);
	return NULL;
}

void elf_view_symbols(const struct elf_view *view, elf_symbol_fn *each, void *callback_data)
{
	GElf_Shdr header;
	GElf_Sym symbol;
	size_t rows;
	Elf_Data *data = section_rows(view, SHT_DYNSYM, &header, &rows);

	for (size_t i = 0; i < rows && gelf_getsym(data, (int)i, &symbol); i++) {
		const char *name = elf_strptr(view->elf, header.sh_link, symbol.st_name);

		if (name && name[0])
			each(name, symbol.st_shndx != SHN_UNDEF, callback_data);
	}
}

static Elf_Scn *section_named(const struct elf_view *view, const char *wanted)
{
	size_t strings;
	GElf_Shdr header;

	if (elf_getshdrstrndx(view->elf, &strings) != 0)
		return NULL;
	for (Elf_Scn *section = NULL; (section = elf_nextscn(view->elf, section));) {
		const char *name = NULL;

		if (gelf_getshdr(section, &header))
			name = elf_strptr(view->elf, strings, header.sh_name);
		if (name && strcmp(name, wanted) == 0)
			return section;
	}
	return NULL;
}

bool elf_view_has_section(const struct elf_view *view, const char *section)
{
	return section_named(view, section) != NULL;
}

const char *elf_view_search(
	const struct elf_view *view, const char *section, const char *text, size_t *left)
{
	Elf_Scn *found = section_named(view, section);
	Elf_Data *data = found ? elf_rawdata(found, NULL) : NULL;
	const char *at;

	if (!data || !data->d_buf)
		return NULL;
	at = memmem(data->d_buf, data->d_size, text, strlen(text));
	if (at)
		*left = data->d_size - (size_t)(at - (const char *)data->d_buf);
	return at;
}
