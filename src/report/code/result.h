/* A run's result file, as far as its code goes. Such a file is outside input: what does not add up is refused. */
#ifndef CULPRIT_REPORT_CODE_RESULT_H
#define CULPRIT_REPORT_CODE_RESULT_H

#include "report/code/code.h"

struct code_result {
	char *program, *machine;
	bool complete;	 /* else: interrupted */
	char killed[24]; /* the name of the signal that ended the program; "" = none */
	char reason[240];
	uint64_t instructions, cycles;
	struct code code;
};

bool code_result_read(struct code_result *r, const char *path, struct error *err);
/* The same from JSON that is there already; `name` is the file's, for errors. */
bool code_result_take(struct code_result *r, const json_t *root, const char *name, struct error *err);
void code_result_destroy(struct code_result *r);
/* A line each for a run that was interrupted, and for a program that was killed. */
void code_result_ending(const struct code_result *r, FILE *out);

#endif
