/* The table of subcommands, and their help as text. */
#include "cli/commands.h"

#include "base/nearest.h"
#include "provenance/provenance.h"

#include <string.h>

const struct command_row command_rows[] = {
#define HEADING(text) {"", NULL, text, NULL, NULL},
#define COMMAND(name, synopsis, help, example) {#name, synopsis, help, example, &command_##name},
#include "cli/commands.def"
};
const size_t command_row_count = sizeof command_rows / sizeof *command_rows;

const struct command_row *command_find(const char *name, struct error *err)
{
	struct nearest near;
	nearest_begin(&near, name, strlen(name));
	for (size_t i = 0; i < command_row_count; i++) {
		if (!command_rows[i].command)
			continue;
		if (!strcmp(command_rows[i].name, name))
			return &command_rows[i];
		nearest_consider(&near, command_rows[i].name);
	}
	error_set(err, ERROR_USAGE, "unknown command '%.100s'%s (see culprit --help)", name, nearest_hint(&near));
	return NULL;
}

void command_list(FILE *out)
{
	fprintf(out, "culprit %s: where every cycle went, on a simulated out-of-order RISC-V core\n", CULPRIT_VERSION);
	for (const struct command_row *row = command_rows; row < command_rows + command_row_count; row++)
		if (row->command)
			fprintf(out, "  culprit %-9s %s\n      %s\n", row->name, row->synopsis, row->help);
		else
			fprintf(out, "\n%s:\n", row->help);
	fputs("\n`culprit help COMMAND` says all about a command.\n", out);
}

/* The lines of the text, each behind two blanks. */
static void print_lines(const char *text, FILE *out)
{
	for (size_t length; *text; text += length + (text[length] == '\n')) {
		length = strcspn(text, "\n");
		fprintf(out, "  %.*s\n", (int)length, text);
	}
}

void command_explain(const struct command_row *row, FILE *out)
{
	fprintf(out, "culprit %s %s\n\n%s\n", row->name, row->synopsis, row->help);
	options_help(row->command->user, out);
	fputs("\nExamples:\n", out);
	print_lines(row->example, out);
}
