/*
 * Reads what the loader and the linker know of an ELF file: interpreter, needed libraries, dynamic
 * symbols, sections.
 *
 * Use: elf_view_open(), then the questions, then elf_view_close(). Strings that are returned live
 * until the close.
 *
 * Contract: files may be damaged; a question that cannot be answered is answered as for an empty
 * table.
 */
#ifndef RELOCK_CLI_ELF_VIEW_H
#define RELOCK_CLI_ELF_VIEW_H

#include <gelf.h>
#include <stdbool.h>
#include <stddef.h>

struct elf_view {
	int fd;
	Elf *elf;
	GElf_Ehdr header;
};

/* False: not an ELF file, or not readable (errno is set then, else 0). Nothing is left open. */
bool elf_view_open(struct elf_view *view, const char *path);
void elf_view_close(struct elf_view *view);

unsigned elf_view_bits(const struct elf_view *view); /* 32 or 64 */
/* "x86-64", "aarch64", … or "machine N". */
const char *elf_view_machine(const struct elf_view *view);

/* The program's loader (PT_INTERP). False: it names none, so it is static, or a library. */
bool elf_view_interpreter(const struct elf_view *view, char *out, size_t size);

/* The `index`th DT_NEEDED, NULL past the last. */
const char *elf_view_needed(const struct elf_view *view, unsigned index);

/* Calls `each` for every dynamic symbol with a name. */
typedef void elf_symbol_fn(const char *name, bool defined, void *data);
void elf_view_symbols(const struct elf_view *view, elf_symbol_fn *each, void *data);

bool elf_view_has_section(const struct elf_view *view, const char *section);
/* Where `text` stands in a section, or NULL; *left is set to the bytes from there to its end. */
const char *elf_view_search(
	const struct elf_view *view, const char *section, const char *text, size_t *left);

#endif
