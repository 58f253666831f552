/* What is said to the user: errors with the nearest spelling, colour only where it is wanted. */
#include "cli/cli.h"
#include "conf/conf.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void say(const char *format, va_list list)
{
	char line[2048];

	/* One write, so that it does not mix with what the program writes at the same time. */
	vsnprintf(line, sizeof(line), format, list);
	fflush(stdout);
	fprintf(stderr, "relock: %s\n", line);
	fflush(stderr);
}

void cli_say(const char *format, ...)
{
	va_list list;

	va_start(list, format);
	say(format, list);
	va_end(list);
}

int cli_fail(const char *format, ...)
{
	va_list list;

	va_start(list, format);
	say(format, list);
	va_end(list);
	return CLI_OURS;
}

char *cli_nearest(const char *word, const char *const *names, size_t count, char *out, size_t size)
{
	const char *near = conf_nearest(word, names, count);

	out[0] = '\0';
	if (near)
		snprintf(out, size, "; nearest: '%s'", near);
	return out;
}

void cli_printable(char *text)
{
	for (; text && *text; text++)
		if (*text < ' ' || *text > '~')
			*text = '?';
}

bool cli_color(const struct cli_args *args, FILE *stream)
{
	const char *when = cli_value(args, "color");
	const char *unwanted = getenv("NO_COLOR");

	if (when && strcmp(when, "auto") != 0)
		return strcmp(when, "always") == 0;
	return (!unwanted || !unwanted[0]) && isatty(fileno(stream));
}
