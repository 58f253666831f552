/* Keeps the last part of what a program writes, in bounded memory. */
#include "cli/process.h"
#include "stats/report/memory.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void capture_clear(struct capture *c)
{
	c->used = 0;
	if (c->text)
		c->text[0] = '\0';
}

void capture_free(struct capture *c)
{
	free(c->text);
	c->text = NULL;
	c->used = c->size = 0;
}

/* Room for `length` more bytes and a NUL: by growing, then by forgetting the older half. */
static void make_room(struct capture *c, size_t length)
{
	while (c->used + length + 1 > c->size && c->size < CAPTURE_MAX) {
		char *grown = realloc(c->text, c->size ? c->size * 2 : 2 * length);

		if (!grown)
			break;
		c->text = grown;
		c->size = c->size ? c->size * 2 : 2 * length;
	}
	if (c->used + length + 1 > c->size) {
		size_t kept = c->used / 2;

		memmove(c->text, c->text + c->used - kept, kept);
		c->used = kept;
	}
}

static void show(const char *bytes, size_t length)
{
	while (length > 0) {
		ssize_t done = write(STDERR_FILENO, bytes, length);

		if (done <= 0)
			return;
		bytes += done;
		length -= (size_t)done;
	}
}

bool capture_read(struct capture *c, int fd)
{
	char bytes[16384];
	ssize_t length = read(fd, bytes, sizeof(bytes));

	if (length <= 0)
		return false;
	if (c->show)
		show(bytes, (size_t)length);
	make_room(c, sizeof(bytes));
	/* Later it is searched as one text. */
	for (ssize_t i = 0; i < length; i++)
		c->text[c->used++] = bytes[i] ? bytes[i] : ' ';
	c->text[c->used] = '\0';
	return true;
}
