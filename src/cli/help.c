/* culprit help: the commands there are, or all about one. */
#include "cli/commands.h"

static bool help(void *state, int *status, struct error *err)
{
	const struct options *o = state;
	const char *name = o->arguments[0];
	if (name && o->arguments[1])
		return error_set(err, ERROR_USAGE, "help: one command at a time: what is '%s'?", o->arguments[1]);
	if (!name) {
		command_list(stdout);
		return true;
	}
	const struct command_row *row = command_find(name, err);
	if (!row)
		return false;
	command_explain(row, stdout);
	return true;
}

const struct command command_help = {
	.user = FOR_HELP,
	.size = sizeof(struct options),
	.run = help,
};
