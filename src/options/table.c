#include "options/table.h"

#include <string.h>

const struct option_row option_rows[] = {
#define HEADING(text) {"", 0, HEADING, 0, NULL, text, 0},
#define OPTION(name, letter, kind, field, argument, help, users) \
	{name, letter, kind, offsetof(struct options, field), argument, help, users},
#include "options/options.def"
};
const size_t option_row_count = sizeof option_rows / sizeof *option_rows;
_Static_assert(sizeof option_rows / sizeof *option_rows <= OPTION_ROWS_MAX, "one each in options.given");

const struct option_row *option_find(const char *name, size_t length, int user)
{
	for (size_t i = 0; i < option_row_count; i++)
		if ((option_rows[i].users & user) && strlen(option_rows[i].name) == length &&
		    !strncmp(option_rows[i].name, name, length))
			return &option_rows[i];
	return NULL;
}

const struct option_row *option_find_letter(char letter, int user)
{
	for (size_t i = 0; i < option_row_count; i++)
		if ((option_rows[i].users & user) && option_rows[i].letter == letter && letter)
			return &option_rows[i];
	return NULL;
}

const char *option_analysis(const struct option_row *row, int *length)
{
	static const char with[] = "with ";
	if (!row->users || strncmp(row->help, with, sizeof with - 1) != 0)
		return NULL;
	const char *name = row->help + sizeof with - 1;
	*length = (int)strcspn(name, ":");
	return name;
}
