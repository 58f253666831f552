#include "stats/report/memory.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool ends_quietly;

void memory_end_quietly(void)
{
	ends_quietly = true;
}

static void *memory_check(void *pointer)
{
	if (!pointer && ends_quietly)
		_exit(EXIT_FAILURE);
	if (!pointer) {
		fputs("relock: out of memory while reading the recording\n", stderr);
		exit(EXIT_FAILURE);
	}
	return pointer;
}

void *memory_get(size_t count, size_t size)
{
	return memory_check(calloc(count ? count : 1, size));
}

char *memory_copy(const char *text)
{
	return text ? memory_check(strdup(text)) : NULL;
}

FILE *memory_stream(char **text, size_t *size)
{
	return memory_check(open_memstream(text, size));
}

char *memory_format(const char *format, ...)
{
	va_list arguments;
	char *text;
	int length;

	va_start(arguments, format);
	length = vasprintf(&text, format, arguments);
	va_end(arguments);
	return memory_check(length < 0 ? NULL : text);
}

static void *memory_resize(void *array, size_t count, size_t size)
{
	return memory_check(reallocarray(array, count, size));
}

void *memory_grow(void *array, size_t count, size_t *capacity, size_t size)
{
	if (count < *capacity)
		return array;
	*capacity = *capacity ? *capacity * 2 : 16;
	return memory_resize(array, *capacity, size);
}

void *memory_reach(void *array, size_t *count, size_t wanted, size_t size)
{
	size_t grown = *count + *count / 2;

	if (wanted <= *count)
		return array;
	if (grown < wanted)
		grown = wanted;
	array = memory_resize(array, grown, size);
	memset((char *)array + *count * size, 0, (grown - *count) * size);
	*count = grown;
	return array;
}
