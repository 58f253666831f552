#include "preload/hooks.h"

#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool read_file(const char *path, char *out, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, out, size - 1);

	if (fd >= 0)
		close(fd);
	out[n > 0 ? n : 0] = '\0';
	return n > 0;
}

/* A kernel may have more CPUs than a fixed set holds: the mask grows until the call takes it. */
static uint32_t affinity_count(void)
{
	static unsigned long mask[1024];

	if (sched_getaffinity(0, sizeof(mask), (cpu_set_t *)mask))
		return 1;
	return (uint32_t)CPU_COUNT_S(sizeof(mask), (cpu_set_t *)mask);
}

static uint32_t quota_of(long long quota, long long period)
{
	return quota > 0 && period > 0 ? (uint32_t)(quota * 1000 / period) : 0;
}

static uint32_t smaller_quota(uint32_t a, uint32_t b)
{
	return !a || (b && b < a) ? b : a;
}

/* Whether `controller` is one of the names up to the colon, which commas separate. */
static bool is_named(const char *names, const char *controller)
{
	size_t length = strlen(controller);

	for (;;) {
		size_t n = strcspn(names, ",:");

		if (n == length && memcmp(names, controller, n) == 0)
			return true;
		if (names[n] != ',')
			return false;
		names += n + 1;
	}
}

/* The path of this process in the hierarchy that has `controller` ("" in version 2), or "/". */
static void cgroup_path(const char *text, const char *controller, char *out, size_t size)
{
	snprintf(out, size, "/");
	for (const char *line = text; line && *line;
		line = strchr(line, '\n'), line += line != NULL) {
		const char *names = strchr(line, ':'),
			   *path = names ? strchr(names + 1, ':') : NULL;

		if (!path)
			return;
		if (!is_named(names + 1, controller))
			continue;
		snprintf(out, size, "%.*s", (int)strcspn(path + 1, "\n"), path + 1);
		return;
	}
}

/* Names are kept off the stack, which may be small: one thread comes here, once. */
static bool read_in(const char *directory, const char *name, char *out, size_t size)
{
	static char file[700];

	snprintf(file, sizeof(file), "%s/%s", directory, name);
	return read_file(file, out, size);
}

/* "QUOTA PERIOD", or "max PERIOD": no limit. */
static uint32_t level_v2(const char *directory)
{
	char text[64];
	long long max, period;

	return read_in(directory, "cpu.max", text, sizeof(text)) &&
			       sscanf(text, "%lld %lld", &max, &period) == 2
		       ? quota_of(max, period)
		       : 0;
}

static long long number_in(const char *directory, const char *name)
{
	char text[64];

	return read_in(directory, name, text, sizeof(text)) ? atoll(text) : 0;
}

/* The quota is -1 where there is no limit. */
static uint32_t level_v1(const char *directory)
{
	return quota_of(number_in(directory, "cpu.cfs_quota_us"),
		number_in(directory, "cpu.cfs_period_us"));
}

/* Each level may limit, from this process's group up to the root: the tightest counts. In a
 * container that does not see its own path, the root is its group. */
static uint32_t tightest(const char *mount, char *path, uint32_t (*level)(const char *directory))
{
	static char directory[600];
	char *end;
	uint32_t quota = 0;

	for (;;) {
		snprintf(
			directory, sizeof(directory), "%s%s", mount, strcmp(path, "/") ? path : "");
		quota = smaller_quota(quota, level(directory));
		end = strrchr(path, '/');
		if (!end || !path[1])
			return quota;
		end[end == path] = '\0';
	}
}

void cpus_read(uint32_t *present, uint32_t *allowed, uint32_t *quota_milli)
{
	static char text[4096], path[512];
	long online = sysconf(_SC_NPROCESSORS_ONLN);

	*present = online > 0 ? (uint32_t)online : 1;
	*allowed = affinity_count();
	/* Without /proc the groups that can be seen are those at the root. */
	read_file("/proc/self/cgroup", text, sizeof(text));
	cgroup_path(text, "", path, sizeof(path));
	*quota_milli = tightest("/sys/fs/cgroup", path, level_v2);
	cgroup_path(text, "cpu", path, sizeof(path));
	*quota_milli = smaller_quota(*quota_milli, tightest("/sys/fs/cgroup/cpu", path, level_v1));
}
