/* The table of verbs and options. Everything the command says about itself comes from here. */
#include "cli/cli.h"
#include "stats/report/diff.h"

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
	{"1", "The answer is no: 'relock doctor' found that the program cannot be reached, or "
	      "'relock reproduce' that a finding does not hold here."},
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
	{"lock-rule", 'r', "RULE=POLICY", NULL, "relock.rules",
		"Wait so on some locks only. RULE is KEY=VALUE,... with the keys kind (mutex, "
		"spin, rwlock), module (shell pattern for the file the lock was born in), class "
		"(MODULE+0xOFFSET, as 'relock report --rules' prints it) and symbol (shell pattern "
		"for the variable a static lock is in, or the function another lock was born in); "
		"all given have to match. As often as needed: the first rule that matches decides, "
		"these before those of RELOCK_RULES, and those before an INI file's [lock] "
		"sections. '-r none' ends the list.",
		"-r class=libfoo.so.1+0x4546a=spin-park"},
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
		"otherwise, HTML 100, OpenMetrics 1000.",
		"-n 20"},
	{"by", 0, "WHAT", report_by_names, NULL,
		"Add up by single lock, by class (all locks born at one place), by the code that "
		"acquires, or by thread.",
		"--by class"},
	{"stacks", 0, NULL, NULL, NULL,
		"Show the call stacks of those who waited, where they were recorded.", "--stacks"},
	{"rules", 0, NULL, NULL, NULL,
		"Show under each lock what selects it in a rule per lock (run -r), and the policy "
		"that a rule gave it.",
		"--rules"},
	{0},
};

static const struct cli_option format_option[] = {
	{"format", 0, "FORMAT", report_format_names, NULL,
		"Print text to read; HTML, a page with what the text says, to keep or to send; "
		"JSON or CSV to process, with times in ns; folded stacks with the ns they waited, "
		"for flame graphs; or OpenMetrics, for systems that collect metrics. In CSV, a "
		"name that a spreadsheet would take for a formula has ' in front.",
		"--format html"},
	{0},
};

static const struct cli_option diff_format_option[] = {
	{"format", 0, "FORMAT", diff_format_names, NULL,
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

static const struct cli_option diff_options[] = {
	{"threshold", 0, "PERCENT", NULL, NULL,
		"Show what changed by more than this; 20% unless told otherwise.",
		"--threshold 50%"},
	{"rows", 'n', "N", NULL, NULL,
		"Show at most N locks; 0 shows all. Text shows 10 unless told otherwise.", "-n 20"},
	{0},
};

/* As for run, but there may be several of each. */
static const struct cli_option candidate_options[] = {
	{"policy", 'p', "CANDIDATE", NULL, "relock.policy",
		"Compare this: POLICY[:KEY=VALUE,...] for all locks, KIND=POLICY for mutex, spin "
		"or "
		"rwlock only, an INI file whose name ends in .ini, or 'none' for the program "
		"without relock. As often as needed; the first one is the reference. A single one "
		"is compared with native.",
		"-p native -p rwlock=spin-park:spins=200"},
	{"config", 'c', "FILE", NULL, NULL,
		"Compare the settings of this INI file, or of one that came with relock.",
		"-c latency.ini"},
	{"lock-rule", 'r', "RULE=POLICY", NULL, "relock.rules",
		"Compare these rules per lock, written as for 'relock run' and separated by ';': "
		"locks that match none of them wait as by default.",
		"-r 'symbol=queue=spin;kind=rwlock=native'"},
	{"sweep", 's', "POLICY:KEY=V1,V2,...", NULL, NULL,
		"Compare this policy with each of the values; with several keys, each with each.",
		"--sweep spin-park:spins=15,100,1000"},
	{"reference", 0, "CANDIDATE", NULL, NULL,
		"Compare with this candidate in place of the first one.", "--reference native"},
	{"set", 0, "SECTION.KEY=VALUE", NULL, NULL,
		"Set an option of the configuration for all candidates. With record.enabled=off "
		"nothing is recorded, and the metrics that come from recordings are left out.",
		"--set record.enabled=off"},
	{0},
};

static const struct cli_option compare_options[] = {
	{"runs", 'n', "N", NULL, NULL,
		"Run every candidate N times, one round after the other; 12 unless told otherwise.",
		"-n 20"},
	{"warmup", 'w', "N", NULL, NULL,
		"Before that, run so many rounds that do not count; 1 unless told otherwise.",
		"--warmup 3"},
	{"metric", 'm', "NAME[=REGEX]", NULL, NULL,
		"Compare by this: wall, cpu, rss, ctxt (context switches), or, from relock's "
		"recording, wait, wait-p99, wait-max, burnt (CPU time spent waiting). NAME=REGEX "
		"is a number in the program's output: the first group of the last match of this "
		"POSIX extended regular expression, \\d allowed. As often as needed; the first one "
		"decides. All but REGEX unless told otherwise.",
		"--metric 'ops=(\\d+) ops/sec' --higher ops"},
	{"higher", 0, "NAME", NULL, NULL, "More of this NAME=REGEX is better.", "--higher ops"},
	{"lower", 0, "NAME", NULL, NULL, "Less of this NAME=REGEX is better.", "--lower latency"},
	{"threshold", 0, "PERCENT", NULL, NULL,
		"Call no difference that is smaller than this, nor one within the noise floor; 1% "
		"unless told otherwise.",
		"--threshold 5%"},
	{"timeout", 0, "DURATION", NULL, NULL,
		"End a run that takes longer, and count it as failed.", "--timeout 30s"},
	{"client", 0, "COMMAND", NULL, NULL,
		"PROG is a server: when it is ready, run this shell command, measure its time and "
		"search its output, then end the server with SIGTERM, after 10 s with SIGKILL. CPU "
		"time, memory and context switches are the server's.",
		"--client 'memtier_benchmark --hide-histogram'"},
	{"ready", 0, "COMMAND", NULL, NULL,
		"The server is ready when this shell command succeeds; it is tried until then, for "
		"as long as --timeout allows, or a minute.",
		"--ready 'redis-cli ping'"},
	{"input", 0, "FILE", NULL, NULL,
		"Let the program read this file as its standard input. Otherwise it reads nothing.",
		"--input requests.txt"},
	{"ignore-status", 0, NULL, NULL, NULL,
		"An exit status other than 0 is no failure. A signal still is.", "--ignore-status"},
	{"show-output", 0, NULL, NULL, NULL,
		"Copy what the program writes to stderr. Otherwise it is kept from the screen.",
		"--show-output"},
	{"seed", 0, "N", NULL, NULL, "Run in the order that this seed gave another time.",
		"--seed 17"},
	{"export", 'o', "FILE", NULL, NULL,
		"Save the results, after every round, as the name's end says: .json, .csv, .md, "
		".svg for a drawing, or .html for a page. As often as needed. Without a .json "
		"among them, one is saved in the current directory.",
		"-o result.json"},
	{"force", 0, NULL, NULL, NULL, "Go on even when the program's locks cannot be reached.",
		"--force -p none -p native"},
	{0},
};

static const struct cli_option *const diff_tables[] = {diff_options, diff_format_option, NULL};
static const struct cli_option reproduce_options[] = {
	{"quick", 0, NULL, NULL, NULL,
		"Fewer candidates, 5 short repetitions of each: under 3 minutes in all.",
		"relock reproduce --quick"},
	{"repetitions", 'n', "N", NULL, NULL,
		"Repeat each run N times; 7 or 10 unless told otherwise, 5 with --quick. Below 5 "
		"there "
		"is no verdict. With --on, 12, or 8 with --quick.",
		"-n 15"},
	{"out", 'o', "DIR", NULL, NULL,
		"Write results.md, results.json and drawings there. Otherwise they go to a new "
		"directory reproduce-DATE-TIME.",
		"--out findings"},
	{"seed", 0, "N", NULL, NULL, "Run in the order that this seed gave another time.",
		"--seed 17"},
	{"on", 0, NULL, NULL, NULL,
		"The operands are a program and its arguments: compare the spin counts of the "
		"finding "
		"'spinning' and the hints of the finding 'hint' on it.",
		"relock reproduce --on -- ./server"},
	{"metric", 'm', "NAME[=REGEX]", NULL, NULL,
		"With --on: compare by this instead of wall and cpu; as for 'relock compare'.",
		"--metric 'ops=(\\d+) ops/sec' --higher ops"},
	{"higher", 0, "NAME", NULL, NULL, "With --on: more of this NAME=REGEX is better.",
		"--higher ops"},
	{"lower", 0, "NAME", NULL, NULL, "With --on: less of this NAME=REGEX is better.",
		"--lower latency"},
	{"timeout", 0, "DURATION", NULL, NULL, "With --on: end a run that takes longer.",
		"--timeout 30s"},
	{0},
};

static const struct cli_option *const reproduce_tables[] = {reproduce_options, color_option, NULL};
static const struct cli_option *const compare_tables[] = {
	candidate_options, compare_options, color_option, NULL};
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
	{"report --format html load.rlk > load.html", "a page for a browser, to send"},
	{"report --format folded load.rlk > load.folded", "a flame graph of waiting, once drawn"},
	{"report --format json load.rlk", "everything, for other programs"},
	{0},
};

static const struct cli_example diff_examples[] = {
	{"diff before.rlk after.rlk", "which locks wait more or less than before"},
	{"diff --threshold 50% monday/ friday/",
		"all recordings of a directory each, large changes only"},
	{0},
};

static const struct cli_example compare_examples[] = {
	{"compare -p native -p spin-park -p spin-yield -- ./batch",
		"which of three policies is fastest, if any"},
	{"compare --sweep spin-park:spins=15,100,1000 -- ./batch",
		"how long to spin, against not at all"},
	{"compare -p none -p native -- ./batch", "what relock itself costs"},
	{"compare --metric 'ops=(\\d+) ops/sec' --higher ops -p spin-park -- ./bench",
		"by a number that the program prints"},
	{"compare --ready 'redis-cli ping' --client 'redis-benchmark -q' -p spin-park -- "
	 "redis-server",
		"a server, by its client's time"},
	{0},
};

static const struct cli_example reproduce_examples[] = {
	{"reproduce list", "the findings there are"},
	{"reproduce --quick", "all of them, in less than three minutes"},
	{"reproduce spinning hint --out findings",
		"two of them in full, with results in a directory"},
	{"reproduce --on --quick -- ./batch", "how much spinning helps a program of yours"},
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
	{"diff", "A B", "tell what moved between two recordings, lock by lock",
		"Reads two recordings, or two directories of them, and shows the locks whose "
		"waiting, "
		"contention, 99th percentile or number of acquisitions changed by more than a "
		"threshold, most moved waiting first. Locks are matched by what they are called: a "
		"static lock by its variable, others by the place where they are made, so that "
		"addresses and order do not matter.\n\n"
		"Changes too small to matter are left out whatever the threshold: waiting of less "
		"than 1 in 1000 of the threads' time, contention of less than 1 in 100 "
		"acquisitions, "
		"percentiles of less than 100 waits. Two single runs also differ by chance; "
		"'relock "
		"compare' tells what would be so again.",
		false, 2, 2, diff_tables, diff_examples, diff_main},
	{"compare", "[--] PROG [ARG...]", "find out which policy is faster, and by how much",
		"Runs PROG under each candidate, round after round, in random order within each "
		"round, and tells for each metric whether a candidate is faster or slower than the "
		"reference, or that there is no difference. The program's output is read, not "
		"shown; its recordings are read and removed.\n\n"
		"In every round each candidate is compared with the reference of the same round. "
		"The ratio is the median of these ratios, with an interval that holds the true one "
		"with 95 % whatever the noise looks like. In every round the reference runs a "
		"second "
		"time, as a control: how far it seems to be from itself is the noise floor. "
		"'faster' means that chance gives such figures in less than 1 of 20 comparisons "
		"(exact signed-rank test, corrected for the number of candidates), that the "
		"interval does not contain 1, and that the ratio is beyond the noise floor. The "
		"first metric decides; the others show side effects, and are corrected for as one "
		"group.\n\n"
		"Runs that are unlike the others are named and stay in. A run that ends with a "
		"status other than 0, by a signal or too late is a result as well: the candidate "
		"is "
		"marked as failed and the others go on; after three failures in a row it is not "
		"run "
		"any more.\n\n"
		"The recorder costs time, the same for all candidates but 'none'. It is on when a "
		"metric comes from the recording, as some do unless --metric says otherwise; "
		"stacks and "
		"hold times are not recorded. With --metric wall alone, ratios are those of "
		"programs that are not recorded. Whatever a run leaves behind in its "
		"process group is ended. What relock is sent by Ctrl-C ends the run at hand and "
		"reports what there is.",
		true, 1, ANY_NUMBER, compare_tables, compare_examples, compare_main},
	{"reproduce", "[list|FINDING...|--on -- PROG]",
		"measure the published findings on this machine",
		"Runs programs of relock's own that re-create what was published about waiting for "
		"locks: how long to spin, batching, the processor's pause hint, handshakes, and "
		"the "
		"number of lock records. Prints what was published beside what this machine shows, "
		"both relative to the baseline, and for each criterion whether it is confirmed, "
		"contradicted, or inconclusive here, and why. Names of findings, or their numbers, "
		"choose some of them.\n\n"
		"Runs are interleaved in random order, round after round; in each round the "
		"baseline "
		"runs twice, so that the noise is known. A criterion is judged by the median of "
		"the "
		"ratios within rounds and by its interval, not against the noise.\n\n"
		"Results are saved after every round: Markdown, JSON, and, where gnuplot is "
		"installed, drawings. With --on, two tables of candidates are applied to a program "
		"of yours by 'relock compare'. The exit status is 1 when a finding was "
		"contradicted.",
		false, 0, ANY_NUMBER, reproduce_tables, reproduce_examples, reproduce_main},
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
