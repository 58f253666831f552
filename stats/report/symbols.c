#include "stats/report/symbols.h"

#include "stats/report/dwarf.h"
#include "stats/report/helper.h"
#include "stats/report/memory.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct symbols {
	struct model *model;
	struct helper *helper;
	struct frames *sites; /* by site; count 0: not asked for yet */
	size_t module_count, site_count;
};

struct symbols *symbols_new(struct model *model)
{
	struct symbols *s = memory_get(1, sizeof *s);

	unsetenv("DEBUGINFOD_URLS");
	s->model = model;
	s->helper = helper_new(model);
	s->module_count = model->modules.count;
	s->site_count = model->sites.count;
	s->sites = memory_get(s->site_count, sizeof *s->sites);
	return s;
}

void frames_free(struct frames *frames)
{
	for (size_t i = 0; i < frames->count; i++) {
		free(frames->frame[i].function);
		free(frames->frame[i].brief);
		free(frames->frame[i].file);
	}
	free(frames->frame);
	*frames = (struct frames){0};
}

void symbols_free(struct symbols *s)
{
	if (!s)
		return;
	helper_free(s->helper);
	for (size_t i = 0; i < s->site_count; i++)
		frames_free(&s->sites[i]);
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

	if (frames->count > 0)
		return frames;
	if (site->module >= s->module_count ||
		!helper_frames(s->helper, site->module, site->offset, frames))
		frames_fallback(s, site, frames);
	return frames;
}

bool symbols_variable(
	struct symbols *s, uint32_t module, uint64_t address, struct variable_name *out)
{
	return module < s->module_count && helper_variable(s->helper, module, address, out);
}
