#include "stats/report/shell.h"

#include "stats/report/memory.h"

#include <string.h>

char *shell_quote(const char *word)
{
	char *out, *o;

	if (*word && word[strcspn(word, " \t\n\"'\\$`!*?[](){}<>|&;#~")] == '\0')
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
