#include "conf/internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define WHERE_MAX 200 /* of a path in a message */

struct text text_start(char *out, size_t size)
{
	if (size > 0)
		*out = '\0';
	return (struct text){out, size, 0};
}

static void text_vadd(struct text *t, const char *format, va_list arguments)
{
	bool room = t->length < t->size;
	int length = vsnprintf(room ? t->out + t->length : NULL, room ? t->size - t->length : 0,
		format, arguments);

	if (length > 0)
		t->length += (size_t)length;
}

void text_add(struct text *t, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	text_vadd(t, format, arguments);
	va_end(arguments);
}

void text_add_names(struct text *t, const char *const *names, size_t count)
{
	for (size_t i = 0; i < count; i++)
		text_add(t, "%s%s", i > 0 ? ", " : "", names[i]);
}

/* Of a long path, its end says more than its beginning. */
static void add_place(struct text *t, const struct place *place)
{
	size_t length;

	if (!place || !place->where)
		return;
	length = strlen(place->where);
	if (length > WHERE_MAX)
		text_add(t, "...%s", place->where + length - WHERE_MAX);
	else
		text_add(t, "%s", place->where);
	if (place->line > 0)
		text_add(t, ":%d", place->line);
	text_add(t, ": ");
}

static void add_key(struct text *t, const struct place *place)
{
	if (place && place->key)
		text_add(t, "%s: ", place->key);
}

/* A message is one line, whatever words and paths it quotes. */
static bool finish(struct conf_error *error)
{
	for (char *at = error->message; *at; at++) {
		if ((unsigned char)*at < 0x20 || *at == 0x7f)
			*at = '?';
	}
	return false;
}

bool conf_fail_key(struct conf_error *error, const struct place *place, const char *format, ...)
{
	struct text t = text_start(error->message, sizeof(error->message));
	va_list arguments;

	add_place(&t, place);
	add_key(&t, place);
	va_start(arguments, format);
	text_vadd(&t, format, arguments);
	va_end(arguments);
	return finish(error);
}

bool conf_fail(struct conf_error *error, const struct place *place, const char *format, ...)
{
	struct text t = text_start(error->message, sizeof(error->message));
	va_list arguments;

	add_place(&t, place);
	va_start(arguments, format);
	text_vadd(&t, format, arguments);
	va_end(arguments);
	return finish(error);
}

bool conf_fail_name(struct conf_error *error, const struct place *place, const char *what,
	const char *word, const char *of, const char *const *names, size_t count)
{
	struct text t = text_start(error->message, sizeof(error->message));
	const char *near = conf_nearest(word, names, count);
	char quoted[CONF_QUOTE_MAX];

	add_place(&t, place);
	add_key(&t, place);
	text_add(&t, "unknown %s %s%s; ", what, conf_quote(quoted, word), of);
	if (near)
		text_add(&t, "did you mean \"%s\"? ", near);
	text_add(&t, "valid: ");
	text_add_names(&t, names, count);
	return finish(error);
}

const char *conf_quote(char out[CONF_QUOTE_MAX], const char *word)
{
	size_t room = CONF_QUOTE_MAX - sizeof("\"...\""), length = 0;

	out[length++] = '"';
	for (; *word && length <= room; word++)
		out[length++] = *word;
	if (*word) {
		/* Not in the middle of a UTF-8 character. */
		while ((*word & 0xc0) == 0x80 && length > 1) {
			word--;
			length--;
		}
		memcpy(out + length, "...", 3);
		length += 3;
	}
	memcpy(out + length, "\"", 2);
	return out;
}

bool conf_copy(char *out, size_t size, const char *text)
{
	size_t length = strlen(text);

	if (length >= size)
		return false;
	memcpy(out, text, length + 1);
	return true;
}
