#include "stats/record/arena.h"

#include "policies/arch.h"
#include "stats/record/btrfs.h"
#include "stats/record/confined.h"
#include "stats/record/quiet.h"
#include "stats/record/shared.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif
#ifndef MADV_WIPEONFORK
#define MADV_WIPEONFORK 18
#endif

#define ARENA_MIN (1u << 20)
#define FULL_PAUSE 50

struct rlk_header *arena_header;
int arena_shortage = ENOMEM;

/* Bytes that are made sure of beyond what was asked for, at most. */
#define AHEAD_MOST (64u << 10)
/* Bytes of a recording before it is worth huge pages. */
#define HUGE_FROM (8u << 20)

static bool attached;
static uint64_t populated; /* pages of the arena that exist: first << 32 | end */
static atomic_bool failed;
static uint64_t ask_after; /* ticks: no pages are asked for before */
static uint32_t starts;    /* of a recording, in this process and those it was forked from */
static uint64_t newest;    /* offset of the block that was made last; 0: none */
static struct rlk_block *text_block; /* the last block of texts, and how much of it is taken */
static uint32_t text_used;

static uint64_t round_up(uint64_t bytes)
{
	return (bytes + RLK_PAGE - 1) & ~(uint64_t)(RLK_PAGE - 1);
}

/* The program may live under limits of address space or file size; take no more than a share of the
 * one, and stay below the other, since going over it would raise SIGXFSZ. */
static uint64_t within_limits(uint64_t bytes)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
		bytes > limit.rlim_cur / ARENA_SHARE)
		bytes = limit.rlim_cur / ARENA_SHARE;
	if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
		bytes > limit.rlim_cur) {
		bytes = limit.rlim_cur;
		arena_shortage = EFBIG;
	}
	return bytes & ~(uint64_t)(RLK_PAGE - 1);
}

static void header_start(uint64_t bytes)
{
	newest = populated = 0;
	starts++;
	failed = false;
	ask_after = 0;
	arena_header->capacity = bytes;
	arena_header->used = RLK_PAGE;
	arena_header->version = RLK_VERSION;
	arena_header->byte_order = RLK_BYTE_ORDER;
	arena_header->word_bits = 64;
	memcpy(arena_header->magic, RLK_MAGIC, sizeof(arena_header->magic));
}

bool arena_open(uint64_t bytes)
{
	for (bytes = within_limits(round_up(bytes)); bytes >= ARENA_MIN;
		bytes = (bytes / 4) & ~(uint64_t)(RLK_PAGE - 1)) {
		void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

		if (at == MAP_FAILED)
			continue;
		/* A huge page for a few counters would charge the program 2 MiB a thread. */
		madvise(at, bytes, MADV_NOHUGEPAGE);
		arena_header = at;
		header_start(bytes);
		return true;
	}
	return false;
}

bool arena_attached(void)
{
	return attached;
}

static int write_whole(int fd, const char *from, uint64_t length)
{
	while (length > 0) {
		ssize_t n = write(fd, from, length > (1u << 30) ? (1u << 30) : length);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? errno : ENOSPC;
		from += n;
		length -= (uint64_t)n;
	}
	return 0;
}

/*
 * How the file is to be paged in. It is all holes, so that nothing is gained by reading ahead as
 * much as its disk is said to like: 8 MiB of zeros held up the first thread for 100 ms. Where it is
 * big, by the page that the processor likes.
 */
static void advise(void)
{
	uint64_t capacity = arena_header->capacity;

	madvise(arena_header, capacity, MADV_RANDOM);
	if (capacity > HUGE_FROM)
		madvise((char *)arena_header + HUGE_FROM, capacity - HUGE_FROM, MADV_HUGEPAGE);
}

/* What a full disk, a quota, a limit or a file system without shared mappings would do to us later,
 * it does here, while the private memory is as it was. Common system calls only: a program may have
 * confined itself by now. Signals are blocked. */
static int fill_file(int fd)
{
	uint64_t capacity = arena_header->capacity;
	int error;
	void *page;

	/* Its last byte makes the file as long as it may become. */
	if (lseek(fd, (off_t)capacity - 1, SEEK_SET) < 0 || write(fd, "", 1) != 1 ||
		lseek(fd, 0, SEEK_SET) != 0) {
		error = errno;
		signal_take(error == EFBIG ? SIGXFSZ : 0);
		return error;
	}
	error = write_whole(fd, (const char *)arena_header, load64(&arena_header->used));
	if (error)
		return error;
	page = mmap(NULL, RLK_PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (page == MAP_FAILED)
		return errno;
	munmap(page, RLK_PAGE);
	if (mmap(arena_header, capacity, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0) ==
		MAP_FAILED)
		return errno;
	advise();
	return 0;
}

/*
 * A file system that copies what it writes (btrfs) needs room for a page each time it is written to
 * again, and where there is none that is SIGBUS. It can be told to write in place, while the file
 * is empty; the others do so, or do not know the flag.
 */
static void write_in_place(int fd)
{
	int flags;

	if (!confined() && ioctl(fd, FS_IOC_GETFLAGS, &flags) == 0) {
		flags |= FS_NOCOW_FL;
		ioctl(fd, FS_IOC_SETFLAGS, &flags);
	}
}

int arena_attach(const char *path)
{
	int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	int error;

	if (fd < 0)
		return errno;
	write_in_place(fd);
	error = !confined() && btrfs_limits(fd) ? ARENA_QUOTA : fill_file(fd);
	close(fd);
	if (error)
		unlink(path);
	attached = error == 0;
	return error;
}

bool arena_reset(void)
{
	uint64_t capacity = arena_header->capacity;
	void *at = mmap(arena_header, capacity, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);

	attached = false;
	text_block = NULL;
	if (at == MAP_FAILED)
		return false;
	madvise(at, capacity, MADV_NOHUGEPAGE);
	header_start(capacity);
	return true;
}

static bool populate(const void *at, size_t length)
{
	uintptr_t first = (uintptr_t)at & ~(uintptr_t)(RLK_PAGE - 1);
	uintptr_t end = round_up((uintptr_t)at + length);
	int saved = errno;
	bool ok;

	/* Only a file can be out of room. Kernels before 5.14 do not know the advice and answer
	 * EINVAL: go on as they are. */
	ok = !attached || madvise((void *)first, end - first, MADV_POPULATE_WRITE) == 0 ||
	     errno == EINVAL;
	errno = saved;
	return ok;
}

/* A full disk may take milliseconds to say so: it is asked again after many times as long. */
bool arena_touch(const void *at, size_t length)
{
	uint64_t begin = arch_ticks(), now;

	if (begin < load64(&ask_after))
		return false;
	if (populate(at, length))
		return true;
	atomic_store_explicit(&failed, true, memory_order_relaxed);
	now = arch_ticks();
	store64(&ask_after, now + (now - begin) * FULL_PAUSE);
	return false;
}

/* The pages of a new block, and some of those behind it, the more the bigger the recording is:
 * blocks follow each other, and where threads are born in a crowd each begins with one of a page.
 */
static bool block_populate(const struct rlk_block *block, uint64_t bytes)
{
	uint64_t offset = (uint64_t)((const char *)block - (const char *)arena_header);
	uint64_t first = offset / RLK_PAGE, end = first + bytes / RLK_PAGE;
	uint64_t known = load64(&populated), more = load64(&arena_header->used) / 8;

	if (!attached || (first >= known >> 32 && end <= (uint32_t)known))
		return true;
	more = more < AHEAD_MOST ? more / RLK_PAGE : AHEAD_MOST / RLK_PAGE;
	if (arena_failed() || (end + more) * RLK_PAGE > load64(&arena_header->capacity) ||
		!populate(block, bytes + more * RLK_PAGE))
		return arena_touch(block, bytes);
	store64(&populated, first << 32 | (end + more));
	return true;
}

/* The last of it is for what tells classes apart: what is counted for each lock must not take all
 * there is. */
static uint64_t most_for(enum rlk_block_type type)
{
	uint64_t capacity = load64(&arena_header->capacity);

	switch (type) {
	case RLK_ENTRIES:
	case RLK_CELLS:
	case RLK_PAIRS:
	case RLK_RECORDS:
	case RLK_STACKS:
		return capacity - capacity / 16;
	default:
		return capacity;
	}
}

static bool has_room(enum rlk_block_type type, uint64_t used, uint64_t bytes)
{
	uint64_t most = most_for(type);

	return used <= most && bytes <= most - used;
}

static uint64_t take_bytes(enum rlk_block_type type, uint64_t bytes)
{
	uint64_t used = load64(&arena_header->used);

	do {
		if (!has_room(type, used, bytes))
			return 0;
		/* Acquire pairs with the release in arena_limit(), which puts back what it found.
		 */
	} while (!atomic_compare_exchange_weak_explicit((_Atomic uint64_t *)&arena_header->used,
		&used, used + bytes, memory_order_acquire, memory_order_relaxed));
	return has_room(type, used, bytes) ? used : 0;
}

void arena_limit(uint64_t bytes)
{
	uint64_t capacity = load64(&arena_header->capacity), used = load64(&arena_header->used),
		 keep;
	int saved = errno;

	bytes = round_up(bytes);
	/* All that is left is taken, so that nobody is given it meanwhile. */
	do {
		keep = bytes > used + ARENA_MIN ? bytes : used + ARENA_MIN;
		if (keep >= capacity)
			return;
	} while (!atomic_compare_exchange_weak_explicit((_Atomic uint64_t *)&arena_header->used,
		&used, capacity, memory_order_relaxed, memory_order_relaxed));
	store64(&arena_header->capacity, keep);
	munmap((char *)arena_header + keep, capacity - keep);
	store64_release(&arena_header->used, used);
	errno = saved;
}

struct rlk_block *arena_block(enum rlk_block_type type, size_t row_size, uint32_t rows,
	uint32_t first, uint32_t shard, bool whole)
{
	uint64_t bytes = round_up(sizeof(struct rlk_block) + (uint64_t)row_size * rows);
	uint32_t start = load32(&starts);
	uint64_t offset = arena_header ? take_bytes(type, bytes) : 0;
	struct rlk_block *block;

	if (!offset)
		return NULL;
	block = (struct rlk_block *)((char *)arena_header + offset);
	/* A block that could not be populated stays a hole, which readers step over. */
	if (!(whole ? block_populate(block, bytes) : arena_touch(block, sizeof(*block))))
		return NULL;
	/* A handler forked meanwhile, and this is the child: it has not got these bytes. */
	if (load32(&starts) != start)
		return NULL;
	block->type = (uint16_t)type;
	block->row_size = (uint16_t)row_size;
	block->self = offset;
	block->bytes = bytes;
	block->capacity = (uint32_t)((bytes - sizeof(*block)) / row_size);
	block->first = first;
	block->shard = shard;
	store32_release(&block->magic, RLK_BLOCK_MAGIC);
	/* Release pairs with the acquire in arena_next(). */
	do {
		block->previous = load64(&newest);
	} while (!cas64(&newest, block->previous, offset));
	return block;
}

struct rlk_block *arena_next(const struct rlk_block *after)
{
	uint64_t at = after ? after->previous : load64_acquire(&newest);

	return at ? (struct rlk_block *)((char *)arena_header + at) : NULL;
}

bool arena_failed(void)
{
	return atomic_load_explicit(&failed, memory_order_relaxed);
}

struct rlk_text arena_text(const char *text, size_t length)
{
	struct rlk_text none = {0, 0};
	char *to;

	if (!arena_header)
		return none;
	if (!text_block || text_used + length + 1 > text_block->capacity) {
		text_block = arena_block(RLK_STRINGS, 1,
			(uint32_t)(length + 1 > 3000 ? length + 1 : 3000), 0, 0, true);
		text_used = 0;
	}
	if (!text_block)
		return none;
	to = (char *)block_rows(text_block) + text_used;
	memcpy(to, text, length);
	to[length] = '\0';
	text_used += (uint32_t)length + 1;
	return (struct rlk_text){(uint64_t)(to - (char *)arena_header), length};
}

void *private_memory(size_t bytes)
{
	int saved = errno;
	void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	errno = saved;
	return at == MAP_FAILED ? NULL : at;
}

void *private_memory_wiped(size_t bytes)
{
	int saved = errno;
	void *at = private_memory(bytes);

	if (at)
		madvise(at, bytes, MADV_WIPEONFORK);
	errno = saved;
	return at;
}
