/* The options of a command as text for its --help. */
#include "options/table.h"

#include <string.h>

enum { HELP_COLUMN = 30, HELP_WIDTH = 80 };

/* The text from HELP_COLUMN on, broken at spaces; the cursor is at `column`. */
static void print_wrapped(FILE *out, int column, const char *text)
{
	bool first = true; /* of its line: then no space before it */
	if (column > HELP_COLUMN - 2)
		column = fprintf(out, "\n") - 1;
	for (column += fprintf(out, "%*s", HELP_COLUMN - column, ""); *text; first = false) {
		int length = (int)strcspn(text, " ");
		if (!first && column + 1 + length > HELP_WIDTH) {
			column = fprintf(out, "\n%*s", HELP_COLUMN, "") - 1;
			first = true;
		}
		column += fprintf(out, "%s%.*s", first ? "" : " ", length, text);
		text += length + (text[length] == ' ');
	}
	fputc('\n', out);
}

/* Where a row's own text begins, after "with NAME: ". */
static size_t heading_length(const struct option_row *row)
{
	return strncmp(row->help, "with ", 5) ? 0 : strcspn(row->help, ":") + 2;
}

static void print_option(FILE *out, const struct option_row *row)
{
	int column = row->letter ? fprintf(out, "  -%c, ", row->letter) : fprintf(out, "      ");
	column += fprintf(out, "--%s%s%s", row->name, row->argument ? " " : "", row->argument ? row->argument : "");
	print_wrapped(out, column, row->help + heading_length(row));
}

/* The options that belong to what `heading` names ("with graph: "), in the table's order; "" for those of the
 * command. */
static void print_group(FILE *out, enum option_user user, const char *heading, size_t length)
{
	if (length)
		fprintf(out, "\n%.*s\n", (int)length - 1, heading);
	for (size_t i = 0; i < option_row_count; i++)
		if ((option_rows[i].users & user) && heading_length(&option_rows[i]) == length &&
		    !strncmp(option_rows[i].help, heading, length))
			print_option(out, &option_rows[i]);
}

static bool first_of_group(enum option_user user, size_t row)
{
	size_t length = heading_length(&option_rows[row]);
	for (size_t i = 0; i < row; i++)
		if ((option_rows[i].users & user) && heading_length(&option_rows[i]) == length &&
		    !strncmp(option_rows[i].help, option_rows[row].help, length))
			return false;
	return length > 0;
}

void options_help(enum option_user user, FILE *out)
{
	print_group(out, user, "", 0);
	for (size_t i = 0; i < option_row_count; i++)
		if ((option_rows[i].users & user) && first_of_group(user, i))
			print_group(out, user, option_rows[i].help, heading_length(&option_rows[i]));
}
