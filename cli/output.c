#include "cli/output.h"
#include "cli/cli.h"
#include "cli/install.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Doubles every %, so that a directory's name is taken literally in a pattern. */
static void escape(const char *name, char *out, size_t size)
{
	size_t used = 0;

	for (; *name && used + 2 < size; name++) {
		if (*name == '%')
			out[used++] = '%';
		out[used++] = *name;
	}
	out[used] = '\0';
}

/* Directory part of a pattern, taken literally. False: it has conversions. */
static bool directory_of(const char *pattern, char *out, size_t size)
{
	const char *end = strrchr(pattern, '/');
	size_t used = 0;

	for (; pattern < end && used + 1 < size; pattern++) {
		if (*pattern == '%' && *++pattern != '%')
			return false;
		out[used++] = *pattern;
	}
	out[used] = '\0';
	if (used == 0)
		snprintf(out, size, "/");
	return true;
}

static bool start_directory(struct output *output, char *out, size_t size)
{
	if (getcwd(out, size) && access(".", W_OK | X_OK) == 0)
		return true;
	output->elsewhere = true;
	if (install_private_directory(false, out, size))
		return true;
	cli_say("the current directory is not writable, and no private directory for the recording "
		"could be made below TMPDIR or /tmp; name a place with -o, or turn recording off "
		"with --set record.enabled=off");
	return false;
}

static bool check_directory(const struct output *output)
{
	const char *directory = output->directory;
	struct stat status;

	if (stat(directory, &status) != 0)
		cli_say("the recording cannot be written to '%s': %s; create the directory first "
			"(mkdir -p), or name another with -o",
			directory, strerror(errno));
	else if (!S_ISDIR(status.st_mode))
		cli_say("the recording cannot be written to '%s', which is no directory; name "
			"another with -o",
			directory);
	else if (access(directory, W_OK | X_OK) != 0)
		cli_say("the recording cannot be written to '%s': %s; name another directory with "
			"-o",
			directory, strerror(errno));
	else
		return true;
	return false;
}

bool output_decide(const struct conf *conf, struct output *output)
{
	const char *wanted = conf->settings.output;
	char directory[PATH_MAX], escaped[2 * PATH_MAX];

	*output = (struct output){0};
	if (wanted[0] == '/') {
		snprintf(output->pattern, sizeof(output->pattern), "%s", wanted);
	} else {
		if (!start_directory(output, directory, sizeof(directory)))
			return false;
		escape(strcmp(directory, "/") == 0 ? "" : directory, escaped, sizeof(escaped));
		if ((size_t)snprintf(output->pattern, sizeof(output->pattern), "%s/%s", escaped,
			    wanted) >= sizeof(output->pattern)) {
			cli_say("the recording's name would be longer than %zu bytes; name a "
				"shorter place with -o",
				sizeof(output->pattern) - 1);
			return false;
		}
	}
	if (!directory_of(output->pattern, output->directory, sizeof(output->directory))) {
		output->directory[0] = '\0';
		return true;
	}
	return check_directory(output);
}
