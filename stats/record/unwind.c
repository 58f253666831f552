#include "stats/record/unwind.h"

#include "policies/arch.h"
#include "stats/record/quiet.h"
#include "stats/record/recorder.h"
#include "stats/record/sites.h"
#include "stats/record/walks.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <libunwind.h>
#include <string.h>
#include <sys/single_threaded.h>
#include <sys/stat.h>
#include <unistd.h>

/* After unwinding for so long, a thread does not unwind again for so many times as long: at most 2
 * % of its time. The first few are free. */
#define UNWIND_PAUSE 50
#define UNWIND_FREE 16
#define OWN_FRAMES_MAX 12

#define TEXT(x) #x
#define NAME_OF(x) TEXT(x)
#define SYMBOL(x) NAME_OF(UNW_OBJ(x))

_Static_assert(sizeof(unw_cursor_t) <= sizeof(((struct thread *)0)->scratch),
	"the cursor fits the scratch");

static struct {
	unw_addr_space_t space;
	int (*init_remote)(unw_cursor_t *, unw_addr_space_t, void *);
	int (*step)(unw_cursor_t *);
	int (*get_reg)(unw_cursor_t *, int, unw_word_t *);
	int (*search_table)(
		unw_addr_space_t, unw_word_t, unw_dyn_info_t *, unw_proc_info_t *, int, void *);
} lib;

/*
 * Registers of the thread at the place where unwinding starts, and what may be read on the way: its
 * stack, and the object the last frame was found in, which stays as long as that frame. Where
 * unwind data are missing libunwind guesses; a guess may be an address of an object that is being
 * closed, so from then on only objects that are never closed are looked into.
 */
struct start {
	unw_word_t ip, sp;
	unw_word_t saved[32]; /* by libunwind's register number */
	uint32_t known;       /* bit per register */
	uint64_t low, top;
	struct found_object object;
	bool guessed;
};

/* --- accessors */

static int no_unwind_data(struct start *start)
{
	start->guessed = true;
	return -UNW_ENOINFO;
}

static int find_proc_info(
	unw_addr_space_t space, unw_word_t ip, unw_proc_info_t *out, int need_info, void *arg)
{
	/* .eh_frame_hdr as every linker writes it: version 1, a pointer, a count and a sorted table
	 * of 32-bit pairs. */
	struct header {
		uint8_t version, pointer_encoding, count_encoding, table_encoding;
		int32_t pointer;
		uint32_t count;
	};
	const struct header *header;
	struct start *start = arg;
	struct found_object object;
	unw_dyn_info_t info = {0};
	int result;

	if (!object_find(ip, &object) || !object.eh_frame_header ||
		(start->guessed && !object_is_permanent(&object)))
		return no_unwind_data(start);
	header = (const struct header *)object.eh_frame_header;
	if (header->version != 1 || header->pointer_encoding != 0x1b ||
		header->count_encoding != 0x03 || header->table_encoding != 0x3b)
		return no_unwind_data(start);
	start->object = object;
	info.start_ip = object.start;
	info.end_ip = object.end;
	info.format = UNW_INFO_FORMAT_REMOTE_TABLE;
	info.u.rti.segbase = object.eh_frame_header;
	info.u.rti.table_data = object.eh_frame_header + sizeof(*header);
	info.u.rti.table_len = header->count * 8 / sizeof(unw_word_t);
	result = lib.search_table(space, ip, &info, out, need_info, arg);
	return result < 0 ? no_unwind_data(start) : result;
}

static void put_unwind_info(unw_addr_space_t space, unw_proc_info_t *info, void *arg)
{
	(void)space, (void)info, (void)arg;
}

static int no_dyn_info(unw_addr_space_t space, unw_word_t *address, void *arg)
{
	(void)space, (void)address, (void)arg;
	return -UNW_ENOINFO;
}

/* Whether a word there is inside; the address may be anything. */
static bool word_is_in(uint64_t address, uint64_t low, uint64_t top)
{
	return address >= low && address < top && top - address >= sizeof(uint64_t);
}

static int access_mem(
	unw_addr_space_t space, unw_word_t address, unw_word_t *value, int write, void *arg)
{
	const struct start *start = arg;

	(void)space;
	if (write)
		return -UNW_EINVAL;
	if (!word_is_in(address, start->low, start->top) &&
		!word_is_in(address, start->object.start, start->object.end))
		return -UNW_EINVAL;
	memcpy(value, (const void *)address, sizeof(*value));
	return 0;
}

static int access_reg(
	unw_addr_space_t space, unw_regnum_t reg, unw_word_t *value, int write, void *arg)
{
	const struct start *start = arg;

	(void)space;
	if (write)
		return -UNW_EREADONLYREG;
	if (reg == UNW_REG_IP)
		*value = start->ip;
	else if (reg == UNW_REG_SP)
		*value = start->sp;
	else if (reg >= 0 && reg < 32 && (start->known >> reg & 1))
		*value = start->saved[reg];
	else
		return -UNW_EBADREG;
	return 0;
}

static int access_fpreg(
	unw_addr_space_t space, unw_regnum_t reg, unw_fpreg_t *value, int write, void *arg)
{
	(void)space, (void)reg, (void)value, (void)write, (void)arg;
	return -UNW_EBADREG;
}

static int no_resume(unw_addr_space_t space, unw_cursor_t *cursor, void *arg)
{
	(void)space, (void)cursor, (void)arg;
	return -UNW_EINVAL;
}

static int no_name(unw_addr_space_t space, unw_word_t ip, char *name, size_t size,
	unw_word_t *offset, void *arg)
{
	(void)space, (void)ip, (void)name, (void)size, (void)offset, (void)arg;
	return -UNW_ENOINFO;
}

static bool is_pipe(int fd)
{
	struct stat status;

	return fstat(fd, &status) == 0 && S_ISFIFO(status.st_mode);
}

/*
 * With its first cursor libunwind opens a pipe, by which it would test memory; our accessors leave
 * it no use for that. It is opened here, where the numbers it gets can be told, and closed: a
 * program that closes everything and uses the numbers again must not meet it, nor its bytes.
 */
static void first_cursor(void)
{
	struct start start = {0};
	unw_cursor_t cursor;
	int pipe[2];
	bool told = __libc_single_threaded && pipe2(pipe, O_CLOEXEC) == 0;

	if (told) {
		close(pipe[0]);
		close(pipe[1]);
	}
	lib.init_remote(&cursor, lib.space, &start);
	for (unsigned i = 0; told && i < 2; i++) {
		if (is_pipe(pipe[i]))
			close(pipe[i]);
	}
}

bool unwind_open(void)
{
	static unw_accessors_t accessors = {
		.find_proc_info = find_proc_info,
		.put_unwind_info = put_unwind_info,
		.get_dyn_info_list_addr = no_dyn_info,
		.access_mem = access_mem,
		.access_reg = access_reg,
		.access_fpreg = access_fpreg,
		.resume = no_resume,
		.get_proc_name = no_name,
	};
	unw_addr_space_t (*create)(unw_accessors_t *, int);
	void *handle = dlopen("libunwind-" NAME_OF(UNW_TARGET) ".so.8", RTLD_NOW | RTLD_LOCAL);

	if (!handle)
		return false;
	*(void **)&create = dlsym(handle, SYMBOL(create_addr_space));
	*(void **)&lib.init_remote = dlsym(handle, SYMBOL(init_remote));
	*(void **)&lib.step = dlsym(handle, SYMBOL(step));
	*(void **)&lib.get_reg = dlsym(handle, SYMBOL(get_reg));
	*(void **)&lib.search_table = dlsym(handle, SYMBOL(dwarf_search_unwind_table));
	if (!create || !lib.init_remote || !lib.step || !lib.get_reg || !lib.search_table)
		return false;
	lib.space = create(&accessors, 0);
	if (lib.space)
		first_cursor();
	return lib.space != NULL;
}

void unwind_reset(void)
{
	if (!walks_reset())
		lib.space = NULL;
}

/* --- walking */

#if defined(__x86_64__)
#define NOTE_REGISTER(start, number, name)                                                         \
	do {                                                                                       \
		__asm__("mov %%" name ", %0" : "=r"((start)->saved[number]));                      \
		(start)->known |= 1u << (number);                                                  \
	} while (0)

static inline __attribute__((always_inline)) void note_registers(struct start *start)
{
	NOTE_REGISTER(start, UNW_X86_64_RBX, "rbx");
	NOTE_REGISTER(start, UNW_X86_64_RBP, "rbp");
	NOTE_REGISTER(start, UNW_X86_64_R12, "r12");
	NOTE_REGISTER(start, UNW_X86_64_R13, "r13");
	NOTE_REGISTER(start, UNW_X86_64_R14, "r14");
	NOTE_REGISTER(start, UNW_X86_64_R15, "r15");
	__asm__("lea 0(%%rip), %0\n\tmov %%rsp, %1" : "=r"(start->ip), "=r"(start->sp));
}

/* A call leaves the return address right below where the caller's stack pointer is again
 * afterwards. */
static uint64_t return_address_at(uint64_t caller_sp)
{
	return caller_sp - sizeof(uint64_t);
}
#elif defined(__aarch64__)
static inline __attribute__((always_inline)) void note_registers(struct start *start)
{
	uint64_t r[12];

	__asm__("stp x19, x20, [%0]\n\tstp x21, x22, [%0, 16]\n\tstp x23, x24, [%0, 32]\n\t"
		"stp x25, x26, [%0, 48]\n\tstp x27, x28, [%0, 64]\n\tstp x29, x30, [%0, 80]"
		:
		: "r"(r)
		: "memory");
	for (unsigned i = 0; i < 12; i++)
		start->saved[19 + i] = r[i];
	start->known = 0xfffu << 19;
	__asm__("adr %0, .\n\tmov %1, sp" : "=r"(start->ip), "=r"(start->sp));
}

/* Wherever the callee saved its link register: not known here, so stacks are not remembered. */
static uint64_t return_address_at(uint64_t caller_sp)
{
	(void)caller_sp;
	return 0;
}
#endif

struct walk {
	uint64_t address[RLK_STACK_FRAMES];
	uint64_t at[RLK_STACK_FRAMES]; /* where on the stack `address` was found; 0 not known */
	uint32_t depth;
	bool truncated;
};

/* Steps over our own frames up to the hook's caller, then notes callers. */
static void walk_callers(unw_cursor_t *cursor, uint64_t site, struct walk *walk)
{
	unw_word_t ip = 0, sp = 0;
	unsigned own = 0;
	int more = 1;

	while (ip != site && own++ < OWN_FRAMES_MAX && (more = lib.step(cursor)) > 0)
		lib.get_reg(cursor, UNW_REG_IP, &ip);
	while (ip == site || walk->depth > 0) {
		if (walk->depth == recorder.stack_depth) {
			walk->truncated = true;
			return;
		}
		lib.get_reg(cursor, UNW_REG_SP, &sp);
		walk->address[walk->depth] = ip;
		walk->at[walk->depth++] = return_address_at(sp);
		more = lib.step(cursor);
		if (more <= 0 || lib.get_reg(cursor, UNW_REG_IP, &ip) || !ip)
			break;
	}
	walk->truncated = more < 0;
}

static __attribute__((noinline)) void walk_stack(struct thread *t, uint64_t site, struct walk *walk)
{
	struct start start = {.top = t->stack_top};
	unw_cursor_t *cursor = (unw_cursor_t *)t->scratch;
	struct quiet quiet;
	int saved = errno; /* libunwind's system calls may fail, and do */

	note_registers(&start);
	start.low = start.sp;
	/* libunwind has locks of its own. A handler must not run meanwhile: its locks would pass
	 * through as well, uncounted. */
	signals_block(&quiet);
	thread_self = &thread_passing;
	if (walk_begin()) {
		if (lib.init_remote(cursor, lib.space, &start) == 0)
			walk_callers(cursor, site, walk);
		walk_end();
	}
	thread_self = t;
	errno = saved;
	signals_restore(&quiet);
}

/* --- remembering */

static struct stack_memo *memo_of(struct thread *t, uint64_t site, uint64_t frame)
{
	return &t->memo[hash64(site ^ frame) >> 32 & (STACK_MEMOS - 1)];
}

static bool memo_holds(const struct stack_memo *memo, uint64_t site, uint64_t frame)
{
	if (memo->site != site || memo->frame != frame || !memo->context)
		return false;
	for (uint32_t i = 0; i < memo->depth; i++) {
		if (*(const uint64_t *)(frame + memo->at[i]) != memo->word[i])
			return false;
	}
	return true;
}

/* Only where all that would be compared is on the stack, which ends at `top`. */
static void memo_fill(struct stack_memo *memo, uint64_t site, uint64_t frame, uint64_t top,
	const struct walk *walk, uint32_t context)
{
	memo->site = 0;
	memo->depth = walk->depth;
	for (uint32_t i = 0; i < walk->depth; i++) {
		if (!word_is_in(walk->at[i], frame, top) || walk->at[i] - frame > UINT32_MAX)
			return;
		memo->at[i] = (uint32_t)(walk->at[i] - frame);
		memo->word[i] = walk->address[i];
	}
	memo->frame = frame;
	memo->context = context;
	memo->site = site;
}

/* Unwinds, unless this thread has just spent its share of time on it. */
static uint32_t stack_walk(struct thread *t, uint64_t site, uint64_t frame)
{
	struct walk walk = {.depth = 0};
	uint64_t begin = arch_ticks(), end;
	uint32_t context;

	if (t->unwound >= UNWIND_FREE && begin < t->unwind_after)
		return 0;
	t->unwound++;
	walk_stack(t, site, &walk);
	if (!walk.depth)
		return 0;
	context = context_of_stack(walk.address, walk.depth, walk.truncated);
	memo_fill(memo_of(t, site, frame), site, frame, t->stack_top, &walk, context);
	end = arch_ticks();
	t->unwind_after = end + (end - begin) * UNWIND_PAUSE;
	return context;
}

uint32_t stack_context(struct thread *t, uint64_t site, uint64_t frame)
{
	uint32_t context = 0;
	const struct stack_memo *memo = memo_of(t, site, frame);

	if (recorder.stacks && lib.space && frame > t->stack_low && frame < t->stack_top) {
		if (t->nesting++ == 0)
			context = memo_holds(memo, site, frame) ? memo->context
								: stack_walk(t, site, frame);
		t->nesting--;
	}
	return context ? context : context_of_site(site, OBJECT_STAYS);
}
