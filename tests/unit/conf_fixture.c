#include "tests/unit/conf_fixture.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char directory[256];

void conf_fixture_enter(void)
{
	const char *parent = getenv("TMPDIR");

	snprintf(directory, sizeof(directory), "%s/relock-conf-XXXXXX", parent ? parent : "/tmp");
	if (!mkdtemp(directory) || chdir(directory) != 0) {
		perror(directory);
		exit(1);
	}
}

void conf_fixture_leave(void)
{
	unlink(INI);
	unlink("other.ini");
	unlink("pipe");
	if (chdir("/") != 0 || rmdir(directory) != 0)
		perror(directory);
}

void conf_write(const char *name, const char *text, size_t length)
{
	int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, text, length), (ssize_t)length);
	ck_assert_int_eq(close(fd), 0);
}

static struct conf_error error;

const char *conf_try_ini(struct conf *c, const char *text)
{
	conf_write(INI, text, strlen(text));
	conf_defaults(c);
	return conf_load_ini(c, INI, &error) ? "" : error.message;
}

const char *conf_try_environment(struct conf *c, char *const *environment)
{
	conf_defaults(c);
	return conf_load_environment(c, environment, &error) ? "" : error.message;
}

const char *conf_try_set(struct conf *c, const char *name, const char *value)
{
	return conf_set(c, name, value, FROM_COMMAND_LINE, "--set", &error) ? "" : error.message;
}

static char *next_buffer(void)
{
	static char buffers[8][CONF_PATH_MAX];
	static unsigned next;

	return buffers[next++ % 8];
}

static size_t find(const char *name)
{
	size_t option = conf_find(name);

	ck_assert_msg(option != CONF_NONE, "no option %s", name);
	return option;
}

const char *conf_value_of(const struct conf *c, const char *name)
{
	char *out = next_buffer();

	ck_assert_uint_lt(conf_format_value(c, find(name), out, CONF_PATH_MAX), CONF_PATH_MAX);
	return out;
}

const char *conf_origin_of(const struct conf *c, const char *name)
{
	char *out = next_buffer();

	ck_assert_uint_lt(conf_format_origin(c, find(name), out, CONF_PATH_MAX), CONF_PATH_MAX);
	return out;
}
