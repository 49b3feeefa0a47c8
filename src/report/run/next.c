/* The commands that the verdict proposes, as they are typed. */
#include "report/format.h"
#include "report/run/verdict.h"

#include <stdio.h>
#include <string.h>

bool verdict_next_is_other(const char *options)
{
	return !strncmp(options, "truth ", 6) || !strcmp(options, "annotate");
}

const char *verdict_verb(const struct run_report *r, const char *options)
{
	return verdict_next_is_other(options) ? "" : r->records ? "analyse " : r->samples ? "sample " : "run ";
}

unsigned verdict_command(const struct run_report *r, const char *options, const char *result, char *text, size_t size)
{
	char file[1024] = "";
	if (r->records || (result && !strcmp(options, "annotate"))) {
		format_shell_word(r->records ? r->records : result, file, sizeof file);
		return (unsigned)snprintf(text, size, "culprit %s%s %.*s", verdict_verb(r, options), options,
					  (int)strlen(file) - 1, file);
	}
	const char *words = r->words ? r->words : r->program; /* none: a checkpoint has them */
	return (unsigned)snprintf(text, size, "culprit %s%s %s%s%s", verdict_verb(r, options), options,
				  r->command ? r->command : "... ", *words ? "-- " : "", words);
}
