/* What may stand behind an option, for the shells that complete it. */
#ifndef CULPRIT_CLI_VALUES_H
#define CULPRIT_CLI_VALUES_H

#include "options/table.h"

enum value_kind { VALUE_ANY, VALUE_FILE, VALUE_DIRECTORY, VALUE_MACHINE, VALUE_WORD, VALUE_WORDS /* with commas */ };

/* *words: those there are, with blanks between. */
enum value_kind value_of(const struct option_row *row, const char **words);

#endif
