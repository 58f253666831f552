#include "transcript.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

void case_begin(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vprintf(format, arguments);
	va_end(arguments);
	fflush(stdout);
}

void case_fact(const char *key, const char *format, ...)
{
	va_list arguments;

	printf(" %s=", key);
	va_start(arguments, format);
	vprintf(format, arguments);
	va_end(arguments);
}

void case_rc(const char *key, int rc)
{
	case_fact(key, "%s", errno_name(rc));
}

void case_end(void)
{
	putchar('\n');
	fflush(stdout);
}

const char *errno_name(int value)
{
	static char number[16];

	switch (value) {
	case 0:
		return "0";
	case EAGAIN:
		return "EAGAIN";
	case EBUSY:
		return "EBUSY";
	case EDEADLK:
		return "EDEADLK";
	case EINVAL:
		return "EINVAL";
	case ENOMEM:
		return "ENOMEM";
	case ENOTRECOVERABLE:
		return "ENOTRECOVERABLE";
	case ENOTSUP:
		return "ENOTSUP";
	case EOWNERDEAD:
		return "EOWNERDEAD";
	case EPERM:
		return "EPERM";
	case ESRCH:
		return "ESRCH";
	case ETIMEDOUT:
		return "ETIMEDOUT";
	default:
		snprintf(number, sizeof(number), "%d", value);
		return number;
	}
}
