/* The table of verbs and options. Everything the command says about itself comes from here. */
#include "cli/cli.h"
#include "stats/report/report.h"

#include <limits.h>

#define ANY_NUMBER UINT_MAX

const char cli_summary[] =
	"run a program with another waiting policy under its locks, and see what "
	"its locks cost";

const char cli_description[] =
	"relock starts an existing, dynamically linked program with librelock.so preloaded. When a "
	"thread finds a pthread mutex, spinlock or rwlock taken, the policy you chose decides how "
	"it "
	"waits: spinning, yielding, sleeping, blocking, or a mix. Who owns a lock is still decided "
	"by the C library, so the program behaves as before.\n\n"
	"While the program runs, a recording is written: what every lock cost, where, and which "
	"code kept which other code waiting. It is kept however the program ends, and read with "
	"'relock report'.\n\n"
	"No source code, no rebuilding and no privileges are needed.";

const struct cli_status cli_statuses[] = {
	{"0", "The verb did its work, or the answer is yes. 'relock run' exits as the program "
	      "did."},
	{"1", "The answer is no: 'relock doctor' found that the program cannot be reached."},
	{"125", "relock itself failed, or does not know what was asked for."},
	{"126", "The program was found, but cannot be executed."},
	{"127", "The program was not found."},
	{"128+N", "The program was ended by signal N."},
	{0},
};

const struct cli_option cli_globals[] = {
	{"help", 'h', NULL, NULL, NULL, "Print help, for one verb when it follows the verb.",
		"relock run --help"},
	{"version", 0, NULL, NULL, NULL, "Print the version.", "relock --version"},
	{"man", 0, NULL, NULL, NULL, "Print the manual page, as troff source.",
		"relock --man | man -l -"},
	{0},
};

const struct cli_example cli_global_examples[] = {
	{"run -p spin-yield:spins=15 -- pigz -k big.tar",
		"compress with a short spin before every yield, and report what the locks cost"},
	{"report", "read the newest recording of this directory again"},
	{"policies", "see which ways of waiting there are"},
	{"doctor ./server", "see whether a program can be reached, and what would stay invisible"},
	{0},
};

static const struct cli_option color_option[] = {
	{"color", 0, "WHEN", report_color_names, NULL,
		"Colour verdict words. 'auto' does so on a terminal, unless NO_COLOR is set.",
		"--color=never"},
	{0},
};

/* What a configuration is made of, for the verbs that read one. */
static const struct cli_option setting_options[] = {
	{"policy", 'p', "POLICY[:KEY=VALUE,...]", NULL, "relock.policy",
		"Wait so on mutexes, spinlocks and rwlocks. 'relock policies' lists the policies "
		"and "
		"what can be tuned. Use --set mutex.policy=... and kin to choose separately.",
		"-p spin-park:spins=200"},
	{"config", 'c', "FILE", NULL, NULL,
		"Read settings from this INI file. The environment and the other options win over "
		"it.",
		"-c latency.ini"},
	{"set", 0, "SECTION.KEY=VALUE", NULL, NULL,
		"Set any one option of the configuration, as often as needed. 'relock config "
		"--default' names them all.",
		"--set record.holds=all"},
	{0},
};

static const struct cli_option run_options[] = {
	{"output", 'o', "FILE", NULL, "record.output",
		"Name the recording. %e stands for the executable's name, %p for its process id, "
		"%h "
		"for the host, %t for the time of its start; programs that start others need %p.",
		"-o 'before-%e-%p.rlk'"},
	{"quiet", 'q', NULL, NULL, NULL, "Print no report after the program has ended.",
		"relock run -q -- make check"},
	{"verbose", 'v', NULL, NULL, "relock.verbose",
		"Tell what is preloaded, set and recorded, on stderr.",
		"relock run -v -- ./server"},
	{"force", 0, NULL, NULL, NULL,
		"Start the program even when its locks cannot be reached, as those of a static or "
		"setuid program.",
		"relock run --force -- ./static-tool"},
	{0},
};

/* Shared by run, which passes them on, and report. */
static const struct cli_option report_options[] = {
	{"key", 'k', "KEY", report_key_names, NULL, "Sort rows by this, largest first.",
		"-k contended", report_key_help},
	{"rows", 'n', "N", NULL, NULL,
		"Show at most N rows of each table; 0 shows all. Text shows 10 unless told "
		"otherwise.",
		"-n 20"},
	{"by", 0, "WHAT", report_by_names, NULL,
		"Add up by single lock, by class (all locks born at one place), by the code that "
		"acquires, or by thread.",
		"--by class"},
	{"stacks", 0, NULL, NULL, NULL,
		"Show the call stacks of those who waited, where they were recorded.", "--stacks"},
	{0},
};

static const struct cli_option format_option[] = {
	{"format", 0, "FORMAT", report_format_names, NULL,
		"Print text to read, or JSON or CSV to process. Machine formats give times in ns.",
		"--format json"},
	{0},
};

static const struct cli_option config_options[] = {
	{"default", 0, NULL, NULL, NULL,
		"Print an INI file with every option, explained and at its default.",
		"relock config --default > relock.ini"},
	{"show", 0, NULL, NULL, NULL,
		"Print the effective values and where each comes from: default, INI file, "
		"environment "
		"or command line.",
		"relock config --show -c latency.ini -p spin"},
	{"check", 0, NULL, NULL, NULL,
		"Read the INI files named as operands and report what is wrong in them.",
		"relock config --check relock.ini"},
	{0},
};

static const struct cli_option *const run_tables[] = {
	setting_options, run_options, report_options, color_option, NULL};
static const struct cli_option *const report_tables[] = {
	report_options, format_option, color_option, NULL};
static const struct cli_option *const config_tables[] = {config_options, setting_options, NULL};
static const struct cli_option *const doctor_tables[] = {color_option, NULL};
static const struct cli_option *const no_tables[] = {NULL};

static const struct cli_example run_examples[] = {
	{"run -- ./server --threads 64", "record what the locks cost as they are"},
	{"run -p spin-yield:spins=15 -- ./server", "spin 15 pauses, then yield"},
	{"run -c latency.ini -q -o load.rlk -- ./server",
		"take settings from a file, name the recording, print nothing"},
	{"run --set mutex.policy=spin-park --set spin.policy=spin-yield -- ./server",
		"other policies for mutexes than for spinlocks"},
	{0},
};

static const struct cli_example report_examples[] = {
	{"report", "the newest recording of this directory"},
	{"report -k acquired -n 5 load.rlk", "the five locks acquired most often"},
	{"report --by site --stacks load.rlk", "which code waits, and how it got there"},
	{"report --format json load.rlk", "everything, for other programs"},
	{0},
};

static const struct cli_example policies_examples[] = {
	{"policies", "all policies, one line each"},
	{"policies spin-park", "one policy: algorithm, source, what can be tuned and how"},
	{0},
};

static const struct cli_example config_examples[] = {
	{"config --default", "an INI file to start from"},
	{"config --show -p spin", "what would be in force"},
	{"config --check relock.ini", "find mistakes before a run does"},
	{0},
};

static const struct cli_example doctor_examples[] = {
	{"doctor ./server", "look at a program before running it"},
	{"doctor python3", "names are looked up in PATH, scripts by their interpreter"},
	{0},
};

const struct cli_verb cli_verbs[] = {
	{"run", "[--] PROG [ARG...]", "run a program under a policy and report what its locks cost",
		"Starts PROG with librelock.so preloaded and waits for it. The program's input, "
		"output, terminal and exit status are its own; signals TERM, HUP, USR1 and USR2 "
		"sent "
		"to relock are passed on, and what is typed on the terminal (INT, QUIT) reaches "
		"the "
		"program as always. The report goes to stderr when the program has ended.\n\n"
		"The recording is written to the current directory, or, where that is not "
		"writable, "
		"to a private directory below TMPDIR or /tmp. Processes that PROG starts are "
		"recorded "
		"too, each in a file of its own; a process that never had a second thread nor "
		"waited "
		"for a lock leaves none.\n\n"
		"Settings come from the defaults, the INI file, RELOCK_* environment variables and "
		"options; later ones win. RELOCK_LIBRARY names a librelock.so other than the one "
		"that "
		"came with this command.",
		true, 1, ANY_NUMBER, run_tables, run_examples, run_main},
	{"report", "[FILE|DIR...]", "print what a recording says",
		"Reads recordings, also of programs that are still running or were killed, and "
		"prints "
		"what each lock cost, how waits ended, and who waited for whom. Several "
		"recordings are added up; a directory stands for all recordings in it. Without "
		"operands, the newest recording of the current directory is read.",
		false, 0, ANY_NUMBER, report_tables, report_examples, report_main},
	{"policies", "[NAME]", "list the policies, or explain one",
		"Without a name, prints a table of all policies with what can be tuned and its "
		"defaults, and the pause hints of this processor. With a name, prints the "
		"algorithm, "
		"when it helps and when it hurts, where it comes from, and each tunable with its "
		"range and how it is set in an INI file, the environment and on the command line.",
		false, 0, 1, no_tables, policies_examples, policies_main},
	{"config", "--default|--show|--check [FILE...]", "print, show or check a configuration",
		"Prints a configuration file to start from, shows what would be in force and why, "
		"or "
		"checks files for mistakes.",
		false, 0, ANY_NUMBER, config_tables, config_examples, config_main},
	{"doctor", "PROG", "tell whether a program's locks can be reached",
		"Examines PROG without running it: whether it loads preloaded libraries at all, "
		"which "
		"functions that relock hooks are called by it and by its libraries, and which of "
		"its "
		"synchronisation would stay invisible because it does not go through them. Exits "
		"with "
		"0 when the program can be reached and 1 when it cannot.",
		false, 1, 1, doctor_tables, doctor_examples, doctor_main},
	{0},
};
