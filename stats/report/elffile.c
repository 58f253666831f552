#include "stats/report/elffile.h"

#include "stats/report/memory.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define TO_READ (O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)

/* Opens what `place`, a descriptor that cannot be read from, stands for. Without /proc by its path
 * once more; not what has taken its place since. */
static int open_again(int place, const char *path, const struct stat *is)
{
	char link[64];
	struct stat st;
	int fd;

	snprintf(link, sizeof link, "/proc/self/fd/%d", place);
	fd = open(link, TO_READ);
	if (fd >= 0 || errno != ENOENT)
		return fd;
	fd = open(path, TO_READ);
	if (fd >= 0 && (fstat(fd, &st) || st.st_dev != is->st_dev || st.st_ino != is->st_ino)) {
		close(fd);
		fd = -1;
	}
	return fd;
}

/* Other kinds are not left to elfutils: it would take a library apart, or unpack a compressed file
 * into memory. */
static enum module_state content_state(int fd, uint64_t size)
{
	char magic[SELFMAG];

	if (size > SYMBOLIZER_FILE_MAX)
		return MODULE_TOO_LARGE;
	if (pread(fd, magic, sizeof magic, 0) != (ssize_t)sizeof magic ||
		memcmp(magic, ELFMAG, SELFMAG) != 0)
		return MODULE_NOT_ELF;
	return MODULE_USABLE;
}

enum module_state elffile_open(const char *path, int *fd)
{
	int place = open(path, O_PATH | O_CLOEXEC);
	enum module_state state = MODULE_UNREADABLE;
	struct stat st;

	*fd = -1;
	if (place < 0)
		return state;
	if (fstat(place, &st) == 0) {
		if (S_ISREG(st.st_mode))
			*fd = open_again(place, path, &st);
		else
			state = MODULE_NOT_REGULAR;
	}
	close(place);
	if (*fd < 0)
		return state;
	state = content_state(*fd, (uint64_t)st.st_size);
	if (state != MODULE_USABLE) {
		close(*fd);
		*fd = -1;
	}
	return state;
}

static bool is_odd(const char *directory, int length, const char *between, const char *name)
{
	char *path = memory_format("%.*s%s%s", length, directory, between, name);
	struct stat st;
	bool odd = stat(path, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode);

	free(path);
	return odd;
}

bool elffile_link_is_odd(const char *file, const char *link)
{
	const char *slash = file ? strrchr(file, '/') : NULL;
	int length = slash ? (int)(slash + 1 - file) : 0;
	char *made_up = NULL;
	bool odd;

	if (!link)
		link = made_up = memory_format("%s.debug", slash ? slash + 1 : file ? file : "");
	odd = is_odd("", 0, "", link) || is_odd(file, length, "", link) ||
	      is_odd(file, length, ".debug/", link);
	free(made_up);
	return odd;
}
