/* Adding to a recording how its process ended. */
#include "stats/format.h"
#include "stats/report/report.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

static uint64_t timeval_ns(const struct timeval *t)
{
	return (uint64_t)t->tv_sec * 1000000000u + (uint64_t)t->tv_usec * 1000u;
}

static bool header_is_ours(int fd, struct rlk_header *h)
{
	return pread(fd, h, sizeof *h, 0) == (ssize_t)sizeof *h &&
	       memcmp(h->magic, RLK_MAGIC, sizeof h->magic) == 0 && h->version == RLK_VERSION &&
	       h->byte_order == RLK_BYTE_ORDER;
}

#define FIELD_RANGE(from, to)                                                                      \
	offsetof(struct rlk_header, from), offsetof(struct rlk_header, to) -                       \
						   offsetof(struct rlk_header, from) +             \
						   sizeof((struct rlk_header *)0)->to

/* Writes the header's fields from `offset`, no other: the rest may be in use. */
static bool write_fields(int fd, const struct rlk_header *h, size_t offset, size_t length)
{
	ssize_t written = pwrite(fd, (const char *)h + offset, length, (off_t)offset);

	if (written >= 0 && (size_t)written < length)
		errno = EIO;
	return written == (ssize_t)length;
}

bool report_note_run(const char *path, int status, const struct rusage *usage, uint64_t wall_ns)
{
	int fd = open(path, O_RDWR | O_CLOEXEC | O_NOCTTY | O_NONBLOCK), saved;
	struct rlk_header h;
	bool done;

	if (fd < 0)
		return false;
	if (!header_is_ours(fd, &h)) {
		close(fd);
		errno = EINVAL;
		return false;
	}
	h.run_valid = 1;
	h.run_status = status;
	h.run_wall_ns = wall_ns;
	h.run_user_ns = timeval_ns(&usage->ru_utime);
	h.run_system_ns = timeval_ns(&usage->ru_stime);
	h.run_max_rss_kib = (uint64_t)usage->ru_maxrss;
	/* The fields first, then that they count. */
	done = write_fields(fd, &h, FIELD_RANGE(run_status, run_max_rss_kib)) &&
	       write_fields(fd, &h, FIELD_RANGE(run_valid, run_valid));
	saved = errno;
	close(fd);
	errno = saved;
	return done;
}
