/*
 * The INI file: read whole into a fixed buffer, then handed to inih line by line.
 *
 * inih splits keys from values and cuts comments off. What it would do silently is done here
 * instead, where it can be said with file and line: it truncates sections to 49 characters and ends
 * them at the first "]", even one inside a pattern; it cuts lines at a length fixed when it was
 * built; it takes an indented line for another value of the key before. So sections are read here,
 * indentation is dropped, and what is too long is an error.
 */
#include "conf/internal.h"

#include <errno.h>
#include <fcntl.h>
#include <ini.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define BLANKS " \t\r\v\f"
#define SECTION_MAX 256 /* the longest header is [process "…"] with a pattern that fits */

struct reader {
	struct conf *c;
	const char *next, *end;
	struct place place; /* line: of the line handed out last */
	struct conf_error *error;
	bool failed;
	const struct conf_section *section; /* NULL: before the first */
	struct conf_rule *rule;             /* in a [process] section */
	struct lock_section lock;           /* in a [lock] section */
	int section_line[16];               /* where each section began; 0: not seen */
};

/* --- sections --- */

static bool enter_process(struct reader *r, const char *pattern)
{
	r->rule = conf_add_rule(r->c, pattern, &r->place, r->error);
	return r->rule != NULL;
}

static bool enter_section(struct reader *r, const char *name, const char *pattern)
{
	const char *names[CONF_NAMES_MAX];
	size_t i = 0;

	while (i < conf_sections_count && strcmp(conf_sections[i].name, name) != 0) {
		names[i] = conf_sections[i].name;
		i++;
	}
	if (i == conf_sections_count)
		return conf_fail_name(r->error, &r->place, "section", name, "", names, i);
	if (!conf_leave_lock(&r->lock, &r->place, r->error))
		return false;
	r->section = &conf_sections[i];
	r->rule = NULL;
	if (strcmp(name, "process") == 0) {
		if (pattern && *pattern)
			return enter_process(r, pattern);
		return conf_fail(r->error, &r->place,
			"[process] needs a pattern in double quotes, as in [process \"java*\"]");
	}
	if (strcmp(name, "lock") == 0) {
		if (pattern && *pattern)
			return conf_enter_lock(&r->lock, conf_rules_of(r->c, LAYER_INI), pattern,
				&r->place, r->error);
		return conf_fail(r->error, &r->place,
			"[lock] needs a name in double quotes, as in [lock \"the queue\"]");
	}
	if (pattern)
		return conf_fail(r->error, &r->place, "section [%s] takes no pattern", name);
	if (r->section_line[i] > 0)
		return conf_fail(r->error, &r->place,
			"section [%s] appears twice; first on line %d", name, r->section_line[i]);
	r->section_line[i] = r->place.line;
	return true;
}

static const char *skip_blanks(const char *text)
{
	return text + strspn(text, BLANKS);
}

/* Copies what stands before the first of the stops, and returns where that is. */
static const char *take(const char *text, const char *stops, char *out)
{
	size_t length = strcspn(text, stops);

	memcpy(out, text, length);
	out[length] = '\0';
	return text + length;
}

/* [name] or [name "pattern"], nothing but a comment behind. */
static bool read_section(struct reader *r, const char *line)
{
	char name[SECTION_MAX], pattern[SECTION_MAX], quoted[CONF_QUOTE_MAX];
	const char *at = take(skip_blanks(line + 1), BLANKS "\"]", name);
	bool has_pattern;

	at = skip_blanks(at);
	has_pattern = *at == '"';
	if (has_pattern) {
		at = take(at + 1, "\"", pattern);
		if (!*at)
			return conf_fail(r->error, &r->place, "section %s lacks its closing '\"'",
				conf_quote(quoted, line));
		at = skip_blanks(at + 1);
	}
	if (!*at)
		return conf_fail(r->error, &r->place, "section %s lacks its closing ']'",
			conf_quote(quoted, line));
	if (*at == ']') {
		at = skip_blanks(at + 1);
		if (!*at || strchr(";#", *at))
			return enter_section(r, name, has_pattern ? pattern : NULL);
	}
	return conf_fail(r->error, &r->place,
		"%s is out of place in a section's line; valid: [name], [process \"pattern\"] or "
		"[lock \"name\"]",
		conf_quote(quoted, at));
}

/* --- keys --- */

/* A key that exists elsewhere is a matter of the wrong section, not of spelling. */
static bool fail_key(struct reader *r, const char *key)
{
	const char *section = r->section->name, *names[CONF_NAMES_MAX];
	char of[CONF_NAME_MAX], quoted[CONF_QUOTE_MAX];
	struct text t = text_start(of, sizeof(of));
	struct place at = {r->place.where, r->place.line, NULL};
	size_t count = 0;

	text_add(&t, " in [%s]", section);
	for (size_t i = 0; i < conf_table_size; i++) {
		const struct conf_option *option = &conf_table[i];

		if (strcmp(option->section, section) == 0 && !(option->flags & CONF_NOT_IN_INI))
			names[count++] = option->key;
	}
	if (!conf_nearest(key, names, count)) {
		for (size_t i = 0; i < conf_table_size; i++) {
			if (strcmp(conf_table[i].key, key) == 0 &&
				!(conf_table[i].flags & (CONF_NOT_IN_INI | CONF_INI_ONLY)))
				return conf_fail(r->error, &at,
					"unknown key %s%s; it belongs in [%s]",
					conf_quote(quoted, key), of, conf_table[i].section);
		}
	}
	return conf_fail_name(r->error, &at, "key", key, of, names, count);
}

static bool set_key(struct reader *r, const char *key, const char *value)
{
	const struct conf_layer *layer = &r->c->layers[LAYER_INI];
	size_t option = conf_find_key(r->section->name, key);
	struct place at = {r->place.where, r->place.line, key};

	if (r->lock.rule)
		return conf_assign_lock(
			&r->lock, conf_rules_of(r->c, LAYER_INI), key, value, &at, r->error);
	if (option == CONF_NONE || (conf_table[option].flags & CONF_HIDDEN))
		return fail_key(r, key);
	if (conf_table[option].type == TYPE_RULES)
		return conf_fail(r->error, &at,
			"\"%s\" cannot be given in an INI file; each rule is a section there, as "
			"in "
			"[lock \"the queue\"]",
			key);
	if (conf_table[option].flags & CONF_NOT_IN_INI)
		return conf_fail(r->error, &at,
			"\"%s\" cannot be given in an INI file; valid: %s or %s", key,
			conf_table[option].env, conf_table[option].flag);
	if (r->rule)
		return conf_assign_rule(r->rule, key, value, &at, r->error);
	if (layer->given[option])
		return conf_fail(r->error, &at, "\"%s\" is given twice in [%s]; first on line %d",
			key, r->section->name, layer->line[option]);
	return conf_assign(r->c, LAYER_INI, option, value, &at, r->error);
}

/* inih knows ';' behind a value only; a '#' there would become part of the value. */
static bool has_hash_comment(const char *value)
{
	const char *hash = value;

	while ((hash = strchr(hash, '#'))) {
		if (hash == value || hash[-1] == ' ' || hash[-1] == '\t')
			return true;
		hash++;
	}
	return false;
}

static int on_key(void *user, const char *section, const char *key, const char *value)
{
	struct reader *r = user;
	bool fine;

	(void)section;
	if (r->failed)
		return 0;
	if (!*key)
		fine = conf_fail(r->error, &r->place, "no key before the '='");
	else if (!r->section)
		fine = conf_fail(r->error, &r->place,
			"\"%s\" stands before any section; begin with [relock]", key);
	else if (has_hash_comment(value))
		fine = conf_fail(r->error, &r->place,
			"a comment behind a value begins with ';', not with '#'");
	else
		fine = set_key(r, key, value);
	r->failed = !fine;
	return fine;
}

/* --- lines --- */

/* Copies the line to where inih wants it, or leaves an empty one for what inih need not see. */
static bool take_line(struct reader *r, const char *start, const char *stop, char *out, int size)
{
	char section[SECTION_MAX];
	/* ini.h asks for three bytes more than the line has. */
	size_t length, most = (size_t)size - 3;

	if (memchr(start, '\0', (size_t)(stop - start)))
		return conf_fail(r->error, &r->place, "a NUL byte; this is not a text file");
	while (start < stop && strchr(BLANKS, *start))
		start++;
	while (start < stop && strchr(BLANKS, stop[-1]))
		stop--;
	out[0] = '\0';
	length = (size_t)(stop - start);
	if (length == 0 || *start == ';' || *start == '#')
		return true;
	if (*start == '[' && most >= SECTION_MAX)
		most = SECTION_MAX - 1;
	if (length > most)
		return conf_fail(r->error, &r->place,
			"a line of %zu characters is too long; at most %zu", length, most);
	if (*start != '[') {
		memcpy(out, start, length);
		out[length] = '\0';
		return true;
	}
	memcpy(section, start, length);
	section[length] = '\0';
	return read_section(r, section);
}

static char *on_line(char *out, int size, void *stream)
{
	struct reader *r = stream;
	const char *start = r->next, *stop;

	if (r->failed || start == r->end)
		return NULL;
	stop = memchr(start, '\n', (size_t)(r->end - start));
	r->next = stop ? stop + 1 : r->end;
	r->place.line++;
	r->failed = !take_line(r, start, stop ? stop : r->end, out, size);
	return r->failed ? NULL : out;
}

/* A section that says nothing is a mistake, most likely about what sections do. */
static bool check_rules(struct reader *r)
{
	for (size_t i = 0; i < r->c->rules_count; i++) {
		const struct conf_rule *rule = &r->c->rules[i];
		const struct place at = {r->place.where, rule->line, NULL};

		if (rule->enabled_line == 0 && rule->policy_line == 0)
			return conf_fail(r->error, &at,
				"section [process \"%s\"] is empty; valid: enabled, policy",
				rule->pattern);
	}
	return true;
}

static bool parse(
	struct conf *c, const char *path, const char *text, size_t length, struct conf_error *error)
{
	struct reader r = {.c = c,
		.next = text,
		.end = text + length,
		.place = {path, 0, NULL},
		.error = error};
	int line;

	if (length >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
		r.next += 3;
	line = ini_parse_stream(on_line, &r, on_key, &r);
	if (line > 0 && (!r.failed || line < r.place.line)) {
		r.place.line = line;
		return conf_fail(error, &r.place,
			"neither a section nor a key; valid: [section], "
			"key = value, or a comment after ; or #");
	}
	return !r.failed && line == 0 && conf_leave_lock(&r.lock, &r.place, error) &&
	       check_rules(&r);
}

/* --- the file ---
 *
 * Raw system calls: a lock taken before the library's constructor ran may bring us here from inside
 * a hook, where nothing may be a cancellation point, nor pass through another interposer. */

/* `reason` NULL: errno says it. */
static bool fail_file(
	const char *path, const char *via, const char *reason, struct conf_error *error)
{
	const struct place place = {via ? via : path, 0, NULL};

	if (!reason)
		reason = strerrordesc_np(errno);
	if (!via)
		return conf_fail(error, &place, "%s", reason ? reason : "cannot be read");
	return conf_fail(error, &place, "%s: %s", path, reason ? reason : "cannot be read");
}

static bool check_kind(int fd, const char **reason)
{
	struct stat st;

	*reason = NULL;
	if (fstat(fd, &st) != 0)
		return false;
	if (S_ISDIR(st.st_mode))
		*reason = "a directory, not an INI file";
	else if (!S_ISREG(st.st_mode))
		*reason = "not a regular file";
	return *reason == NULL;
}

/* Fills the buffer as far as the file goes; -1: errno says why not. */
static ssize_t read_all(int fd, char *buffer, size_t size)
{
	size_t length = 0;

	while (length < size) {
		ssize_t count = syscall(SYS_read, fd, buffer + length, size - length);

		if (count < 0 && errno == EINTR)
			continue;
		if (count < 0)
			return -1;
		if (count == 0)
			break;
		length += (size_t)count;
	}
	return (ssize_t)length;
}

bool conf_read_ini(struct conf *c, const char *path, const char *via, struct conf_error *error)
{
	static char buffer[CONF_FILE_MAX + 1];
	const char *reason = NULL;
	ssize_t length = -1;
	int fd = (int)syscall(
		SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);

	if (fd < 0)
		return fail_file(path, via, NULL, error);
	if (check_kind(fd, &reason))
		length = read_all(fd, buffer, sizeof(buffer));
	if (length < 0)
		fail_file(path, via, reason, error);
	syscall(SYS_close, fd);
	if (length < 0)
		return false;
	if (length > CONF_FILE_MAX)
		return fail_file(path, via, "longer than 65536 bytes", error);
	conf_clear_layer(c, LAYER_INI);
	c->rules_count = 0;
	if (!conf_copy(c->origins.ini, sizeof(c->origins.ini), path))
		return fail_file("...", via, "the path is too long", error);
	return parse(c, path, buffer, (size_t)length, error);
}
