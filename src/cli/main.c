#include "base/nearest.h"
#include "cli/commands.h"
#include "run/progress.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct {
	const char *name, *synopsis, *help;
	const struct command *command;
} commands[] = {
#define COMMAND(name, synopsis, help) {#name, synopsis, help, &command_##name},
#include "cli/commands.def"
};
enum { COMMANDS = sizeof commands / sizeof commands[0] };

static int report_error(const struct error *err)
{
	fprintf(stderr, "culprit: %s\n", err->text);
	return error_exit_status(err);
}

static int report_no_memory(void)
{
	struct error err = {ERROR_SYSTEM, "out of memory"};
	return report_error(&err);
}

/* jansson drops what it has no memory for, so that a file would lack it without a word. */
static void *allocate_or_end(size_t size)
{
	void *p = malloc(size);
	if (!p)
		exit(report_no_memory());
	return p;
}

static int usage(FILE *out)
{
	fprintf(out, "culprit %s: where every cycle went, on a simulated out-of-order RISC-V core\n\n",
		CULPRIT_VERSION);
	for (size_t i = 0; i < COMMANDS; i++)
		fprintf(out, "  culprit %-9s %s\n      %s\n", commands[i].name, commands[i].synopsis, commands[i].help);
	fprintf(out, "\n`culprit COMMAND --help` lists a command's options.\n");
	return out == stderr ? 125 : 0;
}

/* It goes to the program, as it must; but a mistake would go there without a word, too. */
static void say_astray(const struct options *o)
{
	if (o->astray)
		fprintf(stderr,
			"culprit: hint: %s goes to %s; options of culprit stand before the program (and `--`)\n",
			o->astray, o->arguments[0]);
}

/* argv[0] is the subcommand. */
static int run(const struct command *c, char **argv)
{
	struct error err = {0};
	struct options *options = calloc(1, c->size); /* the state begins with them */
	int status = 0;
	if (!options)
		return report_no_memory();
	if (c->interruptible)
		interrupt_install();
	if (!options_parse(options, argv, c->user, &err)) {
		status = report_error(&err);
	} else if (options->help) {
		fputs(c->usage, stdout);
		options_help(c->user, stdout);
	} else {
		say_astray(options);
		if (!c->run(options, &status, &err))
			status = report_error(&err);
	}
	if (c->destroy)
		c->destroy(options);
	options_destroy(options);
	free(options);
	return status;
}

/* A closed standard stream's number must not go to a file that is opened later. What stands in its place fails as a
 * closed one does: input cannot be read, output cannot be written. */
static void occupy_streams(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0)
			open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

static int unknown_command(const char *name)
{
	struct nearest near;
	nearest_begin(&near, name, strlen(name));
	for (size_t i = 0; i < COMMANDS; i++)
		nearest_consider(&near, commands[i].name);
	fprintf(stderr, "culprit: unknown command '%s'%s (see culprit --help)\n", name, nearest_hint(&near));
	return 125;
}

static int run_command(int argc, char **argv)
{
	if (argc < 2)
		return usage(stderr);
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help"))
		return usage(stdout);
	if (!strcmp(argv[1], "--version")) {
		printf("culprit %s\n", CULPRIT_VERSION);
		return 0;
	}
	for (size_t i = 0; i < COMMANDS; i++)
		if (!strcmp(argv[1], commands[i].name))
			return run(commands[i].command, argv + 1);
	return unknown_command(argv[1]);
}

/* What was to be read there and is lost makes a good status a lie. */
static bool written(FILE *stream, const char *name)
{
	errno = 0;
	if (!fflush(stream) && !ferror(stream))
		return true;
	fprintf(stderr, "culprit: %s: cannot write%s%s\n", name, errno ? ": " : "", errno ? strerror(errno) : "");
	return false;
}

int main(int argc, char **argv)
{
	occupy_streams();
	json_set_alloc_funcs(allocate_or_end, free);
	int status = run_command(argc, argv);
	bool good = written(stdout, "standard output");
	return written(stderr, "standard error") && good ? status : 125;
}
