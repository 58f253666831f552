/*
 * What the verbs of the command share: one table of verbs and options, from which the arguments are
 * parsed and `relock --help`, `relock VERB --help` and the man page are made.
 *
 * To add a verb: a file cli/VERB.c with its `int VERB_main(const struct cli_args *)`, and an entry
 * in cli/table.c. An option is a row in its verb's table; the parser, the help and the man page
 * follow.
 *
 * Contract: a verb gets arguments that were checked against the table and returns the exit status.
 * Messages go to stderr, results to stdout.
 */
#ifndef RELOCK_CLI_CLI_H
#define RELOCK_CLI_CLI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Exit statuses that are not the program's own. */
#define CLI_NO 1     /* the answer is no, e.g. `relock doctor` of a static program */
#define CLI_OURS 125 /* relock itself failed, or was asked for something it does not know */
#define CLI_NOT_EXECUTABLE 126 /* the program was found and cannot be executed */
#define CLI_NOT_FOUND 127      /* the program was not found */

#define CLI_GIVEN_MAX 64

struct cli_option {
	const char *name;  /* long spelling without the dashes */
	char letter;       /* short spelling, or 0 */
	const char *value; /* what it takes, as help shows it; NULL: nothing */
	const char *const
		*values;     /* the only values it takes, ended by NULL; NULL: the verb checks */
	const char *setting; /* "section.key" of conf/ that it sets; NULL: none */
	const char *help;    /* sentences */
	const char *example; /* how it is written, e.g. "-n 5" */
	const char *(*value_help)(size_t index); /* a line on each of `values`, or NULL */
};

struct cli_example {
	const char *command; /* without the leading "relock " */
	const char *meaning;
};

struct cli_args;

struct cli_verb {
	const char *name;
	const char *operands;    /* as the synopsis shows them */
	const char *summary;     /* one line */
	const char *description; /* paragraphs, separated by an empty line */
	bool takes_command;      /* what follows the first operand belongs to a program */
	unsigned operands_min, operands_max;
	const struct cli_option *const
		*options; /* tables ended by a row without a name; ended by NULL */
	const struct cli_example *examples; /* ended by a row without a command */
	int (*main)(const struct cli_args *args);
};

extern const struct cli_verb cli_verbs[]; /* ended by a row without a name */
extern const struct cli_option cli_globals[];
extern const struct cli_example cli_global_examples[];
extern const char cli_summary[];
extern const char cli_description[];

/* An exit status and its meaning, for help and man page; ended by a row without a meaning. */
struct cli_status {
	const char *status;
	const char *meaning;
};
extern const struct cli_status cli_statuses[];

struct cli_given {
	const struct cli_option *option;
	const char *value; /* NULL for an option that takes none */
};

struct cli_args {
	const struct cli_verb *verb; /* NULL: only global options */
	struct cli_given given[CLI_GIVEN_MAX];
	unsigned given_count;
	char **operands; /* points into argv, ended by NULL */
	unsigned operand_count;
};

/* --- args.c: parsing */

/* Reads argv against the table. False: a message was printed. */
bool cli_parse(int argc, char **argv, struct cli_args *args);
bool cli_has(const struct cli_args *args, const char *option);
/* The last value given, or NULL. */
const char *cli_value(const struct cli_args *args, const char *option);
/* A count given to an option. Returns false after a message when it is none or out of range;
 * leaves *out alone when the option was not given. */
bool cli_count(
	const struct cli_args *args, const char *option, unsigned min, unsigned max, unsigned *out);

/* A percentage given to an option, "5%", as a fraction of 1. Likewise. */
bool cli_share(const struct cli_args *args, const char *option, double *out);

/* Walks over all options of a verb, its own tables one after the other. */
const struct cli_option *cli_option_at(const struct cli_verb *verb, unsigned index);

/* --- message.c: what is said to the user */

/* "relock: …" and a newline on stderr. cli_fail returns CLI_OURS, so that it can end a function. */
void cli_say(const char *format, ...) __attribute__((format(printf, 1, 2)));
int cli_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Writes "; nearest: 'x'" into `out` when one of `names` is near `word`, else "". Returns `out`. */
char *cli_nearest(const char *word, const char *const *names, size_t count, char *out, size_t size);
/* Replaces what is no printable ASCII: names inside a file must not control a terminal. NULL is
 * fine.
 */
void cli_printable(char *text);
/* Whether verdict words are coloured on `stream`: --color, then NO_COLOR, then a terminal. */
bool cli_color(const struct cli_args *args, FILE *stream);

/* --- help.c, man.c: made from the table */

void cli_help(FILE *out);
void cli_help_verb(const struct cli_verb *verb, FILE *out);
void cli_man(FILE *out);
/* Writes "a, b, c" for the values of an option. */
void cli_values_text(const struct cli_option *option, char *out, size_t size);
/* Prints text folded at `width` columns, every line after `indent` spaces, the first one without
 * when `started`. Keeps line breaks; an empty line separates paragraphs. */
void cli_fold(FILE *out, const char *text, unsigned indent, unsigned width, bool started);

/* --- the verbs, one file each */

int run_main(const struct cli_args *args);
int report_main(const struct cli_args *args);
int diff_main(const struct cli_args *args);
int compare_main(const struct cli_args *args);
int reproduce_main(const struct cli_args *args);
int policies_main(const struct cli_args *args);
int config_main(const struct cli_args *args);
int doctor_main(const struct cli_args *args);

#endif
