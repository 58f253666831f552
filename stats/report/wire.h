/*
 * Numbers and texts in one message, between the helper process and who asked it. For helper.c and
 * helper_serve.c only.
 *
 * Contract: what is got is checked against the message's end, because the other side may have been
 * broken by what it read. Got beyond the end, or a text that has none, makes `broken` true and
 * everything after it 0 and NULL.
 */
#ifndef RELOCK_STATS_REPORT_WIRE_H
#define RELOCK_STATS_REPORT_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WIRE_TEXT_MAX (16 * 1024) /* longer texts are cut */
#define WIRE_NAME_MAX 1024        /* of what may stand in every row of a table */
#define WIRE_MESSAGE_MAX (8 * 1024 * 1024)

struct wire {
	unsigned char *bytes;
	size_t used, capacity;
	size_t taken;
	bool broken;
};

void wire_put_number(struct wire *wire, uint32_t number);
/* At most `max` bytes of it. `text` may be NULL. */
void wire_put_text(struct wire *wire, const char *text, size_t max);
uint32_t wire_get_number(struct wire *wire);
char *wire_get_text(struct wire *wire); /* for free() */
void wire_free(struct wire *wire);

/* One message, whole. False: the other side is gone, or sends what cannot be one. */
bool wire_send(int fd, const struct wire *wire);
bool wire_receive(int fd, struct wire *wire);

#endif
