#ifndef CULPRIT_CLI_COMMANDS_H
#define CULPRIT_CLI_COMMANDS_H

#include "base/error.h"

#define COMMAND(name, synopsis, help) int command_##name(char **argv);
#include "cli/commands.def"

/* Print "culprit: TEXT" and return the exit status for it. */
int report_error(const struct error *err);
int report_no_memory(void);

#endif
