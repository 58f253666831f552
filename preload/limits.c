/*
 * Limits that a program sets on itself, memory that it locks, and the processor's counter, which it
 * may forbid itself: reading that would end it from then on. The recording reserves address
 * space that it may never need: under a limit on that, the program's own memory and the stacks of
 * its threads come first.
 *
 * The system call is made here, as glibc makes it: a sanitizer's runtime sets limits before
 * anything can be looked up, ours included.
 */
#include "preload/hooks.h"

#include <stdarg.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>

_Static_assert(sizeof(struct rlimit) == sizeof(struct rlimit64), "one limit for both names");

static int limit(pid_t pid, unsigned resource, const struct rlimit *limits, struct rlimit *before)
{
	int result = (int)syscall(SYS_prlimit64, pid, resource, limits, before);

	/* Private memory is data, too, and the recording begins as such. */
	if (result == 0 && (resource == RLIMIT_AS || resource == RLIMIT_DATA) && limits &&
		limits->rlim_cur != RLIM_INFINITY)
		recorder_limit(pid, limits->rlim_cur);
	return result;
}

HOOK int mlockall(int flags)
{
	/* Locked page by page as they are used, they cost nothing before. */
	if (!(flags & MCL_ONFAULT))
		recorder_pin();
	return (int)syscall(SYS_mlockall, flags);
}

HOOK int prctl(int option, ...)
{
	unsigned long argument[4];
	va_list arguments;

	va_start(arguments, option);
	for (unsigned i = 0; i < 4; i++)
		argument[i] = va_arg(arguments, unsigned long);
	va_end(arguments);
	if (option == PR_SET_TSC && argument[0] == PR_TSC_SIGSEGV && arch_clock_forbid())
		recorder_clock();
	return (int)syscall(SYS_prctl, option, argument[0], argument[1], argument[2], argument[3]);
}

HOOK int setrlimit(__rlimit_resource_t resource, const struct rlimit *limits)
{
	return limit(0, resource, limits, NULL);
}

HOOK int setrlimit64(__rlimit_resource_t resource, const struct rlimit64 *limits)
{
	return limit(0, resource, (const struct rlimit *)limits, NULL);
}

HOOK int prlimit(
	pid_t pid, __rlimit_resource_t resource, const struct rlimit *limits, struct rlimit *before)
{
	return limit(pid, resource, limits, before);
}

HOOK int prlimit64(pid_t pid, __rlimit_resource_t resource, const struct rlimit64 *limits,
	struct rlimit64 *before)
{
	return limit(pid, resource, (const struct rlimit *)limits, (struct rlimit *)before);
}
