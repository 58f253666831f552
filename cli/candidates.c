#include "cli/candidates.h"
#include "cli/settings.h"
#include "stats/report/memory.h"

#include <stdlib.h>
#include <string.h>

#define NONE_WORD "none"
#define REFERENCE_DEFAULT "native"

static const char *const lock_names[CONF_LOCKS] = {
	[CONF_MUTEX] = "mutex", [CONF_SPIN] = "spin", [CONF_RWLOCK] = "rwlock"};

static bool is_file(const char *text)
{
	size_t length = strlen(text);

	return length > 4 && strcmp(text + length - 4, ".ini") == 0;
}

/* --- the list */

static bool add(struct candidates *c, const char *name, bool file)
{
	if (c->count == EXPERIMENT_CANDIDATES_MAX) {
		cli_say("more than %d candidates; sweep in coarser steps",
			EXPERIMENT_CANDIDATES_MAX);
		return false;
	}
	c->candidate[c->count++] = (struct candidate){.text = memory_copy(name),
		.name = memory_copy(name),
		.file = file,
		.none = strcmp(name, NONE_WORD) == 0};
	return true;
}

/* Length of "KIND=" at the start of a candidate; 0: none. */
static size_t kind_length(const char *text)
{
	for (int lock = 0; lock < CONF_LOCKS; lock++) {
		size_t length = strlen(lock_names[lock]);

		if (strncmp(text, lock_names[lock], length) == 0 && text[length] == '=')
			return length + 1;
	}
	return 0;
}

/* --- sweeps: every value of every key with every value of the others */

#define KEYS_MAX 8

struct sweep {
	const char *head; /* "spin-park:" */
	int head_length;
	const char *key[KEYS_MAX]; /* each up to the comma before the next: "spins=1,2,3" */
	size_t length[KEYS_MAX];
	size_t keys;
};

/* Splits behind commas before words with a "=". */
static bool split(struct sweep *s, const char *text)
{
	const char *at = text + kind_length(text);

	at += strcspn(at, ":");
	s->head = text;
	s->head_length = (int)(at - text) + 1;
	if (*at != ':')
		return false;
	for (at++; *at; at += strspn(at, ",")) {
		size_t length = strcspn(at, ",");

		if (memchr(at, '=', length)) {
			if (s->keys == KEYS_MAX)
				return false;
			s->key[s->keys++] = at;
		} else if (s->keys == 0) {
			return false;
		}
		at += length;
		s->length[s->keys - 1] = (size_t)(at - s->key[s->keys - 1]);
	}
	return s->keys > 0;
}

/* The values of key number `level`, one after the other, behind `text`. */
static bool expand(struct candidates *c, const struct sweep *s, size_t level, const char *text)
{
	const char *key = level < s->keys ? s->key[level] : NULL;
	size_t name, at;

	if (!key)
		return add(c, text, false);
	name = strcspn(key, "=") + 1;
	for (at = name; at < s->length[level] || at == name;) {
		size_t length = strcspn(key + at, ",");
		char *longer = memory_format("%s%s%.*s%.*s", text, level ? "," : "", (int)name, key,
			(int)length, key + at);
		bool done = expand(c, s, level + 1, longer);

		free(longer);
		if (!done)
			return false;
		at += length + 1;
	}
	return true;
}

static bool add_sweep(struct candidates *c, const char *text)
{
	struct sweep sweep = {0};
	char *head;
	bool done;

	if (!split(&sweep, text)) {
		cli_say("--sweep: '%s' is not written as POLICY:key=value,value,...; for example: "
			"--sweep spin-park:spins=15,100,1000",
			text);
		return false;
	}
	head = memory_format("%.*s", sweep.head_length, sweep.head);
	done = expand(c, &sweep, 0, head);
	free(head);
	return done;
}

/* --- from the arguments */

static bool add_rules(struct candidates *c, const char *text)
{
	if (!add(c, text, false))
		return false;
	c->candidate[c->count - 1].rules = true;
	c->candidate[c->count - 1].none = false;
	return true;
}

static bool add_all(struct candidates *c, const struct cli_args *args, bool *only_sweeps)
{
	for (unsigned i = 0; i < args->given_count; i++) {
		const char *option = args->given[i].option->name, *value = args->given[i].value;
		bool file = strcmp(option, "config") == 0, done = true;

		if (strcmp(option, "lock-rule") == 0)
			done = add_rules(c, value);
		else if (file || strcmp(option, "policy") == 0)
			done = add(c, value, file || is_file(value));
		else if (strcmp(option, "sweep") == 0)
			done = add_sweep(c, value);
		else
			continue;
		if (!done)
			return false;
		*only_sweeps = *only_sweeps && strcmp(option, "sweep") == 0;
	}
	if (c->count > 0)
		return true;
	cli_say("nothing to compare; name policies with -p, INI files with -c, or values with "
		"--sweep, as in: relock compare -p native -p spin-park -- PROG");
	return false;
}

static void put_first(struct candidates *c)
{
	struct candidate last = c->candidate[c->count - 1];

	memmove(c->candidate + 1, c->candidate, (c->count - 1) * sizeof(last));
	c->candidate[0] = last;
}

/* The reference: what --reference names, the first one, or `native` where there is nothing else to
 * compare with. */
static bool choose_reference(struct candidates *c, const char *named, bool only_sweeps)
{
	const char *wanted = named ? named : REFERENCE_DEFAULT;

	if (!named && !only_sweeps && c->count > 1)
		return true;
	for (size_t i = 0; i < c->count; i++)
		if (strcmp(c->candidate[i].name, wanted) == 0 && (named || c->count > 1)) {
			c->reference = i;
			return true;
		}
	if (!add(c, wanted, is_file(wanted)))
		return false;
	put_first(c);
	return true;
}

/* Two of one name, for a comparison of something with itself. */
static void tell_apart(struct candidates *c)
{
	for (size_t i = 0; i < c->count; i++)
		for (size_t j = i + 1, number = 2; j < c->count; j++)
			if (strcmp(c->candidate[i].name, c->candidate[j].name) == 0) {
				char *name =
					memory_format("%s (%zu)", c->candidate[j].name, number++);

				free(c->candidate[j].name);
				c->candidate[j].name = name;
			}
}

/* --- configurations */

static const struct cli_option *option_named(const struct cli_verb *verb, const char *name)
{
	const struct cli_option *option = NULL;

	for (unsigned i = 0; (option = cli_option_at(verb, i)); i++)
		if (strcmp(option->name, name) == 0)
			break;
	return option;
}

/* The arguments as if only this candidate had been asked for. */
static bool own_arguments(const struct candidate *candidate, const struct cli_args *args, char *set,
	struct cli_args *out)
{
	const char *name = candidate->file ? "config" : candidate->rules ? "lock-rule" : "policy";
	const char *value = candidate->text;

	*out = *args;
	out->given_count = 0;
	for (unsigned i = 0; i < args->given_count; i++)
		if (strcmp(args->given[i].option->name, "set") == 0)
			out->given[out->given_count++] = args->given[i];
	if (candidate->none || out->given_count == CLI_GIVEN_MAX)
		return candidate->none;
	if (!candidate->file && !candidate->rules && kind_length(value) > 0) {
		size_t length = kind_length(value);

		snprintf(set, CONF_PATH_MAX, "%.*s.policy=%s", (int)length - 1, value,
			value + length);
		name = "set";
		value = set;
	}
	out->given[out->given_count++] = (struct cli_given){option_named(args->verb, name), value};
	return true;
}

/* Sets what the user did not. */
static bool set_unless_given(struct conf *conf, const char *name, const char *value)
{
	struct conf_error error;

	if (conf->origins.origin[conf_find(name)] != FROM_DEFAULT ||
		conf_set(conf, name, value, FROM_COMMAND_LINE, "compare", &error))
		return true;
	cli_say("%s", error.message);
	return false;
}

bool candidates_record(struct candidates *c, bool needed)
{
	bool done = true;

	for (size_t i = 0; i < c->count; i++) {
		struct conf *conf = c->candidate[i].conf;

		/* Only totals of waits are looked at: stacks and hold times cost time and tell
		 * nothing. */
		done = done && set_unless_given(conf, "record.stacks", "off") &&
		       set_unless_given(conf, "record.holds", "off") &&
		       (needed || set_unless_given(conf, "record.enabled", "off"));
	}
	return done;
}

static char *settings_text(const struct conf *conf)
{
	static char rules[CONF_RULES_TEXT_MAX];
	char choice[CONF_LOCKS][512];

	for (int lock = 0; lock < CONF_LOCKS; lock++)
		conf_format_choice(
			&conf->settings.choice[lock], choice[lock], sizeof(choice[lock]));
	if (conf_lock_rules(conf))
		conf_format_lock_rules(conf, rules, sizeof(rules));
	return memory_format("mutex = %s; spin = %s; rwlock = %s%s%s%s%s", choice[CONF_MUTEX],
		choice[CONF_SPIN], choice[CONF_RWLOCK], conf_lock_rules(conf) ? "; rules = " : "",
		conf_lock_rules(conf) ? rules : "",
		conf->settings.cond_native ? "; cond = native" : "",
		conf->settings.enabled ? "" : "; left out by a [process] section");
}

static bool configure(struct candidate *candidate, const struct cli_args *args, const char *process)
{
	char set[CONF_PATH_MAX];
	struct cli_args own;

	candidate->conf = memory_get(1, sizeof(*candidate->conf));
	if (!own_arguments(candidate, args, set, &own) ||
		!settings_load(&own, process, candidate->conf))
		return false;
	candidate->settings =
		candidate->none ? memory_copy("without relock") : settings_text(candidate->conf);
	return true;
}

/* The same under two names is worth a word: it may be the environment that makes it so. */
static void find_equals(const struct candidates *c)
{
	for (size_t i = 0; i < c->count; i++)
		for (size_t j = i + 1; j < c->count; j++) {
			const struct candidate *a = &c->candidate[i], *b = &c->candidate[j];

			if (strcmp(a->settings, b->settings) == 0 && strcmp(a->text, b->text) != 0)
				cli_say("'%s' and '%s' are the same: %s", a->name, b->name,
					a->settings);
		}
}

bool candidates_load(struct candidates *c, const struct cli_args *args, const char *process)
{
	bool only_sweeps = true;

	*c = (struct candidates){0};
	if (!add_all(c, args, &only_sweeps) ||
		!choose_reference(c, cli_value(args, "reference"), only_sweeps))
		return false;
	for (size_t i = 0; i < c->count; i++)
		if (!configure(&c->candidate[i], args, process))
			return false;
	tell_apart(c);
	find_equals(c);
	return true;
}

void candidates_free(struct candidates *c)
{
	for (size_t i = 0; i < c->count; i++) {
		free(c->candidate[i].text);
		free(c->candidate[i].name);
		free(c->candidate[i].settings);
		free(c->candidate[i].conf);
	}
}
