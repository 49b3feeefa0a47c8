/* The rows of options.def. */
#ifndef CULPRIT_OPTIONS_TABLE_H
#define CULPRIT_OPTIONS_TABLE_H

#include "options/options.h"

#include <stddef.h>

enum option_kind { HEADING, FLAG, TEXT, LIST, COUNT, POSITIVE, SIZE, OUTPUT };

struct option_row {
	const char *name;
	char letter;
	enum option_kind kind;
	size_t field;
	const char *argument;
	const char *help;
	int users; /* 0 of a heading: nobody can give it */
};

extern const struct option_row option_rows[];
extern const size_t option_row_count;

const struct option_row *option_find(const char *name, size_t length, int user);
const struct option_row *option_find_letter(char letter, int user);
/* The analysis that the option belongs to, and how long its name is; NULL = none. */
const char *option_analysis(const struct option_row *row, int *length);
/* What the option does, without the analysis's name in front. */
const char *option_text(const struct option_row *row);

/* The groups of a command's options, and the options of one of them. *next is 0 at first. */
enum { OPTION_GROUP_MAX = 64 };
bool options_next_group(enum option_user user, size_t *next, char group[OPTION_GROUP_MAX]);
const struct option_row *options_next(enum option_user user, const char *group, size_t *next);

#endif
