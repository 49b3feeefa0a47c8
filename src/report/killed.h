/* How a signal ended the program, for the head of every report and a line of its own. */
#ifndef CULPRIT_REPORT_KILLED_H
#define CULPRIT_REPORT_KILLED_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct report_place {
	uint64_t pc, offset; /* offset: in the function, or else in the object */
	uint64_t space;	     /* pc + space: its frame address (guest_frame), by which code is found */
	char function[160];  /* "" = not known, as below */
	char object[80];
	char file[240];
	uint32_t line;
};

struct report_killed {
	int signal; /* 0 = it was not killed */
	char name[24];
	char program[240]; /* "" = the one that the run began with */
	struct report_place at;
	char instruction[80];
	bool has_address;
	uint64_t address;
	char reason[240];
	bool has_caller; /* it jumped to where no code is */
	struct report_place caller;
};

/* "killed by ...", in one line without its end, cut to what fits. All three: nothing (null) when it was not killed. */
void killed_line(const struct report_killed *k, char *text, size_t size);
void killed_head(const struct report_killed *k, FILE *out);
json_t *killed_json(const struct report_killed *k);

#endif
