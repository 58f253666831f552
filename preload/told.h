/*
 * What ThreadSanitizer has to be told, where the library is built with it (tests/races): its
 * runtime sees locks in the calls of the C library that it intercepts, and those that our own first
 * try takes it would see released only.
 */
#ifndef RELOCK_PRELOAD_TOLD_H
#define RELOCK_PRELOAD_TOLD_H

/* This thread has taken `lock`. Said last: what is done with the lock before is ordered by the try
 * alone, and so shows whether that has the order it needs. */
#if defined(__SANITIZE_THREAD__)
void told_taken(void *lock) __attribute__((visibility("hidden")));
#else
static inline void told_taken(void *lock)
{
	(void)lock;
}
#endif

#endif
