/* What all subcommands do alike: read their options, --help, run, say what went wrong, clean up. */
#ifndef CULPRIT_CLI_COMMANDS_H
#define CULPRIT_CLI_COMMANDS_H

#include "options/options.h"

struct command {
	const char *usage; /* first lines of --help */
	enum option_user user;
	bool interruptible; /* Ctrl-C sets a flag that the command looks at */
	size_t size;	    /* of its state, all zero at first, which begins with struct options */
	/* *status: the exit status when all went well; 0 at first. */
	bool (*run)(void *state, int *status, struct error *err);
	void (*destroy)(void *state); /* all of it but the options */
};

#define COMMAND(name, synopsis, help) extern const struct command command_##name;
#include "cli/commands.def"

#endif
