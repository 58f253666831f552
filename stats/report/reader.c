/* Opening a recording: is it one, and where are its blocks? */
#include "stats/report/reader.h"

#include "stats/report/blocks.h"
#include "stats/report/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define TEXT_MAX (1 << 20)

/* Says in `message` what is wrong with the header; true when nothing is. */
static bool header_check(const struct rlk_header *h, const char *path, char *message, size_t size)
{
	if (memcmp(h->magic, RLK_MAGIC, sizeof h->magic) != 0)
		snprintf(message, size, "%s: not a recording of relock", path);
	else if (h->byte_order == __builtin_bswap32(RLK_BYTE_ORDER))
		snprintf(message, size,
			"%s: recorded on a machine of the other byte order; read it on such a one",
			path);
	else if (h->byte_order != RLK_BYTE_ORDER)
		snprintf(message, size, "%s: damaged: its byte order mark is 0x%08" PRIx32, path,
			h->byte_order);
	else if (h->version > RLK_VERSION)
		snprintf(message, size,
			"%s: written by a newer relock (format %" PRIu32 ", this reads %d)", path,
			h->version, RLK_VERSION);
	else if (h->version < RLK_VERSION)
		snprintf(message, size,
			"%s: written by an older relock (format %" PRIu32 ", this reads %d)", path,
			h->version, RLK_VERSION);
	else if (h->word_bits != 64)
		snprintf(message, size,
			"%s: recorded by a %" PRIu32 "-bit process; this reads 64-bit recordings",
			path, h->word_bits);
	else
		return true;
	return false;
}

static bool header_read(struct recording *r, const struct stat *st, char *message, size_t size)
{
	ssize_t got;

	if (!S_ISREG(st->st_mode)) {
		snprintf(message, size, "%s: not a file", r->path);
		return false;
	}
	got = pread(r->fd, &r->header, sizeof r->header, 0);
	if (got < 0) {
		snprintf(message, size, "%s: cannot be read: %s", r->path, strerror(errno));
		return false;
	}
	if (got == 0) {
		snprintf(message, size, "%s: empty", r->path);
		return false;
	}
	if ((size_t)got < sizeof r->header) {
		snprintf(message, size,
			"%s: not a recording: %zd bytes, shorter than a recording's header",
			r->path, got);
		return false;
	}
	return header_check(&r->header, r->path, message, size);
}

static void size_note(const struct recording *r, uint64_t file_size)
{
	if (r->header.used > file_size)
		notes_add(r->notes,
			"%s: cut short: %" PRIu64 " of %" PRIu64
			" bytes are there, so the figures are incomplete",
			r->path, file_size, r->header.used);
	else if (r->header.used < RLK_PAGE)
		notes_add(r->notes, "%s: damaged: it claims to hold %" PRIu64 " bytes", r->path,
			r->header.used);
}

struct recording *recording_open(const char *path, struct notes *notes, char *message, size_t size)
{
	struct recording *r;
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);

	if (fd < 0) {
		snprintf(message, size, "%s: cannot be opened: %s", path, strerror(errno));
		return NULL;
	}
	r = memory_get(1, sizeof *r);
	r->fd = fd;
	r->path = memory_copy(path);
	r->notes = notes;
	if (fstat(fd, &st) != 0 || !header_read(r, &st, message, size)) {
		recording_close(r);
		return NULL;
	}
	r->size = r->header.used < (uint64_t)st.st_size ? r->header.used : (uint64_t)st.st_size;
	size_note(r, (uint64_t)st.st_size);
	blocks_scan(r);
	return r;
}

void recording_close(struct recording *r)
{
	if (!r)
		return;
	close(r->fd);
	free(r->path);
	free(r->blocks);
	free(r);
}

/* The last block that starts at or before an offset, or NULL. */
static const struct recording_block *block_around(const struct recording *r, uint64_t offset)
{
	size_t low = 0, high = r->block_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (r->blocks[middle].offset <= offset)
			low = middle + 1;
		else
			high = middle;
	}
	return low > 0 ? &r->blocks[low - 1] : NULL;
}

static bool text_inside_block(const struct recording *r, const struct rlk_text *text)
{
	const struct recording_block *b = block_around(r, text->offset);
	uint64_t end = b ? b->offset + b->bytes : 0;

	return b && b->type == RLK_STRINGS &&
	       text->offset >= b->offset + sizeof(struct rlk_block) && text->offset < end &&
	       text->length <= end - text->offset;
}

char *recording_text(const struct recording *r, struct rlk_text text)
{
	char *copy;
	ssize_t got;

	if (text.length == 0 || text.length > TEXT_MAX || !text_inside_block(r, &text)) {
		if (text.length != 0)
			notes_add(r->notes, "%s: a text lies outside of the file's texts", r->path);
		return NULL;
	}
	copy = memory_get(text.length + 1, 1);
	got = pread(r->fd, copy, text.length, (off_t)text.offset);
	if (got <= 0 || copy[0] == '\0') {
		free(copy);
		return NULL;
	}
	return copy;
}

uint64_t recording_index_limit(const struct recording *r, enum rlk_block_type type)
{
	return r->size / blocks_row_bytes(type);
}
