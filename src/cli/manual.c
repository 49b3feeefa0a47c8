/* Manual pages in the man(7) language. */
#include "cli/pages.h"

#include "options/table.h"

#include <ctype.h>
#include <string.h>

/* Text is no command: a minus is not a hyphen, a backslash no escape, and no line begins with a dot or a quote. */
static void print_text(const char *text, FILE *out)
{
	for (bool first = true; *text; first = *text++ == '\n') {
		if (first && (*text == '.' || *text == '\''))
			fputs("\\&", out);
		if (*text == '-')
			fputs("\\-", out);
		else if (*text == '\\')
			fputs("\\e", out);
		else if (*text == '`')
			fputs("\\(ga", out);
		else
			fputc(*text, out);
	}
}

static void print_upper(const char *text, FILE *out)
{
	for (; *text; text++)
		fputc(toupper((unsigned char)*text), out);
}

static void print_head(const struct command_row *row, FILE *out)
{
	fputs(".\\\" Made by `culprit help --man`.\n.TH CULPRIT", out);
	if (row) {
		fputs("\\-", out);
		print_upper(row->name, out);
	}
	fprintf(out, " 1 \"%s\" \"culprit %s\" \"Culprit manual\"\n.SH NAME\n", CULPRIT_DATE, CULPRIT_VERSION);
	fprintf(out, "culprit%s%s \\- ", row ? "\\-" : "", row ? row->name : "");
}

static void print_option(const struct option_row *row, FILE *out)
{
	fputs(".TP\n", out);
	if (row->letter)
		fprintf(out, "\\fB\\-%c\\fR, ", row->letter);
	fputs("\\fB\\-\\-", out);
	print_text(row->name, out);
	fputs("\\fR", out);
	if (row->argument) {
		fputs(" \\fI", out);
		print_text(row->argument, out);
		fputs("\\fR", out);
	}
	fputc('\n', out);
	print_text(option_text(row), out);
	fputs(".\n", out);
}

static void print_options(enum option_user user, FILE *out)
{
	char group[OPTION_GROUP_MAX];
	const struct option_row *row;
	fputs(".SH OPTIONS\n", out);
	for (size_t next = 0; options_next_group(user, &next, group);) {
		fputs(".SS ", out);
		print_text(group, out);
		fputc('\n', out);
		for (size_t i = 0; (row = options_next(user, group, &i));)
			print_option(row, out);
	}
	fputs(".PP\nCounts are written as 2000000, 2M, 1.5G or 3e8; of sizes in bytes, K is 1024.\n", out);
}

static void print_examples(const char *examples, FILE *out)
{
	fputs(".SH EXAMPLES\n.nf\n", out);
	print_text(examples, out);
	fputs("\n.fi\n", out);
}

static void print_synopsis(const struct command_row *row, FILE *out)
{
	fprintf(out, ".B culprit %s\n", row->name);
	print_text(row->synopsis, out);
	fputc('\n', out);
}

static void print_command(const struct command_row *row, FILE *out)
{
	print_head(row, out);
	print_text(row->help, out);
	fputs("\n.SH SYNOPSIS\n", out);
	print_synopsis(row, out);
	print_options(row->command->user, out);
	print_examples(row->example, out);
	fputs(".SH SEE ALSO\n.BR culprit (1)\n", out);
}

static void print_exit_status(FILE *out)
{
	static const char *const statuses[][2] = {
		{"125", "Culprit's own: a wrong option, a file that cannot be read or written, no memory"},
		{"126", "the program is there and cannot be run"},
		{"127", "there is no such program"},
		{"other", "the program's own"},
	};
	fputs(".SH EXIT STATUS\n", out);
	for (size_t i = 0; i < sizeof statuses / sizeof *statuses; i++)
		fprintf(out, ".TP\n.B %s\n%s.\n", statuses[i][0], statuses[i][1]);
}

static void print_commands(FILE *out)
{
	fputs(".SH COMMANDS\n", out);
	for (const struct command_row *row = command_rows; row < command_rows + command_row_count; row++) {
		fputs(row->command ? ".TP\n.BR culprit\\-" : ".SS ", out);
		print_text(row->command ? row->name : row->help, out);
		fputs(row->command ? " (1)\n" : "\n", out);
		if (row->command) {
			print_text(row->help, out);
			fputs(".\n", out);
		}
	}
}

static void print_files(FILE *out)
{
	fputs(".SH ENVIRONMENT\n.TP\n.B CULPRIT_MACHINES\nfolders of machine files, with colons between; searched "
	      "first.\n",
	      out);
}

static void print_overview(FILE *out)
{
	print_head(NULL, out);
	fputs("where every cycle went, on a simulated out\\-of\\-order RISC\\-V core\n.SH SYNOPSIS\n"
	      ".B culprit\n.I COMMAND\n[OPTION...] [ARGUMENT...]\n.SH DESCRIPTION\n"
	      "Culprit runs a real RISC\\-V Linux program on a simulated out\\-of\\-order core and says where every "
	      "cycle "
	      "went.\nEach cycle is charged to a cause that the core wrote down when it happened.\n",
	      out);
	print_commands(out);
	fputs(".SH EXAMPLES\nThe options of a command:\n.PP\n.nf\nculprit help run\n.fi\n", out);
	print_exit_status(out);
	print_files(out);
}

void manual_print(const struct command_row *row, FILE *out)
{
	if (row)
		print_command(row, out);
	else
		print_overview(out);
}
