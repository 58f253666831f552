#include "cli/install.h"
#include "cli/cli.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#define LIBRARY "librelock.so"

/* Relative to the directory of the command. The build tree comes first: there both may exist. */
static const char *const library_places[] = {"../preload/" LIBRARY,
	RELOCK_LIBDIR_FROM_BINDIR "/relock/" LIBRARY, "../lib/relock/" LIBRARY, "../lib/" LIBRARY,
	LIBRARY};

/* The second is also where the build tree has its copies. */
static const char *const configuration_places[] = {
	RELOCK_DATADIR_FROM_BINDIR "/relock", "../share/relock"};

static const char *const workload_places[] = {
	"../workloads", RELOCK_LIBEXECDIR_FROM_BINDIR "/relock", "../libexec/relock"};

bool install_self(char *out, size_t size)
{
	ssize_t length = readlink("/proc/self/exe", out, size - 1);
	const char *called = (const char *)getauxval(AT_EXECFN);
	char resolved[PATH_MAX];

	out[length > 0 ? length : 0] = '\0';
	/* Where /proc is missing, as it was called. */
	return length > 0 || (called && realpath(called, resolved) &&
				     (size_t)snprintf(out, size, "%s", resolved) < size);
}

static bool own_directory(char *out, size_t size)
{
	char *slash;

	if (!install_self(out, size))
		return false;
	slash = strrchr(out, '/');
	if (!slash)
		return false;
	*slash = '\0';
	return true;
}

static bool resolve(const char *path, char *out, size_t size)
{
	char resolved[PATH_MAX];

	if (access(path, R_OK) != 0 || !realpath(path, resolved))
		return false;
	return (size_t)snprintf(out, size, "%s", resolved) < size;
}

bool install_library(char *out, size_t size)
{
	const char *wanted = getenv("RELOCK_LIBRARY");
	char directory[PATH_MAX], path[PATH_MAX + 256];

	if (wanted && wanted[0]) {
		if (resolve(wanted, out, size))
			return true;
		cli_say("RELOCK_LIBRARY names '%s', which cannot be read: %s; name the file %s "
			"there, or unset it",
			wanted, strerror(errno), LIBRARY);
		return false;
	}
	if (own_directory(directory, sizeof(directory)))
		for (size_t i = 0; i < sizeof(library_places) / sizeof(library_places[0]); i++) {
			snprintf(path, sizeof(path), "%s/%s", directory, library_places[i]);
			if (resolve(path, out, size))
				return true;
		}
	cli_say("%s was not found near '%s'; build or install relock whole, or set RELOCK_LIBRARY "
		"to the file",
		LIBRARY, directory[0] ? directory : program_invocation_name);
	return false;
}

bool install_configuration(const char *name, char *out, size_t size)
{
	char directory[PATH_MAX], path[2 * PATH_MAX];
	size_t count = sizeof(configuration_places) / sizeof(configuration_places[0]);

	if (strchr(name, '/') || !own_directory(directory, sizeof(directory)))
		return false;
	for (size_t i = 0; i < 2 * count; i++) {
		snprintf(path, sizeof(path), "%s/%s/%s%s", directory, configuration_places[i / 2],
			name, i % 2 ? ".ini" : "");
		if (resolve(path, out, size))
			return true;
	}
	return false;
}

bool install_workload(const char *name, char *out, size_t size)
{
	char directory[PATH_MAX], path[2 * PATH_MAX];

	if (!own_directory(directory, sizeof(directory)))
		return false;
	for (size_t i = 0; i < sizeof(workload_places) / sizeof(workload_places[0]); i++) {
		snprintf(path, sizeof(path), "%s/%s/%s", directory, workload_places[i], name);
		if (resolve(path, out, size) && access(out, X_OK) == 0)
			return true;
	}
	return false;
}

static bool make_private(const char *parent, char *out, size_t size)
{
	struct stat status;

	if (parent[0] != '/' ||
		(size_t)snprintf(out, size, "%s/relock-%u", parent, (unsigned)geteuid()) >= size)
		return false;
	if (mkdir(out, 0700) != 0 && errno != EEXIST)
		return false;
	/* Anyone may create names in /tmp: trust it only when it is a directory of ours, no link.
	 */
	return lstat(out, &status) == 0 && S_ISDIR(status.st_mode) && status.st_uid == geteuid() &&
	       (status.st_mode & 0077) == 0 && access(out, W_OK | X_OK) == 0;
}

bool install_private_directory(bool plain, char *out, size_t size)
{
	const char *places[] = {getenv("TMPDIR"), "/tmp", "/var/tmp"};

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++)
		if (places[i] && !(plain && strpbrk(places[i], " :")) &&
			make_private(places[i], out, size))
			return true;
	return false;
}

bool install_preloadable(const char *library, char *out, size_t size)
{
	char directory[PATH_MAX], link[PATH_MAX + 64], temporary[PATH_MAX + 96];
	struct stat status;

	if (!strpbrk(library, " :") && !strchr(library, '$')) {
		snprintf(out, size, "%s", library);
		return true;
	}
	if (stat(library, &status) != 0 ||
		!install_private_directory(true, directory, sizeof(directory))) {
		cli_say("'%s' has a space, colon or dollar sign in its path, which LD_PRELOAD "
			"cannot "
			"express, and no private directory for a link to it could be made below "
			"TMPDIR or /tmp; install relock elsewhere",
			library);
		return false;
	}
	snprintf(link, sizeof(link), "%s/%llx-%llx-" LIBRARY, directory,
		(unsigned long long)status.st_dev, (unsigned long long)status.st_ino);
	/* Renamed into place, so that a run at the same time never finds it missing. */
	snprintf(temporary, sizeof(temporary), "%s.%d", link, (int)getpid());
	unlink(temporary);
	if (symlink(library, temporary) != 0 || rename(temporary, link) != 0) {
		cli_say("a link to '%s' could not be made in '%s': %s", library, directory,
			strerror(errno));
		return false;
	}
	snprintf(out, size, "%s", link);
	return true;
}
