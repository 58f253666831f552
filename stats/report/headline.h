/*
 * Headlines: the frame of a context that says who waited.
 *
 * Programs wrap pthread_mutex_lock in Mutex::Lock(), lock_guard and the like, so the innermost
 * frame says nothing. The headline is the first frame that is not made of the words of locking
 * alone.
 */
#ifndef RELOCK_STATS_REPORT_HEADLINE_H
#define RELOCK_STATS_REPORT_HEADLINE_H

#include "stats/report/symbols.h"

/*
 * Whether a name, as shortened by name_shorten(), is lock vocabulary: its last part, or its class,
 * consists only of words of the table in headline.c, one of which must mean locking.
 * "pthread_mutex_lock", "port::Mutex::Mutex", "std::lock_guard::lock_guard", "CondVar::Wait" are;
 * "LockTable::insert", "Block::Read", "ThreadPool::wait" are not.
 */
bool headline_is_wrapper(const char *brief);

/* The headline frame of a context; NULL when nothing is known of it. When all frames are wrappers:
 * the outermost, and *wrapper is true. `wrapper` may be NULL. */
const struct frame *headline_frame(
	struct symbols *symbols, const struct model *model, uint32_t context, bool *wrapper);

/* "DBImpl::Write (db_impl.cc:1204)", "libfoo.so+0x123", for free(). */
char *headline_text(const struct frame *frame);

/* Calls `visit` for every frame of a context, innermost first, until it returns false. */
void headline_each_frame(struct symbols *symbols, const struct model *model, uint32_t context,
	bool (*visit)(void *data, const struct frame *frame, uint32_t site), void *data);

#endif
