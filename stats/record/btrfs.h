/*
 * Disk quotas of btrfs. Where one is used up, not even a page that was written before may be
 * written again once it has been to the disk: to a mapped file that is SIGBUS, which would be the
 * end of the program.
 *
 * Contract: one thread at a time. Makes system calls that a confined program may not make.
 */
#ifndef RELOCK_STATS_RECORD_BTRFS_H
#define RELOCK_STATS_RECORD_BTRFS_H

#include <stdbool.h>

/* Whether a quota limits the file. False where that cannot be found out, and for the file systems
 * whose quotas are asked for new pages only. */
bool btrfs_limits(int fd);

#endif
