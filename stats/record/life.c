#include "stats/record/confined.h"
#include "stats/record/costs.h"
#include "stats/record/deflate.h"
#include "stats/record/holds.h"
#include "stats/record/overflow.h"
#include "stats/record/quiet.h"
#include "stats/record/recorder.h"
#include "stats/record/sites.h"
#include "stats/record/summary.h"
#include "stats/record/tell.h"
#include "stats/record/unwind.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define NAMES_TRIED 100
/* Bytes that a recording may still grow by when all memory is locked. */
#define PINNED_ROOM (16u << 20)

struct recorder recorder;
atomic_bool recorder_created;

static struct recorder_config config;
static uint32_t *process_token; /* in memory that a child finds wiped */
static char path[1100];         /* of the recording, once it was created */
static pid_t parent;
static atomic_bool calibrating;
static bool refused; /* the file could not be made: said once, not tried again */

/* --- header */

/* `ns` in ticks, as two calibrations tell. */
static uint64_t ticks_in(
	uint64_t ns, const struct rlk_calibration *from, const struct rlk_calibration *to)
{
	uint64_t elapsed = to->monotonic_ns - from->monotonic_ns;

	return elapsed ? (uint64_t)((unsigned __int128)ns * (to->ticks - from->ticks) / elapsed)
		       : ns;
}

static struct rlk_calibration calibration_now(void)
{
	return (struct rlk_calibration){arch_ticks(), arch_monotonic_ns()};
}

static uint64_t realtime_ns(void)
{
	struct timespec now;

	arch_clock_read(CLOCK_REALTIME, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static struct rlk_text header_text(const char *text)
{
	return text ? arena_text(text, strlen(text)) : (struct rlk_text){0, 0};
}

static void header_fill(void)
{
	struct rlk_header *h = arena_header;

	h->clock = arch_clock_init();
	h->start_realtime_ns = realtime_ns();
	h->start = h->latest[0] = calibration_now();
	h->pid = getpid();
	h->ppid = parent;
	h->cpus_present = config.cpus_present;
	h->cpus_allowed = config.cpus_allowed;
	h->cpus_quota_milli = config.cpus_quota_milli;
	h->holds = recorder.holds;
	h->hold_sample = recorder.hold_sample;
	h->delegate_all = config.delegate_all;
	h->fast_mutexes = config.fast_mutexes;
	h->fast_spin = config.fast_spin;
}

static void header_texts(void)
{
	struct rlk_header *h = arena_header;

	h->program = header_text(config.program);
	h->command = header_text(config.command);
	h->host = header_text(config.host);
	h->libc = header_text(config.libc);
	h->kernel = header_text(config.kernel);
	h->config = header_text(config.config);
	h->run_id = header_text(config.run_id);
	for (unsigned kind = 0; kind < RLK_KINDS; kind++)
		h->policy[kind] = header_text(config.policy[kind]);
}

/* --- coming up */

static bool token_open(void)
{
	if (!process_token) {
		process_token = private_memory_wiped(RLK_PAGE);
		if (!process_token)
			return false;
	}
	*process_token = 1;
	return true;
}

static bool tables_open(void)
{
	recorder.on = sites_open() && locks_open(config.max_locks, config.rule) && overflow_open();
	if (recorder.on)
		header_fill();
	return recorder.on;
}

bool recorder_open(const struct recorder_config *from)
{
	config = *from;
	parent = getppid();
	if (!config.record) {
		config.holds = RECORD_HOLDS_OFF;
		config.stacks = config.report = false;
	}
	recorder.stacks = config.stacks;
	recorder.stack_depth =
		config.stack_depth < RLK_STACK_FRAMES ? config.stack_depth : RLK_STACK_FRAMES;
	recorder.holds = config.holds;
	recorder.hold_sample = config.hold_sample ? config.hold_sample : 1;
	recorder.tid = config.tid;
	recorder.fast_mutexes = config.fast_mutexes;
	recorder.fast_spin = config.fast_spin;
	token_open();
	threads_open();
	deflate_open(config.deflate_threshold, config.deflate_interval);
	modules_open(config.program ? config.program : "");
	if (!config.record && !config.rule)
		return true;
	return arena_open(config.max_memory) && tables_open();
}

void recorder_load_unwinder(void)
{
	static bool tried;
	struct thread *self = thread_self;

	if (tried || !recorder.on || !recorder.stacks)
		return;
	tried = true;
	/* It opens pipes and asks for pages in core. */
	if (confined())
		return;
	/* Locks of libunwind's own are none of the program's. */
	thread_self = &thread_passing;
	unwind_open();
	thread_self = self;
}

static const char *reason(int error)
{
	switch (error) {
	case EFBIG:
		return "the limit on the size of files (ulimit -f) leaves it no room";
	case ENOMEM:
		return "there is too little memory, or the limit on address space (ulimit -v) is "
		       "too low";
	case EDQUOT:
		return "the disk quota there is used up";
	case ARENA_QUOTA:
		return "a disk quota of btrfs applies there, and would end the program if it were "
		       "used up; name a place elsewhere (-o, RELOCK_OUTPUT)";
	default:
		return strerrordesc_np(error);
	}
}

/* One line, for people: the program's own streams are otherwise left alone. */
static void say_refused(int error)
{
	static char line[1400]; /* said once; a thread's stack may be small */
	int length;

	if (!tell_first())
		return;
	length = snprintf(line, sizeof(line),
		"relock: cannot create the recording %s: %s; running unrecorded\n", path,
		reason(error));
	tell(line, (size_t)length < sizeof(line) ? (size_t)length : sizeof(line) - 1);
}

/* There was no memory for an arena, or less than one needs under the limits there are. */
static int no_arena(void)
{
	return config.output(0, path, sizeof(path)) ? arena_shortage : ENAMETOOLONG;
}

static int attach(void)
{
	int error = ENAMETOOLONG;

	header_texts();
	costs_measure(arena_header, config.probe_mutex, config.probe_spin);
	for (unsigned n = 0; n < NAMES_TRIED; n++) {
		if (!config.output(n, path, sizeof(path)))
			return ENAMETOOLONG;
		error = arena_attach(path);
		if (error != EEXIST)
			break;
	}
	return error;
}

void recorder_create(void)
{
	struct quiet quiet;
	int saved = errno, error = 0, cancellable;

	/* Acquire pairs with the release below; who sees it set has nothing to do here. */
	if (likely(atomic_load_explicit(&recorder_created, memory_order_acquire)) ||
		!config.record || refused)
		return;
	/* Making a file has points at which a thread is cancelled. */
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancellable);
	quiet_begin(&quiet);
	if (!atomic_load_explicit(&recorder_created, memory_order_relaxed) && !refused) {
		error = recorder.on ? attach() : no_arena();
		if (error)
			refused = true;
		else
			atomic_store_explicit(&recorder_created, true, memory_order_release);
	}
	quiet_end(&quiet);
	if (error)
		say_refused(error);
	pthread_setcancelstate(cancellable, NULL);
	errno = saved;
}

/* --- going on */

/* One thread at a time; another one leaves it at what that finds. */
static void calibrate(struct rlk_header *h)
{
	uint32_t next = !(load32(&h->latest_index) & 1);
	struct rlk_calibration now = calibration_now();

	store64(&h->latest[next].ticks, now.ticks);
	store64(&h->latest[next].monotonic_ns, now.monotonic_ns);
	store64(&recorder.calibrated, now.ticks);
	store64(&recorder.burst_gap, ticks_in(RLK_BURST_GAP_NS, &h->start, &now));
	store32_release(&h->latest_index, next);
}

void recorder_calibrate(void)
{
	if (!recorder.on || atomic_exchange_explicit(&calibrating, true, memory_order_acquire))
		return;
	calibrate(arena_header);
	/* Release pairs with the acquire above: who comes next finds the index as it is. */
	atomic_store_explicit(&calibrating, false, memory_order_release);
}

uint64_t recorder_ticks(uint64_t ns)
{
	const struct rlk_header *h = arena_header;
	const struct rlk_calibration *latest = &h->latest[load32_acquire(&h->latest_index) & 1];
	struct rlk_calibration to = {load64(&latest->ticks), load64(&latest->monotonic_ns)};

	return ticks_in(ns, &h->start, &to);
}

bool recorder_forked(void)
{
	return process_token && *process_token == 0;
}

void recorder_child(void)
{
	struct quiet quiet;
	int saved = errno;

	signals_block(&quiet);
	recorder.forks++;
	quiet_reset();
	unwind_reset();
	threads_reset();
	token_open();
	if (config.forked)
		config.forked();
	if (recorder.on) {
		struct carried *carried = locks_take();

		recorder.on = false;
		parent = arena_header->pid;
		atomic_store_explicit(&recorder_created, false, memory_order_relaxed);
		atomic_store_explicit(&calibrating, false, memory_order_relaxed);
		refused = false;
		locks_reset();
		sites_reset();
		modules_reset();
		if (arena_reset() && tables_open() && carried)
			locks_carry(carried);
	}
	signals_restore(&quiet);
	errno = saved;
}

/* A child of vfork() limits itself, on its parent's memory. */
static bool arena_is_ours(void)
{
	return recorder.on && !recorder_forked() && getpid() == arena_header->pid;
}

void recorder_limit(pid_t pid, uint64_t bytes)
{
	if (arena_is_ours() && (pid == 0 || pid == arena_header->pid))
		arena_limit(bytes / ARENA_SHARE);
}

void recorder_clock(void)
{
	int saved = errno;

	if (arena_is_ours()) {
		store32(&arena_header->clock, arch_clock_init());
		costs_measure_clock(arena_header);
	}
	errno = saved;
}

/* What was reserved would be memory then. */
void recorder_pin(void)
{
	if (arena_is_ours())
		arena_limit(load64(&arena_header->used) + PINNED_ROOM);
}

/* What a confined program may be killed for asking in two parts is all put down as its own. */
static void header_cpu_time(struct rlk_header *h)
{
	struct timespec all = {0};
	struct rusage use;

	if (confined()) {
		arch_clock_read(CLOCK_PROCESS_CPUTIME_ID, &all);
		h->cpu_user_ns = (uint64_t)all.tv_sec * 1000000000u + (uint64_t)all.tv_nsec;
		return;
	}
	getrusage(RUSAGE_SELF, &use);
	h->cpu_user_ns = (uint64_t)use.ru_utime.tv_sec * 1000000000u +
			 (uint64_t)use.ru_utime.tv_usec * 1000u;
	h->cpu_system_ns = (uint64_t)use.ru_stime.tv_sec * 1000000000u +
			   (uint64_t)use.ru_stime.tv_usec * 1000u;
}

void recorder_close(void)
{
	struct rlk_header *h = arena_header;

	if (!recorder.on || recorder_forked())
		return;
	thread_note_name(thread_self);
	if (thread_self->row)
		holds_flush(thread_self);
	header_cpu_time(h);
	h->finish = calibration_now();
	store32_release(&h->end, RLK_EXITED);
	if (config.report)
		summary_tell(arena_attached() ? path : NULL);
}
