#include "conf/internal.h"

#include <stdbool.h>
#include <string.h>

struct unit {
	const char *name;
	uint64_t factor;
};

#define FRACTION_DIGITS 9

/* What a family of units writes with (the canonical ones first, ascending) and reads. */
struct family {
	const struct unit *units;
	size_t count;
	size_t canonical;
	const char *names;    /* for messages */
	const char *smallest; /* what a value is a whole number of */
	bool bare;            /* without a unit, the smallest is meant */
};

static const struct unit durations[] = {
	{"ns", 1},
	{"us", 1000},
	{"ms", 1000000},
	{"s", 1000000000},
	{"µs", 1000},
};

static const struct unit sizes[] = {
	{"B", 1},
	{"KiB", 1024},
	{"MiB", 1024 * 1024},
	{"GiB", 1024 * 1024 * 1024},
	{"K", 1024},
	{"M", 1024 * 1024},
	{"G", 1024 * 1024 * 1024},
};

static const struct family duration_family = {
	durations, 5, 4, "ns, us, ms, s", "nanoseconds", false};
static const struct family size_family = {
	sizes, 7, 4, "B, KiB, MiB, GiB (or K, M, G)", "bytes", true};

enum scan { SCAN_OK, SCAN_NO_NUMBER, SCAN_NO_UNIT, SCAN_UNIT, SCAN_FRACTION, SCAN_LARGE };

/* Reads digits; stops at the first other character. False when they do not fit. */
static bool scan_digits(const char **text, uint64_t *out)
{
	uint64_t number = 0;
	bool fits = true;

	for (; **text >= '0' && **text <= '9'; (*text)++) {
		fits = fits && !__builtin_mul_overflow(number, 10, &number);
		fits = fits && !__builtin_add_overflow(number, (uint64_t)(**text - '0'), &number);
	}
	*out = number;
	return fits;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static const struct unit *find_unit(const struct family *f, const char *name)
{
	for (size_t i = 0; i < f->count; i++) {
		if (strcmp(f->units[i].name, name) == 0)
			return &f->units[i];
	}
	return NULL;
}

/* "12", "1.5": the whole part, and the fraction as a numerator over 10^digits. */
struct decimal {
	uint64_t whole, fraction, scale;
	bool fits, fine; /* fine: no more fraction digits than can be told apart */
};

static bool scan_decimal(const char **text, struct decimal *d)
{
	const char *start;

	if (!is_digit(**text))
		return false;
	*d = (struct decimal){.scale = 1, .fine = true};
	d->fits = scan_digits(text, &d->whole);
	if (**text != '.')
		return true;
	start = ++*text;
	if (!is_digit(**text))
		return false;
	scan_digits(text, &d->fraction);
	d->fine = *text - start <= FRACTION_DIGITS;
	for (; d->fine && start < *text; start++)
		d->scale *= 10;
	return true;
}

/* Exact decimal arithmetic; strtod() would read the locale's decimal point. */
static enum scan scan_scaled(
	const struct family *f, const char *text, uint64_t *out, const char **unit_name)
{
	const struct unit *unit;
	struct decimal d;

	if (!scan_decimal(&text, &d))
		return SCAN_NO_NUMBER;
	while (*text == ' ')
		text++;
	*unit_name = text;
	unit = *text || f->bare || (d.whole == 0 && d.scale == 1 && d.fits)
		       ? find_unit(f, *text ? text : f->units[0].name)
		       : NULL;
	if (!unit)
		return *text ? SCAN_UNIT : SCAN_NO_UNIT;
	if (!d.fits || __builtin_mul_overflow(d.whole, unit->factor, out))
		return SCAN_LARGE;
	if (!d.fine || d.fraction * unit->factor % d.scale != 0)
		return SCAN_FRACTION;
	if (__builtin_add_overflow(*out, d.fraction * unit->factor / d.scale, out))
		return SCAN_LARGE;
	return SCAN_OK;
}

typedef size_t format_number(uint64_t number, char *out, size_t size);

static size_t format_count(uint64_t number, char *out, size_t size)
{
	struct text t = text_start(out, size);

	text_add(&t, "%llu", (unsigned long long)number);
	return t.length;
}

static bool fail_range(const char *text, struct range range, format_number *format,
	const struct place *place, struct conf_error *error)
{
	char quoted[CONF_QUOTE_MAX], min[32], max[32];

	format(range.min, min, sizeof(min));
	format(range.max, max, sizeof(max));
	return conf_fail_key(error, place, "%s is out of range; valid: %s to %s",
		conf_quote(quoted, text), min, max);
}

static bool parse_scaled_in(const struct family *f, format_number *format, const char *text,
	struct range range, const struct place *place, uint64_t *out, struct conf_error *error)
{
	char quoted[CONF_QUOTE_MAX], quoted_unit[CONF_QUOTE_MAX];
	const char *unit = "";
	enum scan scan = scan_scaled(f, text, out, &unit);

	conf_quote(quoted, text);
	switch (scan) {
	case SCAN_NO_NUMBER:
		return conf_fail_key(error, place,
			"%s is not a number with a unit; valid units: %s", quoted, f->names);
	case SCAN_NO_UNIT:
		return conf_fail_key(
			error, place, "%s needs a unit; valid units: %s", quoted, f->names);
	case SCAN_UNIT:
		return conf_fail_key(error, place, "unknown unit %s in %s; valid units: %s",
			conf_quote(quoted_unit, unit), quoted, f->names);
	case SCAN_FRACTION:
		return conf_fail_key(
			error, place, "%s is not a whole number of %s", quoted, f->smallest);
	case SCAN_OK:
		if (*out >= range.min && *out <= range.max)
			return true;
		break;
	case SCAN_LARGE:
		break;
	}
	return fail_range(text, range, format, place, error);
}

bool conf_parse_duration_in(const char *text, struct range range, const struct place *place,
	uint64_t *out, struct conf_error *error)
{
	return parse_scaled_in(
		&duration_family, conf_format_duration, text, range, place, out, error);
}

bool conf_parse_size_in(const char *text, struct range range, const struct place *place,
	uint64_t *out, struct conf_error *error)
{
	return parse_scaled_in(&size_family, conf_format_size, text, range, place, out, error);
}

bool conf_parse_count_in(const char *text, struct range range, const struct place *place,
	uint64_t *out, struct conf_error *error)
{
	char quoted[CONF_QUOTE_MAX];
	const char *end = text;
	bool fits = scan_digits(&end, out);

	if (end == text || *end)
		return conf_fail_key(error, place, "%s is not a whole number; valid: %llu to %llu",
			conf_quote(quoted, text), (unsigned long long)range.min,
			(unsigned long long)range.max);
	if (!fits || *out < range.min || *out > range.max)
		return fail_range(text, range, format_count, place, error);
	return true;
}

bool conf_parse_duration(const char *text, uint64_t *ns)
{
	const char *unit;

	return scan_scaled(&duration_family, text, ns, &unit) == SCAN_OK;
}

bool conf_parse_size(const char *text, uint64_t *bytes)
{
	const char *unit;

	return scan_scaled(&size_family, text, bytes, &unit) == SCAN_OK;
}

/* The largest unit that leaves at most three decimals, else the smallest: "1.5ms", "1234567ns". */
static size_t format_scaled(const struct family *f, uint64_t value, char *out, size_t size)
{
	struct text t = text_start(out, size);

	for (size_t i = f->canonical; i-- > 0;) {
		uint64_t factor = f->units[i].factor, rest = value % factor;
		unsigned digits = 0, fraction = 0;

		if (value < factor && i > 0)
			continue;
		while (rest != 0 && digits < 3) {
			rest *= 10;
			fraction = fraction * 10 + (unsigned)(rest / factor);
			rest %= factor;
			digits++;
		}
		if (rest != 0)
			continue;
		text_add(&t, "%llu", (unsigned long long)(value / factor));
		if (digits > 0)
			text_add(&t, ".%0*u", (int)digits, fraction);
		text_add(&t, "%s", f->units[i].name);
		return t.length;
	}
	return t.length;
}

size_t conf_format_duration(uint64_t ns, char *out, size_t size)
{
	struct text t = text_start(out, size);

	if (ns == 0) {
		text_add(&t, "0");
		return t.length;
	}
	return format_scaled(&duration_family, ns, out, size);
}

size_t conf_format_size(uint64_t bytes, char *out, size_t size)
{
	return format_scaled(&size_family, bytes, out, size);
}
