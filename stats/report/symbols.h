/*
 * Names for addresses: function, file and line, inlined frames, variables; through elfutils.
 *
 * Use: s = symbols_new(model); frames = symbols_site(s, site_row); …; symbols_free(s).
 *
 * Contract: the files are read by a process of its own, within limits (helper.h), and are only
 * files of this machine (symbolizer.h); for the network, DEBUGINFOD_URLS is taken out of the
 * environment. Every answer is kept. A changed, missing or damaged file gives names like
 * "libfoo.so.1+0x1234" and one warning.
 */
#ifndef RELOCK_STATS_REPORT_SYMBOLS_H
#define RELOCK_STATS_REPORT_SYMBOLS_H

#include "stats/report/model.h"

struct frame {
	char *function; /* demangled, whole; "module+0xoffset" when not known */
	char *brief;    /* the same for tables, see names.h */
	char *file;     /* base name and directories as compiled; NULL: not known */
	int line;       /* 0: not known */
	bool known;     /* false: `function` is only module and offset */
	bool inlined;   /* into the frame that follows */
};

/* The frames at one code address: an inlined function first, then what it was inlined into, … */
struct frames {
	struct frame *frame;
	size_t count; /* at least 1 */
};

void frames_free(struct frames *frames);

struct symbols;

struct symbols *symbols_new(struct model *model);
void symbols_free(struct symbols *symbols);

/* Frames of a return address: of the call before it. Valid until symbols_free(). */
const struct frames *symbols_site(struct symbols *symbols, uint32_t site);

/* The place of a static lock. */
struct variable_name {
	char *whole;  /* "table_lock", "table[3].lock", or without debug information "table+0x40" */
	char *family; /* what its likes have in common: "table_lock", "table[].lock", "table[]" */
};

/* The variable that an address in a module's data is inside of; both texts for free(). False: not
 * known. */
bool symbols_variable(
	struct symbols *symbols, uint32_t module, uint64_t address, struct variable_name *out);

/* The file name of a module without directories, "[unknown]" when it has none. */
const char *symbols_module(const struct symbols *symbols, uint32_t module);

#endif
