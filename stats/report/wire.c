#include "stats/report/wire.h"

#include "stats/report/memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/types.h>

#define NO_TEXT UINT32_MAX

static void put(struct wire *w, const void *bytes, size_t size)
{
	while (w->capacity - w->used < size) {
		w->bytes = memory_grow(w->bytes, w->capacity, &w->capacity, 1);
	}
	memcpy(w->bytes + w->used, bytes, size);
	w->used += size;
}

void wire_put_number(struct wire *w, uint32_t number)
{
	put(w, &number, sizeof number);
}

void wire_put_text(struct wire *w, const char *text, size_t max)
{
	size_t length = text ? strnlen(text, max) : 0;

	wire_put_number(w, text ? (uint32_t)length : NO_TEXT);
	if (length > 0)
		put(w, text, length);
}

static const void *get(struct wire *w, size_t size)
{
	const void *at = w->bytes + w->taken;

	if (w->broken || w->used - w->taken < size) {
		w->broken = true;
		return NULL;
	}
	w->taken += size;
	return at;
}

uint32_t wire_get_number(struct wire *w)
{
	const void *at = get(w, sizeof(uint32_t));
	uint32_t number = 0;

	if (at)
		memcpy(&number, at, sizeof number);
	return number;
}

char *wire_get_text(struct wire *w)
{
	uint32_t length = wire_get_number(w);
	const void *at;
	char *text;

	if (length == NO_TEXT || w->broken)
		return NULL;
	at = get(w, length);
	if (!at)
		return NULL;
	text = memory_get((size_t)length + 1, 1);
	memcpy(text, at, length);
	return text;
}

void wire_free(struct wire *w)
{
	free(w->bytes);
	*w = (struct wire){0};
}

static bool send_all(int fd, const unsigned char *bytes, size_t size)
{
	while (size > 0) {
		ssize_t sent = send(fd, bytes, size, MSG_NOSIGNAL);

		if (sent < 0 && errno == EINTR)
			continue;
		if (sent <= 0)
			return false;
		bytes += sent;
		size -= (size_t)sent;
	}
	return true;
}

static bool receive_all(int fd, unsigned char *bytes, size_t size)
{
	while (size > 0) {
		ssize_t got = recv(fd, bytes, size, 0);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return false;
		bytes += got;
		size -= (size_t)got;
	}
	return true;
}

bool wire_send(int fd, const struct wire *w)
{
	uint32_t size = (uint32_t)w->used;

	return send_all(fd, (const unsigned char *)&size, sizeof size) &&
	       send_all(fd, w->bytes, w->used);
}

bool wire_receive(int fd, struct wire *w)
{
	uint32_t size;

	wire_free(w);
	if (!receive_all(fd, (unsigned char *)&size, sizeof size) || size > WIRE_MESSAGE_MAX)
		return false;
	w->bytes = memory_get(size, 1);
	w->used = w->capacity = size;
	return receive_all(fd, w->bytes, size);
}
