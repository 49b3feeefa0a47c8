/* The verdict on a run: facts from the report, and the sentences of verdict.def that they call for. */
#ifndef CULPRIT_REPORT_RUN_VERDICT_H
#define CULPRIT_REPORT_RUN_VERDICT_H

#include "report/run/report.h"

enum verdict_sentence {
#define VERDICT(place, name, condition, template) SENTENCE_##place##_##name,
#include "report/run/verdict.def"
	SENTENCES
};
enum { VERDICT_SENTENCES = 7 };

struct verdict {
	const struct run_report *report;
	bool cut;
	uint64_t instructions;
	/* Causes of at least 5% of the time and to be accused; -1 = none. The first has most cycles; the others follow
	 * by the cost of their class, and are of other classes, where costs are known. */
	int first, second, third;
	/* percent */
	double before_main, commit, unknown;
	double first_place; /* of the first cause, at its worst place */
	/* costs */
	const char *method; /* NULL = no analysis told them */
	bool trusted, critical, checkpoint;
	bool again;	 /* all of the program was simulated: other commands that do that come into question */
	bool withheld;	 /* the cost of the first cause's class */
	int class, most; /* of the first cause; of the largest cost: in report->costs; -1 = none */
	bool next_most;	 /* the second cause is all of the class of the largest cost */
	int partner;	 /* of `class` with the largest interaction */
	double cost, most_cost, pair, other;
	double error; /* of the method, in points */
};

void verdict_find(struct verdict *v, const struct run_report *r);
/* Which sentences: at most VERDICT_SENTENCES; their number. */
unsigned verdict_sentences(const struct verdict *v, enum verdict_sentence sentences[VERDICT_SENTENCES]);
/* "FIRST.one_place": place and name of its row. */
const char *verdict_rule(enum verdict_sentence sentence);
void verdict_say(const struct verdict *v, enum verdict_sentence sentence, char *text, size_t size);

struct verdict_next {
	char options[120];
	const char *why;
};
unsigned verdict_next(const struct verdict *v, struct verdict_next *rows, unsigned most);
/* Options of another command than the one that was given. */
bool verdict_next_is_other(const char *options);
/* The command, with a blank; "" where `options` name it. */
const char *verdict_verb(const struct run_report *r, const char *options);
/* The command to type: the one that was given, with `options`. What reads a result needs no more than that: `result`,
 * or NULL. Returns its length, as snprintf. */
unsigned verdict_command(const struct run_report *r, const char *options, const char *result, char *text, size_t size);
/* class_words.c: of an event class. */
const char *verdict_class_words(const char *name);

#endif
