/* Manual pages and completions, from the same tables as --help. */
#ifndef CULPRIT_CLI_PAGES_H
#define CULPRIT_CLI_PAGES_H

#include "cli/commands.h"

/* culprit.1, or culprit-NAME.1 of a command */
void manual_print(const struct command_row *row, FILE *out);
/* For bash, zsh or fish. */
bool completion_known(const char *shell, struct error *err);
void completion_print(const char *shell, FILE *out);

#endif
