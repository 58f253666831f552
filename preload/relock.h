/*
 * What a program may ask of relock when it runs under it. Every function is a weak symbol: without
 *the library it is NULL, and the macros below do nothing.
 *
 *	relock_urgent_begin();   // waiters stop spinning and yield instead
 *	…
 *	relock_urgent_end();
 *
 * Calls nest and may come from any thread. Neither returns anything, fails, or blocks.
 */
#ifndef RELOCK_H
#define RELOCK_H

#ifdef __cplusplus
extern "C" {
#endif

__attribute__((weak)) void relock_urgent_begin(void);
__attribute__((weak)) void relock_urgent_end(void);

#define RELOCK_URGENT_BEGIN() (relock_urgent_begin ? relock_urgent_begin() : (void)0)
#define RELOCK_URGENT_END() (relock_urgent_end ? relock_urgent_end() : (void)0)

#ifdef __cplusplus
}
#endif

#endif
