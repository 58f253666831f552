/*
 * Shell patterns: *, ?, [a-z], [!a-z], and \ before a character that is to mean itself. Bytes are
 * compared. Not fnmatch(): under a UTF-8 locale that one allocates, and its ranges follow the
 * locale's order.
 */
#include "conf/internal.h"

#include <stddef.h>

static unsigned char take_member(const char **set)
{
	if (**set == '\\' && (*set)[1])
		(*set)++;
	return (unsigned char)*(*set)++;
}

/* `set` is behind the '['. Returns what follows the ']', NULL when there is none. */
static const char *match_set(const char *set, unsigned char byte, bool *matches)
{
	bool negated = *set == '!' || *set == '^', found = false;
	const char *first = set += negated;

	while (*set && (*set != ']' || set == first)) {
		unsigned char low = take_member(&set), high = low;

		if (*set == '-' && set[1] && set[1] != ']') {
			set++;
			high = take_member(&set);
		}
		found = found || (byte >= low && byte <= high);
	}
	*matches = found != negated;
	return *set ? set + 1 : NULL;
}

/* Whether the pattern's next element, which is no '*', takes the byte; if so, steps over it. */
static bool match_one(const char **pattern, char byte)
{
	const char *p = *pattern, *end = NULL;
	bool matches = false;

	if (*p == '[')
		end = match_set(p + 1, (unsigned char)byte, &matches);
	if (!end) {
		matches = *p == '?';
		if (*p == '\\' && p[1])
			p++;
		matches = matches || (*p && *p == byte);
		end = p + 1;
	}
	if (matches)
		*pattern = end;
	return matches;
}

/* After a mismatch only the last '*' has to take more, so time is bounded by the lengths' product.
 */
bool conf_match(const char *pattern, const char *text)
{
	const char *star = NULL, *retry = NULL;

	while (*text) {
		if (*pattern == '*') {
			star = ++pattern;
			retry = text;
		} else if (match_one(&pattern, *text)) {
			text++;
		} else if (star) {
			pattern = star;
			text = ++retry;
		} else {
			return false;
		}
	}
	while (*pattern == '*')
		pattern++;
	return !*pattern;
}
