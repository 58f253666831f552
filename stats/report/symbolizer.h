/*
 * Names for addresses in the files of a recording's modules, through elfutils.
 *
 * The files are whatever the recording names, and elfutils is not made for hostile ones: it may
 * crash, run for ever or take all memory. So only the helper process (helper.h) uses this; what
 * comes of a bad file is the end of that process.
 *
 * Contract: looks only at regular files that are ELF files of at most SYMBOLIZER_FILE_MAX bytes:
 * the module's own path when its build-id is still the recorded one, and separate debug information
 * (.gnu_debuglink, .build-id); never at the network. A module is opened once, when the first of its
 * addresses is asked for.
 */
#ifndef RELOCK_STATS_REPORT_SYMBOLIZER_H
#define RELOCK_STATS_REPORT_SYMBOLIZER_H

#include "stats/report/symbols.h"

#define SYMBOLIZER_FILE_MAX (4ull << 30)

/* What becomes of a module's file. X(NAME, what is wrong) */
#define MODULE_STATES(X)                                                                           \
	X(USABLE, "is usable")                                                                     \
	X(UNREADABLE, "cannot be read")                                                            \
	X(NOT_REGULAR, "is not a regular file")                                                    \
	X(NOT_ELF, "is not an ELF file")                                                           \
	X(TOO_LARGE, "is larger than 4 GiB")                                                       \
	X(CHANGED, "changed since the recording (another build-id)")

#define MODULE_STATE_NAME(name, sentence) MODULE_##name,
enum module_state { MODULE_STATES(MODULE_STATE_NAME) MODULE_STATE_COUNT };

struct symbolizer;

/* Modules as the model has them, which must not change meanwhile. */
struct symbolizer *symbolizer_new(const struct model *model);
void symbolizer_free(struct symbolizer *symbolizer);

/* `module` is below the model's count and has an absolute path; `offset` is an address in its file.
 */

/* Appends the frames of a return address; none when it has no name. */
enum module_state symbolizer_frames(
	struct symbolizer *symbolizer, uint32_t module, uint64_t offset, struct frames *out);

/* The variable an address is inside of; both texts for free(), NULL when there is none. */
enum module_state symbolizer_variable(
	struct symbolizer *symbolizer, uint32_t module, uint64_t offset, struct variable_name *out);

#endif
