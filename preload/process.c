/* The life of the process under the library: coming up, forking, ending. */
#include "preload/hooks.h"

#include "preload/relock.h"
#include "stats/record/confined.h"
#include "stats/record/tell.h"
#include "stats/record/walks.h"

#include <fcntl.h>
#include <gnu/libc-version.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

/* Deeper frames of the main thread are not unwound. */
#define MAIN_STACK_BYTES (8u << 20)

enum { DOWN, COMING_UP, UP, OFF };

/* The loader's: the stack as the program found it. */
extern void *__libc_stack_end __attribute__((weak));

struct process process;

static atomic_int state;
static char program[PATH_MAX], command[4096], directory[PATH_MAX];
static char config_text[8192 + CONF_RULES_TEXT_MAX], libc_text[64], kernel_text[256],
	policy_text[RLK_KINDS][256];
static struct utsname host;
static uint64_t started_s;
static struct {
	uint64_t low, top;
} forking_stack;

/* --- one line to people */

static void say(const char *message)
{
	char line[CONF_MESSAGE_MAX + 64];
	int length = snprintf(
		line, sizeof(line), "relock: %s; running with the program's own locks\n", message);

	tell(line, (size_t)length < sizeof(line) ? (size_t)length : sizeof(line) - 1);
}

/* --- who we are */

/* The command line, as a shell would have to be given it. */
static void quote_command(const char *raw, size_t length)
{
	static const char plain[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,@%";
	size_t to = 0;

	for (size_t at = 0; at < length; at += strlen(raw + at) + 1) {
		const char *word = raw + at;
		bool quoted = !*word || strspn(word, plain) != strlen(word);

		if (to + strlen(word) * 4 + 4 > sizeof(command))
			return;
		if (at)
			command[to++] = ' ';
		if (quoted)
			command[to++] = '\'';
		for (; *word; word++) {
			if (*word == '\'')
				to = (size_t)(stpcpy(command + to, "'\\''") - command);
			else
				command[to++] = *word;
		}
		if (quoted)
			command[to++] = '\'';
	}
}

/* Where /proc is missing, as the program was called. */
static void find_program(void)
{
	ssize_t n = readlink("/proc/self/exe", program, sizeof(program) - 1);
	const char *called = (const char *)getauxval(AT_EXECFN);

	program[n > 0 ? n : 0] = '\0';
	if (n <= 0 && called)
		snprintf(program, sizeof(program), "%s%s%s", *called == '/' ? "" : directory,
			*called == '/' ? "" : "/", called);
}

/* Where the kernel left them: the number of arguments, then the arguments, whose texts follow each
 * other. */
static void read_arguments_left(void)
{
	const uint64_t *count = __libc_stack_end;
	const char *const *argv = (const char *const *)(count + 1);

	if (count && *count > 0 && !argv[*count])
		quote_command(argv[0],
			(size_t)(argv[*count - 1] - argv[0]) + strlen(argv[*count - 1]) + 1);
}

static void read_arguments(void)
{
	static char raw[1024];
	int fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? 0 : read(fd, raw, sizeof(raw) - 1);

	if (fd >= 0)
		close(fd);
	if (n > 0)
		quote_command(raw, (size_t)n);
	else
		read_arguments_left();
}

static void read_identity(void)
{
	if (!getcwd(directory, sizeof(directory)))
		strcpy(directory, "/");
	find_program();
	read_arguments();
	uname(&host);
	snprintf(libc_text, sizeof(libc_text), "glibc %s", gnu_get_libc_version());
	snprintf(kernel_text, sizeof(kernel_text), "%s %s %s", host.sysname, host.release,
		host.machine);
	started_s = (uint64_t)time(NULL);
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static bool recording_name(unsigned n, char *path, size_t size)
{
	size_t length;

	if (!conf_expand_output(process.conf.settings.output, directory, base_name(program),
		    getpid(), host.nodename, started_s, path, size))
		return false;
	length = strlen(path);
	/* NAME.rlk, NAME.2.rlk, …: a name that is taken is never written to. */
	if (n > 0 && length > 4 && strcmp(path + length - 4, ".rlk") == 0)
		return snprintf(path + length - 4, size - length + 4, ".%u.rlk", n + 1) <
		       (int)(size - length + 4);
	return n == 0 ||
	       snprintf(path + length, size - length, ".%u", n + 1) < (int)(size - length);
}

/* --- coming up */

const enum conf_lock process_lock_of[RLK_KINDS] = {CONF_MUTEX, CONF_SPIN, CONF_RWLOCK, CONF_RWLOCK};

static void choose_policies(void)
{
	for (unsigned kind = 0; kind < RLK_KINDS; kind++) {
		const struct policy_choice *choice =
			&process.conf.settings.choice[process_lock_of[kind]];

		process.choice[kind] = *choice;
		conf_format_choice(choice, policy_text[kind], sizeof(policy_text[kind]));
	}
}

/* Where the mutex would be taken back as the C library does it, and nobody asks how that went, its
 * own wait is the shorter one. */
static bool conditions_are_ours(const struct recorder_config *config)
{
	if (process.conf.settings.cond_native || process.delegate_all)
		return false;
	return config->record || config->rule ||
	       process.choice[RLK_KIND_MUTEX].policy != policy_registry[0];
}

static struct recorder_config recorder_settings(uint32_t fast_mutexes, uint32_t fast_spin)
{
	const struct settings *s = &process.conf.settings;
	struct recorder_config c = {
		.record = s->record,
		.holds = s->holds == HOLDS_ALL       ? RECORD_HOLDS_ALL
			 : s->holds == HOLDS_SAMPLED ? RECORD_HOLDS_SAMPLED
						     : RECORD_HOLDS_OFF,
		.hold_sample = s->hold_sample,
		.stacks = s->stacks,
		.stack_depth = s->stack_depth,
		.max_memory = s->max_memory,
		.max_locks = s->max_locks,
		.deflate_threshold = s->deflate_threshold,
		.deflate_interval = s->deflate_interval,
		.tid = selfcheck_tid,
		.forked = cond_reset,
		.fast_mutexes = fast_mutexes,
		.fast_spin = fast_spin,
		.delegate_all = process.delegate_all,
		.output = recording_name,
		.program = program,
		.command = command,
		.host = host.nodename,
		.libc = libc_text,
		.kernel = kernel_text,
		.config = config_text,
		.run_id = s->run_id,
		.report = s->report_stderr,
		.probe_mutex = &mutex_probe,
		.probe_spin = &spin_probe,
	};

	for (unsigned kind = 0; kind < RLK_KINDS; kind++)
		c.policy[kind] = policy_text[kind];
	return c;
}

static uint32_t cpus_usable(uint32_t allowed, uint32_t quota_milli)
{
	uint32_t by_quota = (quota_milli + 999) / 1000;

	return quota_milli && by_quota < allowed ? by_quota : allowed;
}

static bool come_up(void)
{
	static struct conf_error
		error; /* what conf parses needs room; nothing of it is on the program's stack */
	struct recorder_config config;
	uint32_t fast_mutexes, fast_spin, quota;

	tell_open();
	if (!real_resolve()) {
		say("the lock functions of the C library were not found behind it (loaded late, or "
		    "not first?)");
		return false;
	}
	if (getauxval(AT_SECURE))
		return false;
	read_identity();
	if (!conf_load_process(&process.conf, base_name(program), environ, &error)) {
		say(error.message);
		return false;
	}
	if (!process.conf.settings.enabled)
		return false;
	arch_clock_init();
	confined_open();
	process.scheduler = syscall(SYS_sched_getscheduler, 0);
	process.delegate_all = !selfcheck(&fast_mutexes, &fast_spin);
	if (process.delegate_all)
		say("this C library's mutexes are laid out in a way that is not known");
	choose_policies();
	conf_format_all(&process.conf, config_text, sizeof(config_text));
	config = recorder_settings(fast_mutexes, fast_spin);
	config.rule = rules_begin(program);
	process.wrap_conditions = conditions_are_ours(&config);
	cpus_read(&config.cpus_present, &config.cpus_allowed, &quota);
	config.cpus_quota_milli = quota;
	process.cpus = cpus_usable(config.cpus_allowed, quota);
	if (!recorder_open(&config) && config.rule)
		rules_unknown_locks();
	return true;
}

static void before_fork(void)
{
	forking_stack.low = thread_self->stack_low;
	forking_stack.top = thread_self->stack_top;
	walks_before_fork();
}

static void in_child(void)
{
	struct thread *t;

	/* A child made by vfork() or by another's memory never comes here; one of fork() finds the
	 * token wiped. */
	recorder_child();
	t = hook_thread();
	if (t)
		thread_stack(t, forking_stack.low, forking_stack.top);
}

bool process_ready(void)
{
	int expected = DOWN, saved = errno;

	if (likely(atomic_load_explicit(&state, memory_order_acquire) >= UP))
		return atomic_load_explicit(&state, memory_order_relaxed) == UP;
	/* Whoever comes while another brings us up, or from within that, passes through to glibc.
	 */
	if (!atomic_compare_exchange_strong_explicit(
		    &state, &expected, COMING_UP, memory_order_acquire, memory_order_relaxed))
		return false;
	expected = come_up() ? UP : OFF;
	if (expected == UP)
		pthread_atfork(before_fork, walks_after_fork, in_child);
	/* Release pairs with the acquire above: who sees UP sees everything that was set up. */
	atomic_store_explicit(&state, expected, memory_order_release);
	errno = saved;
	return expected == UP;
}

/* `argv` lies above all frames of the main thread. */
static __attribute__((constructor)) void library_begin(int argc, char **argv)
{
	struct thread *t = process_ready() ? hook_thread() : NULL;

	(void)argc;
	if (t)
		thread_stack(t, (uint64_t)argv - MAIN_STACK_BYTES, (uint64_t)argv);
}

static __attribute__((destructor)) void library_end(void)
{
	if (atomic_load_explicit(&state, memory_order_acquire) == UP)
		recorder_close();
}

/* --- what programs may ask for */

HOOK void relock_urgent_begin(void)
{
	atomic_fetch_add_explicit(&process.urgent, 1, memory_order_relaxed);
}

HOOK void relock_urgent_end(void)
{
	atomic_fetch_sub_explicit(&process.urgent, 1, memory_order_relaxed);
}
