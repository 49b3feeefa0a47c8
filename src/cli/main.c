#include "cli/commands.h"
#include "run/progress.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { FILES_WANTED = 2048 };

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

/* It goes to the program, as it must; but a mistake would go there without a word, too. */
static void say_astray(const struct options *o)
{
	if (o->astray)
		fprintf(stderr,
			"culprit: hint: %s goes to %s; options of culprit stand before the program (and `--`)\n",
			o->astray, o->arguments[0]);
}

/* A status of 130 and silence look like a crash. */
static void say_interrupted(int status)
{
	if (interrupt_seen() && status == interrupt_status())
		fputs("culprit: interrupted\n", stderr);
}

/* argv[0] is the subcommand. */
static int run(const struct command_row *row, char **argv)
{
	const struct command *c = row->command;
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
		command_explain(row, stdout);
	} else {
		say_astray(options);
		if (!c->run(options, &status, &err))
			status = report_error(&err);
		say_interrupted(status);
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

enum { STACK_WANTED = 8 << 20, STACK_LEAST = 1 << 20 }; /* bytes; analyses take up to 200,000 */

/* A small stack would overflow without a word: here, and in threads, whose size follows the limit at the start. */
static bool widen_stack(struct error *err)
{
	struct rlimit limit;
	pthread_attr_t threads;
	if (getrlimit(RLIMIT_STACK, &limit) || limit.rlim_cur >= STACK_WANTED)
		return true;
	limit.rlim_cur = limit.rlim_max < STACK_WANTED ? limit.rlim_max : STACK_WANTED;
	if (limit.rlim_cur < STACK_LEAST || setrlimit(RLIMIT_STACK, &limit))
		return error_set(err, ERROR_SYSTEM, "the stack is limited to %llu KiB, and %d are needed (ulimit -s)",
				 (unsigned long long)limit.rlim_cur / 1024, STACK_LEAST / 1024);
	pthread_attr_init(&threads);
	pthread_attr_setstacksize(&threads, limit.rlim_cur);
	pthread_setattr_default_np(&threads);
	pthread_attr_destroy(&threads);
	return true;
}

/* Of `--help` and `--version`, which stand alone. */
static int refuse_surplus(char **argv)
{
	struct error err = {0};
	error_set(&err, ERROR_USAGE, "%s takes no argument: what is '%s'?%s", argv[1], argv[2],
		  strcmp(argv[1], "--version") ? " `culprit help COMMAND` explains a command" : "");
	return report_error(&err);
}

static int run_command(int argc, char **argv)
{
	struct error err;
	if (!widen_stack(&err))
		return report_error(&err);
	if (argc < 2) {
		command_list(stderr);
		return 125;
	}
	const bool help = !strcmp(argv[1], "--help") || !strcmp(argv[1], "-h");
	const bool version = !strcmp(argv[1], "--version");
	if ((help || version) && argc > 2)
		return refuse_surplus(argv);
	if (help) {
		command_list(stdout);
		return 0;
	}
	if (version) {
		printf("culprit %s\n", CULPRIT_VERSION);
		return 0;
	}
	const struct command_row *row = command_find(argv[1], &err);
	return row ? run(row, argv + 1) : report_error(&err);
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

/* A guest may have 1024 files open, and Culprit needs some beside them. */
static void allow_files(void)
{
	struct rlimit limit;
	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur >= FILES_WANTED)
		return;
	limit.rlim_cur = limit.rlim_max < FILES_WANTED ? limit.rlim_max : FILES_WANTED;
	setrlimit(RLIMIT_NOFILE, &limit);
}

int main(int argc, char **argv)
{
	occupy_streams();
	signal(SIGXFSZ, SIG_IGN); /* a file that may grow no further is an error of writing it, and none to die of */
	allow_files();
	json_set_alloc_funcs(allocate_or_end, free);
	int status = run_command(argc, argv);
	bool good = written(stdout, "standard output");
	return written(stderr, "standard error") && good ? status : 125;
}
