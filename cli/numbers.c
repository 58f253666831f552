#include "cli/numbers.h"
#include "cli/cli.h"
#include "stats/report/memory.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/*
 * POSIX has no \d: [0-9] in its place, or 0-9 inside brackets. For free().
 */
static char *without_digits(const char *pattern)
{
	char *out = memory_get(strlen(pattern) * 3 + 1, 1), *to = out;
	bool inside = false;

	for (const char *p = pattern; *p; p++) {
		if (*p == '\\' && p[1] == 'd') {
			to = stpcpy(to, inside ? "0-9" : "[0-9]");
			p++;
			continue;
		}
		if (*p == '\\' && p[1] && !inside)
			*to++ = *p++;
		else if (*p == '[' && !inside)
			inside = true;
		/* A bracket that comes first inside brackets is one of the characters. */
		else if (*p == ']' && inside && p[-1] != '[' &&
			 !(p[-1] == '^' && p - pattern >= 2 && p[-2] == '['))
			inside = false;
		*to++ = *p;
	}
	*to = '\0';
	return out;
}

bool numbers_compile(regex_t *pattern, const char *name, const char *text)
{
	char *plain = without_digits(text);
	int error = regcomp(pattern, plain, REG_EXTENDED | REG_NEWLINE);
	char reason[128];

	free(plain);
	if (error) {
		regerror(error, pattern, reason, sizeof(reason));
		cli_say("--metric %s: '%s' is no regular expression: %s", name, text, reason);
		return false;
	}
	if (pattern->re_nsub == 0) {
		cli_say("--metric %s: '%s' does not say which part is the number; put it into "
			"parentheses, as in (\\d+)",
			name, text);
		regfree(pattern);
		return false;
	}
	return true;
}

/* The number a text begins with; separators of thousands are read over. */
static double number_at(const char *text, size_t length)
{
	char digits[64];
	size_t used = 0;
	char *end;
	double number;

	for (size_t i = 0; i < length && used + 1 < sizeof(digits); i++)
		if (text[i] != ',' && text[i] != '_' && !isspace((unsigned char)text[i]))
			digits[used++] = text[i];
	digits[used] = '\0';
	number = strtod(digits, &end);
	return end != digits && *end == '\0' ? number : NAN;
}

/* The last match counts: programs that report as they go end with the sum. */
double numbers_find(const regex_t *pattern, const struct capture *output)
{
	const char *text = output->text ? output->text : "";
	double number = NAN;
	regmatch_t match[2];
	int flags = 0;

	while (*text && regexec(pattern, text, 2, match, flags) == 0) {
		if (match[1].rm_so >= 0)
			number = number_at(
				text + match[1].rm_so, (size_t)(match[1].rm_eo - match[1].rm_so));
		text += match[0].rm_eo > 0 ? match[0].rm_eo : 1;
		flags = text[-1] == '\n' ? 0 : REG_NOTBOL;
	}
	return number;
}
