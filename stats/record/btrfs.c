#include "stats/record/btrfs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/btrfs.h>
#include <linux/btrfs_tree.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* What the kernel is asked, and what it answers: a program's stack may be small. */
static union {
	struct btrfs_ioctl_fs_info_args system;
	struct btrfs_ioctl_ino_lookup_args file;
	char names[4096];
} answer;

/* The quota groups of the file system, in sysfs, each a directory. -1: it is not btrfs, or has
 * none. */
static int open_groups(int fd)
{
	char path[96] = "/sys/fs/btrfs/";
	size_t at = strlen(path);

	memset(&answer.system, 0, sizeof(answer.system));
	if (ioctl(fd, BTRFS_IOC_FS_INFO, &answer.system) != 0)
		return -1;
	for (unsigned i = 0; i < BTRFS_FSID_SIZE; i++) {
		if (i == 4 || i == 6 || i == 8 || i == 10)
			path[at++] = '-';
		at += (size_t)sprintf(path + at, "%02x", answer.system.fsid[i]);
	}
	strcpy(path + at, "/qgroups");
	return open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

static bool group_limits(int groups, const char *name)
{
	char path[NAME_MAX + 16], flags[32] = "";
	int fd;

	snprintf(path, sizeof(path), "%s/limit_flags", name);
	fd = openat(groups, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	if (read(fd, flags, sizeof(flags) - 1) < 0)
		flags[0] = '\0';
	close(fd);
	return strtoull(flags, NULL, 0) != 0;
}

/* A subvolume's group is 0_NUMBER. It may belong to others of a higher level, which nobody but root
 * is told: each of those is taken for one of them. */
static bool any_limits(int groups, const char *own)
{
	const struct dirent64 *entry;
	long length;

	while ((length = syscall(SYS_getdents64, groups, answer.names, sizeof(answer.names))) > 0) {
		for (long at = 0; at < length; at += entry->d_reclen) {
			entry = (const struct dirent64 *)(answer.names + at);
			if ((strcmp(entry->d_name, own) == 0 ||
				    (entry->d_name[0] >= '1' && entry->d_name[0] <= '9')) &&
				group_limits(groups, entry->d_name))
				return true;
		}
	}
	return false;
}

static bool subvolume_limits(int fd, int groups)
{
	char own[32];

	/* This much of the question anybody may ask. */
	memset(&answer.file, 0, sizeof(answer.file));
	answer.file.objectid = BTRFS_FIRST_FREE_OBJECTID;
	if (ioctl(fd, BTRFS_IOC_INO_LOOKUP, &answer.file) != 0)
		return false;
	snprintf(own, sizeof(own), "0_%llu", (unsigned long long)answer.file.treeid);
	return any_limits(groups, own);
}

bool btrfs_limits(int fd)
{
	int saved = errno, groups = open_groups(fd);
	bool limits = groups >= 0 && subvolume_limits(fd, groups);

	if (groups >= 0)
		close(groups);
	errno = saved;
	return limits;
}
