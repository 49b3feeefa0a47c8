/* culprit machines: list the machine files, or check and print one. */
#include "cli/commands.h"
#include "run/session.h"

#include <stdlib.h>

/* Also those that cannot be read, with the reason. */
static bool list_machines(struct error *err)
{
	bool good = true;
	char **names = machine_list(err);
	if (!names)
		return false;
	for (size_t i = 0; names[i]; i++) {
		struct machine m;
		struct error why;
		if (machine_load(&m, names[i], &why))
			printf("%-24s %s\n", names[i], m.description);
		else if (why.code != ERROR_SYSTEM)
			printf("%-24s *** %s\n", names[i], why.text);
		else if (good) {
			good = false;
			*err = why;
		}
		free(names[i]);
	}
	free(names);
	return good;
}

static bool machines(void *state, int *status, struct error *err)
{
	struct options *o = state;
	struct machine m;
	if (o->arguments[0] && o->arguments[1])
		return error_set(err, ERROR_USAGE, "machines: one machine at a time: what is '%s'?", o->arguments[1]);
	if (!o->arguments[0] && o->sets.count)
		return error_set(err, ERROR_USAGE, "machines: --set needs the machine that it changes");
	if (!o->arguments[0])
		return list_machines(err);
	o->machine = o->arguments[0];
	TRY(session_machine(&m, o, err));
	*status = machine_print(&m, stdout) ? 0 : 125;
	return true;
}

const struct command command_machines = {
	.user = FOR_MACHINES,
	.size = sizeof(struct options),
	.run = machines,
};
