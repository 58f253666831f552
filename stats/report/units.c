#include "stats/report/units.h"

#include "stats/report/memory.h"

#include <inttypes.h>
#include <langinfo.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>

struct unit {
	double ns;
	const char *name, *ascii;
};

static const struct unit time_units[] = {
	{1, "ns", "ns"}, {1e3, "µs", "us"}, {1e6, "ms", "ms"}, {1e9, "s", "s"}, {3600e9, "h", "h"}};

/* Digits after the point so that `digits` are shown in all, once rounded. */
static int decimals(double value, int digits)
{
	int before = 1;
	double limit = 10, half = 0.5;

	for (int i = 1; i < digits; i++)
		half /= 10;
	for (; before < digits && value >= limit - half; before++) {
		limit *= 10;
		half *= 10;
	}
	return digits - before;
}

uint64_t units_whole(double number)
{
	if (!(number > 0))
		return 0;
	return number + 0.5 < 0x1p64 ? (uint64_t)(number + 0.5) : UINT64_MAX;
}

void units_duration(uint64_t ns, bool exact, const struct style *style, char *out, size_t size)
{
	const struct unit *unit = &time_units[0];
	const struct unit *last = &time_units[sizeof time_units / sizeof time_units[0] - 1];
	double value;

	/* 999.6 µs is 1.0 ms; and seconds serve up to 9999. */
	while (unit < last && (double)ns >= (unit + 1 == last ? 9999.5e9 : unit[1].ns * 0.9995))
		unit++;
	value = (double)ns / unit->ns;
	snprintf(out, size, "%.*f %s", unit == time_units ? 0 : decimals(value, exact ? 3 : 2),
		value, style->utf8 ? unit->name : unit->ascii);
}

void units_count(uint64_t count, char *out, size_t size)
{
	static const char letters[] = "kMGTPE";
	double value = (double)count / 1e3;
	size_t letter = 0;

	if (count < 10000) {
		snprintf(out, size, "%" PRIu64, count);
		return;
	}
	while (value >= 999.5 && letter + 2 < sizeof letters) {
		value /= 1e3;
		letter++;
	}
	snprintf(out, size, "%.*f%c", decimals(value, 3), value, letters[letter]);
}

void units_share(double share, char *out, size_t size)
{
	double percent = share * 100;

	/* Little is not nothing. */
	if (percent > 0 && percent < 0.05)
		snprintf(out, size, "<0.1%%");
	else
		snprintf(out, size, percent >= 99.95 ? "%.0f%%" : "%.1f%%", percent);
}

/* --- characters */

/* Length of the UTF-8 sequence at `p`, and its character; 0: it is none. */
static size_t utf8_decode(const unsigned char *p, uint32_t *character)
{
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	size_t length = p[0] < 0x80   ? 1
			: p[0] < 0xc2 ? 0
			: p[0] < 0xe0 ? 2
			: p[0] < 0xf0 ? 3
			: p[0] < 0xf5 ? 4
				      : 0;
	uint32_t c = length == 1 ? p[0] : p[0] & (0x7fu >> length);

	for (size_t i = 1; i < length; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (p[i] & 0x3f);
	}
	if (length == 0 || c < least[length] || (c >= 0xd800 && c < 0xe000) || c > 0x10ffff)
		return 0;
	*character = c;
	return length;
}

/* Characters that move the cursor, hide or reorder text, and those that are none. */
static bool is_control(uint32_t c)
{
	return c < 0x20 || (c >= 0x7f && c < 0xa0) || (c >= 0x200b && c <= 0x200f) ||
	       (c >= 0x2028 && c <= 0x202e) || (c >= 0x2060 && c <= 0x206f) || c == 0xfeff ||
	       c == 0x061c || (c >= 0xe0000 && c <= 0xe007f) || (c & 0xfffe) == 0xfffe;
}

char *units_escape(const char *text, const struct style *style)
{
	char *out = memory_get(strlen(text) * 4 + 4, 1), *o = out;

	while (*text) {
		uint32_t c = 0;
		size_t length = utf8_decode((const unsigned char *)text, &c);
		bool plain = length > 0 && !is_control(c) && (length == 1 || style->utf8);

		if (length == 0)
			length = 1;
		for (; length > 0; length--, text++) {
			if (plain)
				*o++ = *text;
			else
				o += sprintf(o, "\\x%02x", (unsigned char)*text);
		}
	}
	*o = '\0';
	return out;
}

void units_put_json(const char *document, FILE *out)
{
	while (*document) {
		uint32_t c = 0;
		size_t length = utf8_decode((const unsigned char *)document, &c);

		if (length == 0 || c == '\n' || !is_control(c)) {
			length = length > 0 ? length : 1;
			fwrite(document, 1, length, out);
		} else if (c < 0x10000) {
			fprintf(out, "\\u%04" PRIx32, c);
		} else {
			c -= 0x10000;
			fprintf(out, "\\u%04" PRIx32 "\\u%04" PRIx32, 0xd800 + (c >> 10),
				0xdc00 + (c & 0x3ff));
		}
		document += length;
	}
}

char *units_sanitize(const char *text)
{
	char *out = memory_get(strlen(text) * 3 + 1, 1), *o = out;

	while (*text) {
		uint32_t c;
		size_t length = utf8_decode((const unsigned char *)text, &c);

		if (length == 0) {
			memcpy(o, "\xef\xbf\xbd", 3);
			o += 3;
			text++;
			continue;
		}
		memcpy(o, text, length);
		o += length;
		text += length;
	}
	*o = '\0';
	return out;
}

static bool starts_character(char c)
{
	return ((unsigned char)c & 0xc0) != 0x80;
}

size_t units_width(const char *text)
{
	size_t width = 0;

	for (; *text; text++)
		width += starts_character(*text);
	return width;
}

/* The character that begins at column `column`. */
static char *at_column(char *text, size_t column)
{
	for (; *text; text++)
		if (starts_character(*text) && column-- == 0)
			break;
	return text;
}

/* After the next "::" of a name that is before any other part of it; NULL: there is none. */
static char *next_part(char *name)
{
	char *colons = strstr(name, "::");

	return colons && strcspn(name, " (") > (size_t)(colons - name) ? colons + 2 : NULL;
}

#define CUT_TAIL 8 /* columns kept after what was cut out of the middle */

void units_cut(char *text, size_t width, const struct style *style)
{
	const char *mark = style->utf8 ? "…" : "...";
	size_t mark_bytes = strlen(mark), room = width - units_width(mark), columns;
	char *from = text, *next, *to;

	if (style->whole || units_width(text) <= width)
		return;
	while (units_width(from) > room && (next = next_part(from)))
		from = next;
	if (units_width(from) <= room && (size_t)(from - text) >= mark_bytes) {
		memmove(text + mark_bytes, from, strlen(from) + 1);
		memcpy(text, mark, mark_bytes);
		return;
	}
	columns = units_width(text);
	from = at_column(text, columns - CUT_TAIL);
	to = at_column(text, room - CUT_TAIL);
	memmove(to + mark_bytes, from, strlen(from) + 1);
	memcpy(to, mark, mark_bytes);
}

bool units_utf8(void)
{
	locale_t own = newlocale(LC_CTYPE_MASK, "", (locale_t)0);
	bool utf8;

	if (own == (locale_t)0)
		return false;
	utf8 = strcmp(nl_langinfo_l(CODESET, own), "UTF-8") == 0;
	freelocale(own);
	return utf8;
}
