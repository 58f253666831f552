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

/* The path of this process in the hierarchy that has `controller` ("" in version 2), or "/". */
static void cgroup_path(const char *text, const char *controller, char *out, size_t size)
{
	snprintf(out, size, "/");
	for (const char *line = text; line && *line;
		line = strchr(line, '\n'), line += line != NULL) {
		const char *names = strchr(line, ':'),
			   *path = names ? strchr(names + 1, ':') : NULL;
		size_t length = strlen(controller);

		if (!path)
			return;
		if (length ? !memmem(names, (size_t)(path - names), controller, length)
			   : path != names + 1)
			continue;
		snprintf(out, size, "%.*s", (int)strcspn(path + 1, "\n"), path + 1);
		return;
	}
}

/* Each level may limit: the tightest counts. */
static uint32_t quota_v2(char *path)
{
	char file[700], text[64], *end;
	uint32_t quota = 0;

	for (;;) {
		long long max, period;

		snprintf(file, sizeof(file), "/sys/fs/cgroup%s/cpu.max",
			strcmp(path, "/") ? path : "");
		if (read_file(file, text, sizeof(text)) &&
			sscanf(text, "%lld %lld", &max, &period) == 2)
			quota = smaller_quota(quota, quota_of(max, period));
		end = strrchr(path, '/');
		if (!end || !path[1])
			return quota;
		end[end == path] = '\0';
	}
}

/* A number of version 1's cpu controller: of this process's group, or, in a container that does not
 * see its own path, of the root. 0: there is none. */
static long long cpu_number(const char *path, const char *name)
{
	char file[700], text[64];

	snprintf(file, sizeof(file), "/sys/fs/cgroup/cpu%s/%s", path, name);
	if (!read_file(file, text, sizeof(text))) {
		snprintf(file, sizeof(file), "/sys/fs/cgroup/cpu/%s", name);
		read_file(file, text, sizeof(text));
	}
	return atoll(text);
}

static uint32_t quota_v1(const char *path)
{
	return quota_of(
		cpu_number(path, "cpu.cfs_quota_us"), cpu_number(path, "cpu.cfs_period_us"));
}

void cpus_read(uint32_t *present, uint32_t *allowed, uint32_t *quota_milli)
{
	static char text[4096];
	char path[512];
	long online = sysconf(_SC_NPROCESSORS_ONLN);

	*present = online > 0 ? (uint32_t)online : 1;
	*allowed = affinity_count();
	*quota_milli = 0;
	if (!read_file("/proc/self/cgroup", text, sizeof(text)))
		return;
	cgroup_path(text, "", path, sizeof(path));
	*quota_milli = quota_v2(path);
	cgroup_path(text, "cpu", path, sizeof(path));
	*quota_milli = smaller_quota(*quota_milli, quota_v1(path));
}
