/*
 * Numbers and names as people read them: times with units and few digits, counts with k and M,
 * names without control characters. Everything is written into a caller's buffer and truncated to
 * it.
 */
#ifndef RELOCK_STATS_REPORT_UNITS_H
#define RELOCK_STATS_REPORT_UNITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define UNITS_MAX 32

/* How a text report is drawn. */
struct style {
	bool utf8;  /* false: ASCII only */
	bool color; /* on verdict words */
	bool whole; /* names are not shortened: there is room, or they can be wrapped */
};

/* Whether the user's locale has UTF-8. */
bool units_utf8(void);

/* Rounded, and within what fits: what a damaged recording adds up to may be anything. */
uint64_t units_whole(double number);

/* "98 µs", "2.1 ms", "601 s", "2.8 h": two digits, or as many as are before the point; with
 * `exact`, three: "12.4 s". */
void units_duration(uint64_t ns, bool exact, const struct style *style, char *out, size_t size);
/* "9876", "12.3k", "9.21M", "1.20G". */
void units_count(uint64_t count, char *out, size_t size);
/* "41.2%", "0.0%", "<0.1%" for what is more than nothing, "100%". */
void units_share(double share, char *out, size_t size);

/* A name for a terminal, for free(): control and formatting characters and bytes that are no UTF-8
 * as \xNN; without UTF-8, everything beyond ASCII too. */
char *units_escape(const char *text, const struct style *style);
/* Prints a JSON document of valid UTF-8: control and formatting characters, which only strings have
 * and which some terminals obey, as \uNNNN. */
void units_put_json(const char *document, FILE *out);
/* For JSON and CSV, for free(): valid UTF-8, bytes that are none as U+FFFD. */
char *units_sanitize(const char *text);

/* Columns that an escaped text takes on a terminal. */
size_t units_width(const char *text);
/*
 * Shortens an escaped name in place to at most `width` columns: what it leaves out, marked by "…"
 * or
 * "...", are its first namespaces, and if that is not enough the middle, since the end tells names
 * apart. `width` is at least 20. Leaves it alone in a style of whole names. The buffer has room for
 * 3 bytes more than the text.
 */
void units_cut(char *text, size_t width, const struct style *style);

#endif
