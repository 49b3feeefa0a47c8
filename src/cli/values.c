#include "cli/values.h"

#include <string.h>

/* clang-format off */
static const char events[] = "all none"
#define EVENT_CLASS(name, base, what) " " #name
#include "culprit/event_class.def"
	;
static const char analyses[] = "stack profile none"
#define ANALYSIS(name) " " #name
#include "with/analyses.def"
	;
static const char scores[] = ""
#define SCORE(name, reference) #name " "
#include "truth/scores.def"
	;
static const char refinements[] = ""
#define MODEL_REFINEMENT(name, meaning) #name " "
#include "interval/model/refinement.def"
	;
static const char rules[] = ""
#define FMT_RULE(name, meaning) #name " "
#include "analysis/stacks/fmt_rule.def"
	;
/* clang-format on */

static const struct {
	const char *option;
	enum value_kind kind;
	const char *words;
} known[] = {
	{"machine", VALUE_MACHINE, ""},
	{"with", VALUE_WORDS, analyses},
	{"ideal", VALUE_WORDS, events},
	{"classes", VALUE_WORDS, events},
	{"score", VALUE_WORDS, scores},
	{"without", VALUE_WORDS, refinements},
	{"fmt-rule", VALUE_WORDS, rules},
	{"pairs", VALUE_WORD, "all none focus="},
	{"completion", VALUE_WORD, "bash zsh fish"},
};

enum value_kind value_of(const struct option_row *row, const char **words)
{
	*words = "";
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (!strcmp(known[i].option, row->name)) {
			*words = known[i].words;
			return known[i].kind;
		}
	if (row->argument && !strcmp(row->argument, "on|off")) {
		*words = "on off";
		return VALUE_WORD;
	}
	if (row->argument && !strcmp(row->argument, "FILE"))
		return VALUE_FILE;
	return row->argument && !strcmp(row->argument, "DIR") ? VALUE_DIRECTORY : VALUE_ANY;
}
