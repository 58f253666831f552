#include "stats/report/shell.h"

#include "stats/report/memory.h"

#include <string.h>

#define SPECIAL "\t\n\"\\$`!*?[](){}<>|&;#~"

bool shell_is_words(const char *line)
{
	bool quoted = false;

	for (; *line; line++) {
		if (*line == '\'')
			quoted = !quoted;
		else if (!quoted && line[0] == '\\' && line[1] == '\'')
			line++;
		else if (!quoted && strchr(SPECIAL, *line))
			return false;
	}
	return !quoted;
}

char *shell_quote(const char *word)
{
	char *out, *o;

	if (*word && word[strcspn(word, " '" SPECIAL)] == '\0')
		return memory_copy(word);
	out = o = memory_get(strlen(word) * 4 + 3, 1);
	*o++ = '\'';
	for (; *word; word++) {
		if (*word == '\'')
			o = stpcpy(o, "'\\''");
		else
			*o++ = *word;
	}
	*o++ = '\'';
	return out;
}
