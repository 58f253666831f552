/* Mutations of ELF files: most change a number in a header, in a section's header or in a section,
 * because a change of any byte hits debug information that nothing refers to, mostly. */
#include "tests/fuzz/fuzz.h"

#include <elf.h>

struct span {
	size_t from, size;
};

/* A part of the file by its own section headers, as far as they lie in it. */
static struct span section_span(const uint8_t *data, size_t size, uint64_t *state)
{
	const struct span all = {0, size};
	Elf64_Ehdr header;
	Elf64_Shdr section;
	size_t at;

	memcpy(&header, data, sizeof(header));
	if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_shnum == 0 || header.e_shoff >= size)
		return all;
	at = header.e_shoff + fuzz_random(state) % header.e_shnum * sizeof(section);
	if (at > size - sizeof(section))
		return all;
	if (fuzz_random(state) % 4 == 0)
		return (struct span){at, sizeof(section)};
	memcpy(&section, data + at, sizeof(section));
	if (section.sh_type == SHT_NOBITS || section.sh_offset >= size || section.sh_size == 0)
		return all;
	at = size - section.sh_offset;
	return (struct span){section.sh_offset, section.sh_size < at ? section.sh_size : at};
}

static uint64_t number(uint64_t before, uint64_t *state)
{
	static const uint64_t special[] = {0, 1, 0x7f, 0x80, 0xff, 0xffff, 0x7fffffff, 0x80000000,
		0xffffffff, INT64_MAX, UINT64_MAX - 1, UINT64_MAX};
	uint64_t value = fuzz_random(state);

	switch (fuzz_random(state) % 4) {
	case 0:
		return before + value % 32 - 16;
	case 1:
		return special[value % (sizeof(special) / sizeof(special[0]))];
	case 2:
		return before ^ 1ull << value % 64;
	default:
		return value >> fuzz_random(state) % 64;
	}
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed)
{
	uint64_t state = seed * 0x9e3779b97f4a7c15u | 1, value = 0;
	struct span span;
	size_t width, at;

	for (int i = 0; i < 4; i++)
		fuzz_random(&state);
	if (size < sizeof(Elf64_Ehdr) || fuzz_random(&state) % 8 == 0)
		return LLVMFuzzerMutate(data, size, room);
	span = section_span(data, size, &state);
	if (fuzz_random(&state) % 8 == 0)
		span = (struct span){0, sizeof(Elf64_Ehdr)};
	width = (size_t)1 << fuzz_random(&state) % 4;
	if (width > span.size)
		width = 1;
	at = span.from + fuzz_random(&state) % (span.size - width + 1);
	memcpy(&value, data + at, width);
	value = number(value, &state);
	memcpy(data + at, &value, width);
	return size;
}
