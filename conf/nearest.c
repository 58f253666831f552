#include "conf/internal.h"

#include <string.h>

#define WORD_MAX 63

/* Not tolower(): that asks the locale. */
static char fold(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static unsigned least(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

/*
 * Edit distance with transpositions of neighbours (optimal string alignment), letter case ignored:
 * three rows of the usual table are kept. Longer words than WORD_MAX are far from everything.
 */
static unsigned edit_distance(const char *a, const char *b)
{
	unsigned rows[3][WORD_MAX + 1];
	unsigned *before = rows[0], *last = rows[1], *row = rows[2], *spare;
	size_t a_length = strlen(a), b_length = strlen(b);

	if (a_length > WORD_MAX || b_length > WORD_MAX)
		return WORD_MAX;
	for (size_t j = 0; j <= b_length; j++)
		last[j] = (unsigned)j;
	for (size_t i = 1; i <= a_length; i++) {
		row[0] = (unsigned)i;
		for (size_t j = 1; j <= b_length; j++) {
			char x = fold(a[i - 1]), y = fold(b[j - 1]);

			row[j] = least(least(last[j], row[j - 1]) + 1, last[j - 1] + (x != y));
			if (i > 1 && j > 1 && x == fold(b[j - 2]) && fold(a[i - 2]) == y)
				row[j] = least(row[j], before[j - 2] + 1);
		}
		spare = before;
		before = last;
		last = row;
		row = spare;
	}
	return last[b_length];
}

static unsigned common_prefix(const char *a, const char *b)
{
	unsigned length = 0;

	while (a[length] && fold(a[length]) == fold(b[length]))
		length++;
	return length;
}

/* Among equally near names, the one that begins like the word. */
const char *conf_nearest_within(
	const char *word, const char *const *names, size_t count, unsigned distance)
{
	const char *nearest = NULL;
	unsigned best = distance + 1, best_prefix = 0;

	for (size_t i = 0; i < count; i++) {
		unsigned d = edit_distance(word, names[i]), prefix = common_prefix(word, names[i]);

		if (d > distance || d > best || (d == best && prefix <= best_prefix))
			continue;
		nearest = names[i];
		best = d;
		best_prefix = prefix;
	}
	return nearest;
}

/* Two errors in a word, one in a short one: "x" resembles nothing. */
const char *conf_nearest(const char *word, const char *const *names, size_t count)
{
	size_t length = strlen(word);

	return conf_nearest_within(word, names, count, length < 2 ? 0 : length < 5 ? 1 : 2);
}
