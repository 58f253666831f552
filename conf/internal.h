/*
 * What the files of conf/ share; nothing outside includes it.
 *
 * text.c builds texts in fixed buffers and composes errors, units.c reads and writes numbers,
 * choice.c policies with their tunables, value.c the value of any option, rules*.c rules per lock,
 * layers.c combines what is given into settings. ini.c, process.c, environment.c and set.c are the
 * sources; describe.c and export.c write the result down.
 *
 * Contract: as conf.h's.
 */
#ifndef RELOCK_CONF_INTERNAL_H
#define RELOCK_CONF_INTERNAL_H

#include "conf/conf.h"

#define CONF_NAMES_MAX 64 /* policies, tunables, options: longest list of names in a message */
#define CONF_QUOTE_MAX 64
#define CONF_NAME_MAX 64 /* "section.key" */

/* --- text.c --- */

/* A text being written; length goes on counting when size is used up, as with snprintf. */
struct text {
	char *out;
	size_t size;
	size_t length;
};

struct text text_start(char *out, size_t size); /* empty */
void text_add(struct text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Adds the names, separated by ", ". */
void text_add_names(struct text *t, const char *const *names, size_t count);

/* Where a message points to: "where", "where:line", followed by the key where that is not already
 * named. Any part may be missing (NULL, 0). */
struct place {
	const char *where;
	int line;
	const char *key;
};

/* Composes the message, of one line, and returns false. The second form leaves the key out. */
bool conf_fail_key(struct conf_error *error, const struct place *place, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
bool conf_fail(struct conf_error *error, const struct place *place, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* "key: unknown WHAT "word"OF; did you mean "near"? valid: names" */
bool conf_fail_name(struct conf_error *error, const struct place *place, const char *what,
	const char *word, const char *of, const char *const *names, size_t count);
/* A user's word as a message can show it: shortened, in double quotes. */
const char *conf_quote(char out[CONF_QUOTE_MAX], const char *word);
/* Copies text if it fits. */
bool conf_copy(char *out, size_t size, const char *text);

/* --- nearest.c --- */
const char *conf_nearest_within(
	const char *word, const char *const *names, size_t count, unsigned distance);

/* --- units.c --- */
struct range {
	uint64_t min, max;
};

bool conf_parse_count_in(const char *text, struct range range, const struct place *place,
	uint64_t *out, struct conf_error *error);
bool conf_parse_duration_in(const char *text, struct range range, const struct place *place,
	uint64_t *out, struct conf_error *error);
bool conf_parse_size_in(const char *text, struct range range, const struct place *place,
	uint64_t *out, struct conf_error *error);

/* --- choice.c --- */
size_t conf_policy_names(const char **names);
/* Names of the tunables in the mask. */
size_t conf_tunable_names(uint32_t mask, const char **names);
bool conf_parse_tunable(enum tunable_id id, const char *text, const struct place *place,
	uint64_t *out, struct conf_error *error);
void conf_format_tunable(struct text *t, enum tunable_id id, uint64_t value);
/* "NAME:key=value,…" with the tunables that were named. */
bool conf_parse_choice_at(const char *text, const struct place *place, struct conf_value *value,
	struct conf_error *error);
void conf_format_choice_of(struct text *t, const struct policy_choice *choice, uint32_t tunables);

/* --- table.c --- */
struct conf_section {
	const char *name;
	const char *help;
};

extern const struct conf_section conf_sections[];
extern const size_t conf_sections_count;

size_t conf_find_key(const char *section, const char *key);
/* Indices of a lock's options. CONF_LOCKS: those of [relock]. */
size_t conf_policy_option(enum conf_lock lock);
size_t conf_tunable_option(enum conf_lock lock, enum tunable_id id);
size_t conf_text_option(enum conf_text text);
/* "section.key" */
const char *conf_name(size_t option, char out[CONF_NAME_MAX]);

/* --- value.c --- */
/* Reads the option's value; a text is only checked. */
bool conf_parse_value(size_t option, const char *text, const struct place *place,
	struct conf_value *value, struct conf_error *error);
void conf_format_number(struct text *t, size_t option, uint64_t number);
size_t conf_enum_names(const char *values, char *buffer, size_t size, const char **names);

/* --- layers.c --- */
enum conf_origin conf_layer_origin(enum conf_layer_id layer);
/* The last layer up to `upto` in which the option is given, or CONF_LAYERS. */
enum conf_layer_id conf_given(const struct conf *c, size_t option, enum conf_layer_id upto);
bool conf_assign(struct conf *c, enum conf_layer_id layer, size_t option, const char *text,
	const struct place *place, struct conf_error *error);
void conf_clear_layer(struct conf *c, enum conf_layer_id layer);
/* Computes settings and origins from the layers up to `upto`, and checks what only shows in
 * combination. */
bool conf_settle(struct conf *c, enum conf_layer_id upto, struct conf_error *error);

/* --- ini.c --- */
/* Fills the INI layer and the rules. `via` is what named the file, or NULL. */
bool conf_read_ini(struct conf *c, const char *path, const char *via, struct conf_error *error);

/* --- conf.c --- */
/* conf_read_ini, checked by itself and with the rules for this process applied. */
bool conf_use_ini(struct conf *c, const char *path, const char *via, struct conf_error *error);

/* --- rules.c --- */
/* Empties the place of a layer that has one. */
void conf_clear_rules(struct conf *c, enum conf_layer_id layer);
/* NULL for layers that have no rules. */
struct lock_rules *conf_rules_of(struct conf *c, enum conf_layer_id layer);
/* A new rule that matches everything; NULL with the message in error when there is no room. */
struct lock_rule *conf_rule_new(
	struct lock_rules *rules, const struct place *place, struct conf_error *error);
/* Makes the list of rules in force. */
bool conf_settle_rules(struct conf *c, enum conf_layer_id upto, struct conf_error *error);

/* --- rules_keys.c --- */
/* Sets a key to `length` bytes of a value. As text, a pattern keeps its backslashes. */
bool conf_rule_set(struct lock_rules *rules, struct lock_rule *rule, const char *key,
	const char *value, size_t length, const struct place *place, struct conf_error *error);
bool conf_rule_set_policy(struct lock_rule *rule, const char *text, const struct place *place,
	struct conf_error *error);
/* The keys of a match, and the words of its kind. */
#define CONF_MATCH_KEYS 5
extern const char *const conf_match_keys[CONF_MATCH_KEYS];
extern const char *const conf_kind_names[CONF_LOCKS];

/* --- rules_text.c --- */
/* Adds the rules in a text. */
bool conf_parse_rules(struct lock_rules *rules, const char *text, const struct place *place,
	struct conf_error *error);
void conf_add_rule_in_force(struct text *t, const struct conf *c, size_t i);

/* --- rules_ini.c --- */
/* The [lock "name"] section being read. */
struct lock_section {
	struct lock_rule *rule; /* NULL: in none */
	int line, policy_line;
	int key_line[CONF_MATCH_KEYS];
	int tuned_line[TUNABLE_IDS];
	struct tunables tunables;
};

bool conf_enter_lock(struct lock_section *section, struct lock_rules *rules, const char *name,
	const struct place *place, struct conf_error *error);
bool conf_assign_lock(struct lock_section *section, struct lock_rules *rules, const char *key,
	const char *text, const struct place *place, struct conf_error *error);
/* Checks the whole when the section ends; fine when there is none. */
bool conf_leave_lock(
	struct lock_section *section, const struct place *place, struct conf_error *error);

/* --- process.c --- */
/* Adds a rule; NULL with the message in error when there is no room or it exists. */
struct conf_rule *conf_add_rule(
	struct conf *c, const char *pattern, const struct place *place, struct conf_error *error);
bool conf_assign_rule(struct conf_rule *rule, const char *key, const char *text,
	const struct place *place, struct conf_error *error);
/* Fills the process layer from the rules that match c->process. */
void conf_apply_rules(struct conf *c);

#endif
