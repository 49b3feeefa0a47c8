/* The options of a command, by group, and as the text of its --help. */
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

const char *option_text(const struct option_row *row)
{
	int length;
	const char *name = option_analysis(row, &length);
	return name ? name + length + 2 : row->help;
}

/* A name of the group that the row belongs to, the same for each of its rows. */
static void group_of(const struct option_row *row, char group[OPTION_GROUP_MAX])
{
	int length;
	const char *name = option_analysis(row, &length);
	if (name) {
		snprintf(group, OPTION_GROUP_MAX, "Analysis %.*s (--with %.*s)", length, name, length, name);
		return;
	}
	while (row > option_rows && row->kind != HEADING)
		row--;
	snprintf(group, OPTION_GROUP_MAX, "%s", row->help);
}

static bool in_group(const struct option_row *row, int user, const char *group)
{
	char own[OPTION_GROUP_MAX];
	group_of(row, own);
	return (row->users & user) && !strcmp(own, group);
}

bool options_next_group(enum option_user user, size_t *next, char group[OPTION_GROUP_MAX])
{
	for (; *next < option_row_count; ++*next) {
		const struct option_row *row = &option_rows[*next];
		size_t before = 0;
		group_of(row, group);
		while (before < *next && !in_group(&option_rows[before], user, group))
			before++;
		if ((row->users & user) && before == *next)
			return ++*next;
	}
	return false;
}

const struct option_row *options_next(enum option_user user, const char *group, size_t *next)
{
	while (*next < option_row_count)
		if (in_group(&option_rows[(*next)++], user, group))
			return &option_rows[*next - 1];
	return NULL;
}

static void print_option(FILE *out, const struct option_row *row)
{
	int column = row->letter ? fprintf(out, "  -%c, ", row->letter) : fprintf(out, "      ");
	column += fprintf(out, "--%s%s%s", row->name, row->argument ? " " : "", row->argument ? row->argument : "");
	print_wrapped(out, column, option_text(row));
}

void options_help(enum option_user user, FILE *out)
{
	char group[OPTION_GROUP_MAX];
	const struct option_row *row;
	for (size_t next = 0; options_next_group(user, &next, group);) {
		fprintf(out, "\n%s:\n", group);
		for (size_t i = 0; (row = options_next(user, group, &i));)
			print_option(out, row);
	}
}
