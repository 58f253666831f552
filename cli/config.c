/* relock config: a configuration to start from, what is in force, what is wrong. */
#include "cli/cli.h"
#include "cli/settings.h"

#include <stdlib.h>
#include <string.h>

/* conf.h's writers return the whole length, so that a text of any size can be had in two calls. */
static int print_text(size_t (*format)(const void *from, char *out, size_t size), const void *from)
{
	size_t length = format(from, NULL, 0);
	char *text = malloc(length + 1);

	if (!text)
		return cli_fail("out of memory");
	format(from, text, length + 1);
	fputs(text, stdout);
	free(text);
	return 0;
}

static size_t format_default(const void *from, char *out, size_t size)
{
	(void)from;
	return conf_format_default_ini(out, size);
}

static size_t format_all(const void *from, char *out, size_t size)
{
	return conf_format_all(from, out, size);
}

static int show(const struct cli_args *args)
{
	static struct conf conf;

	if (!settings_load(args, "", &conf))
		return CLI_OURS;
	return print_text(format_all, &conf);
}

static int check(const struct cli_args *args)
{
	static struct conf conf;
	struct conf_error error;
	int status = 0;

	if (args->operand_count == 0)
		return cli_fail("'relock config --check' needs the INI files to check; for "
				"example: relock config --check relock.ini");
	for (unsigned i = 0; i < args->operand_count; i++) {
		conf_defaults(&conf);
		if (conf_load_ini(&conf, args->operands[i], &error))
			printf("%s: no mistakes found\n", args->operands[i]);
		else
			status = cli_fail("%s", error.message);
	}
	return status;
}

int config_main(const struct cli_args *args)
{
	bool defaults = cli_has(args, "default"), shown = cli_has(args, "show");
	bool checked = cli_has(args, "check");

	if (defaults + shown + checked != 1)
		return cli_fail("'relock config' takes one of --default, --show and --check; for "
				"example: relock config --show");
	if (checked)
		return check(args);
	if (args->operand_count > 0)
		return cli_fail("'relock config --%s' takes no file, but got '%s'; use -c FILE to "
				"read one, --check FILE to check one",
			defaults ? "default" : "show", args->operands[0]);
	return shown ? show(args) : print_text(format_default, NULL);
}
