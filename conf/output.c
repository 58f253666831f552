#include "conf/internal.h"

#include <string.h>

/* A name inside the file's name must not add directories to it. */
static void add_name(struct text *t, const char *name)
{
	for (; *name; name++)
		text_add(t, "%c", *name == '/' ? '_' : *name);
}

bool conf_expand_output(const char *pattern, const char *directory, const char *executable, int pid,
	const char *host, uint64_t start_s, char *out, size_t size)
{
	struct text t = text_start(out, size);

	if (*pattern != '/')
		text_add(&t, "%s/", directory);
	for (; *pattern; pattern++) {
		if (*pattern != '%') {
			text_add(&t, "%c", *pattern);
			continue;
		}
		switch (*++pattern) {
		case 'e':
			add_name(&t, executable);
			break;
		case 'p':
			text_add(&t, "%d", pid);
			break;
		case 'h':
			add_name(&t, host);
			break;
		case 't':
			text_add(&t, "%llu", (unsigned long long)start_s);
			break;
		case '%':
			text_add(&t, "%%");
			break;
		default:
			return false;
		}
	}
	return t.length < size;
}
