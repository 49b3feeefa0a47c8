/* culprit help: the commands there are, or all about one: as text, as a manual page, or for a shell's completion. */
#include "base/output.h"
#include "cli/pages.h"

struct help {
	struct options options;	       /* first */
	const struct command_row *row; /* NULL: of the whole */
};

static void print(const struct help *h, FILE *out)
{
	if (h->options.completion)
		completion_print(h->options.completion, out);
	else if (h->options.man)
		manual_print(h->row, out);
	else if (h->row)
		command_explain(h->row, out);
	else
		command_list(out);
}

static bool help(void *state, int *status, struct error *err)
{
	struct help *h = state;
	const struct options *o = &h->options;
	const char *name = o->arguments[0];
	if (name && o->arguments[1])
		return error_set(err, ERROR_USAGE, "help: one command at a time: what is '%s'?", o->arguments[1]);
	if (o->completion && (name || o->man))
		return error_set(err, ERROR_USAGE, "help: --completion is for all commands, and no page of --man");
	if (o->completion)
		TRY(completion_known(o->completion, err));
	if (name)
		TRY(h->row = command_find(name, err));
	return OUTPUT_WRITE(o->output, stdout, print, h, err);
}

const struct command command_help = {
	.user = FOR_HELP,
	.size = sizeof(struct help),
	.run = help,
};
