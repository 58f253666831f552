#include "stats/report/lookup.h"

#include "conf/conf.h"
#include "stats/report/memory.h"
#include "stats/report/names.h"

#include <elfutils/libdwfl.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool name_matches(const char *symbol, const char *pattern)
{
	char *bare = memory_copy(symbol), *full, *brief;
	bool matches;

	bare[strcspn(bare, "@")] = '\0';
	full = name_demangle(bare);
	brief = name_shorten(full);
	matches = conf_match(pattern, bare) || conf_match(pattern, full) ||
		  conf_match(pattern, brief);
	free(bare);
	free(full);
	free(brief);
	return matches;
}

static void look_at(const char *name, const GElf_Sym *symbol, uint64_t address, const char *pattern,
	lookup_found *found, void *data)
{
	bool function = GELF_ST_TYPE(symbol->st_info) == STT_FUNC;

	if (!name || !*name || symbol->st_shndx == SHN_UNDEF || symbol->st_size == 0 ||
		(!function && GELF_ST_TYPE(symbol->st_info) != STT_OBJECT) ||
		!name_matches(name, pattern))
		return;
	/* A call may be a function's last instruction; it cannot return to the first. */
	found(data, address + function, address + symbol->st_size - 1 + function);
}

static Dwfl_Module *module_open(Dwfl *dwfl, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	Dwfl_Module *module = NULL;

	if (fd < 0)
		return NULL;
	module = dwfl_report_offline(dwfl, path, path, fd); /* takes the descriptor */
	if (!module)
		close(fd);
	dwfl_report_end(dwfl, NULL, NULL);
	return module;
}

bool lookup_symbols(const char *path, const char *pattern, lookup_found *found, void *data)
{
	static char *default_path;
	static const Dwfl_Callbacks callbacks = {
		.find_elf = dwfl_build_id_find_elf,
		.find_debuginfo = dwfl_standard_find_debuginfo,
		.section_address = dwfl_offline_section_address,
		.debuginfo_path = &default_path,
	};
	Dwfl *dwfl;
	Dwfl_Module *module;
	GElf_Addr bias;
	int symbols = -1;

	unsetenv("DEBUGINFOD_URLS");
	dwfl = dwfl_begin(&callbacks);
	module = dwfl ? module_open(dwfl, path) : NULL;
	if (module && dwfl_module_getelf(module, &bias))
		symbols = dwfl_module_getsymtab(module);
	for (int i = 1; i < symbols; i++) {
		GElf_Sym symbol;
		GElf_Addr address;
		const char *name =
			dwfl_module_getsym_info(module, i, &symbol, &address, NULL, NULL, NULL);

		if (name)
			look_at(name, &symbol, address - bias, pattern, found, data);
	}
	if (dwfl)
		dwfl_end(dwfl);
	return symbols >= 0;
}
