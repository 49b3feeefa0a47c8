/* What all subcommands do alike: read their options, --help, run, say what went wrong, clean up. */
#ifndef CULPRIT_CLI_COMMANDS_H
#define CULPRIT_CLI_COMMANDS_H

#include "options/options.h"

struct command {
	enum option_user user;
	bool interruptible; /* Ctrl-C sets a flag that the command looks at */
	size_t size;	    /* of its state, all zero at first, which begins with struct options */
	/* *status: the exit status when all went well; 0 at first. */
	bool (*run)(void *state, int *status, struct error *err);
	void (*destroy)(void *state); /* all of it but the options */
};

#define COMMAND(name, synopsis, help, example) extern const struct command command_##name;
#include "cli/commands.def"

struct command_row {
	const char *name, *synopsis, *help, *example;
	const struct command *command; /* NULL: the row is a heading, and `help` its text */
};
extern const struct command_row command_rows[];
extern const size_t command_row_count;

/* NULL, and *err says what was meant, if there is none of this name. */
const struct command_row *command_find(const char *name, struct error *err);

/* --help of the whole and of one command */
void command_list(FILE *out);
void command_explain(const struct command_row *row, FILE *out);

#endif
