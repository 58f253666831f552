/*
 * A short report from inside the program, at its end, for where the relock command is not at hand
 * (RELOCK_REPORT=stderr).
 *
 * Contract: called once, by the thread that ends the process, while others may still run; reads the
 * recording as any reader would, block by block, and tells it (tell.h). Addresses stay
 * module+offset: names are the command's work.
 */
#ifndef RELOCK_STATS_RECORD_SUMMARY_H
#define RELOCK_STATS_RECORD_SUMMARY_H

/* `recording`: path of the file to name for more, or NULL. */
void summary_tell(const char *recording);

#endif
