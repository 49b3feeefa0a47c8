/* The command that was given, for a report that says what to type next. */
#include "options/table.h"
#include "report/format.h"
#include "run/places.h"

#include <string.h>

/* Is it said again in the next command? Of `run`: what all commands that simulate take, and is none of the report's. Of
 * another command: all but its reports and analyses, since the next one is of the same command. */
static bool is_shared(const struct option_row *row, enum option_user user)
{
	const int users = FOR_RUN | FOR_TRUTH | FOR_ANNOTATE, checkpoint = FOR_RUN | FOR_RECORD | FOR_ANNOTATE;
	if (row->kind == OUTPUT || !strcmp(row->name, "quiet"))
		return false;
	if (user == FOR_RUN)
		return (row->users & users) == users || row->users == checkpoint;
	return strcmp(row->name, "with") != 0 && strcmp(row->name, "brief") != 0 && strcmp(row->name, "verbose") != 0;
}

/* Its words: 1, or 2 with its value. */
static unsigned option_words(const char *word, enum option_user user, bool *shared)
{
	const bool is_long = word[1] == '-';
	const struct option_row *row = is_long ? option_find(word + 2, strcspn(word + 2, "="), user)
					       : option_find_letter(word[1], user);
	*shared = row && is_shared(row, user);
	const bool attached = is_long ? strchr(word, '=') != NULL : word[2] != 0;
	return row && row->kind != FLAG && !attached ? 2 : 1;
}

void places_words(const struct options *o, const char *input, char *text, size_t size)
{
	*text = 0;
	for (char **word = o->arguments; *word && !o->checkpoint; word++)
		format_shell_word(*word, text, size);
	const size_t used = strlen(text);
	if (!input || o->checkpoint || used + 2 > size)
		return;
	strcpy(text + used, "<");
	format_shell_word(input, text, size);
}

static size_t count_words(char **words)
{
	size_t n = 0;
	while (words[n])
		n++;
	return n;
}

void places_command(const struct options *o, enum option_user user, char *text, size_t size)
{
	/* what remains is the program and all behind it; a checkpoint has it in the file */
	char **program = o->words + count_words(o->words) - (o->checkpoint ? 0 : count_words(o->arguments));
	*text = 0;
	for (char **word = o->words + 1; *word && word < program && strcmp(*word, "--") != 0;) {
		bool shared;
		for (unsigned n = option_words(*word, user, &shared); n && *word; n--, word++)
			if (shared)
				format_shell_word(*word, text, size);
	}
}
