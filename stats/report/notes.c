#include "stats/report/notes.h"

#include "stats/report/memory.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void notes_count_dropped(struct notes *notes)
{
	notes->dropped++;
	free(notes->text[NOTES_MAX]);
	notes->text[NOTES_MAX] = memory_format("%zu more warnings", notes->dropped);
	notes->count = NOTES_MAX + 1;
}

void notes_add(struct notes *notes, const char *format, ...)
{
	char text[1024];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof text, format, arguments);
	va_end(arguments);
	for (size_t i = 0; i < notes->count; i++)
		if (strcmp(notes->text[i], text) == 0)
			return;
	if (notes->count >= NOTES_MAX)
		notes_count_dropped(notes);
	else
		notes->text[notes->count++] = memory_copy(text);
}

void notes_free(struct notes *notes)
{
	for (size_t i = 0; i < notes->count; i++)
		free(notes->text[i]);
	*notes = (struct notes){0};
}
