/* culprit machines: list the machine files, or check and print one. */
#include "cli/commands.h"
#include "cli/options.h"
#include "cli/session.h"

#include <stdlib.h>

static int list_machines(void)
{
	struct error err;
	int status = 0;
	char **names = machine_list(&err);
	if (!names)
		return report_error(&err);
	for (size_t i = 0; names[i]; i++) {
		struct machine m;
		if (machine_load(&m, names[i], &err))
			printf("%-24s %s\n", names[i], m.description);
		else if (err.code == ERROR_SYSTEM)
			status = report_error(&err);
		else
			printf("%-24s *** %s\n", names[i], err.text);
		free(names[i]);
	}
	free(names);
	return status;
}

int command_machines(char **argv)
{
	struct options o;
	struct error err;
	struct machine m;
	if (!options_parse(&o, argv, FOR_MACHINES, &err))
		return report_error(&err);
	int status = 0;
	if (o.help) {
		printf("culprit machines [OPTION...] [NAME|FILE]\n");
		options_help(FOR_MACHINES, stdout);
	} else if (o.arguments[0] && o.arguments[1]) {
		error_set(&err, ERROR_USAGE, "machines: one machine at a time: what is '%s'?", o.arguments[1]);
		status = report_error(&err);
	} else if (!o.arguments[0] && o.sets.count) {
		error_set(&err, ERROR_USAGE, "machines: --set needs the machine that it changes");
		status = report_error(&err);
	} else if (!o.arguments[0]) {
		status = list_machines();
	} else {
		o.machine = o.arguments[0];
		status = session_machine(&m, &o, &err) ? (machine_print(&m, stdout) ? 0 : 125) : report_error(&err);
	}
	options_destroy(&o);
	return status;
}
