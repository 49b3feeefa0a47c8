/* Windows of the pipeline as JSON, column by column, for the picture in the interactive report. Times are differences
 * to the stage before, which pack well. The nearest stands by itself, and the others follow. */
#ifndef CULPRIT_REPORT_PIPELINE_H
#define CULPRIT_REPORT_PIPELINE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* What is drawn of a committed instruction. */
struct pipeline_row {
	uint32_t code; /* index of its static instruction */
	uint64_t fetch, dispatch, ready, issue, complete, commit;
	uint32_t wait;	       /* cycles that commit waited for it */
	uint8_t cause;	       /* of that wait: index of causes */
	uint8_t front;	       /* why it was fetched late: 0 = it was not; else index of causes */
	uint8_t execution;     /* what it executes on, or misses: index of causes */
	uint8_t window;	       /* enum culprit_window that held it at dispatch */
	uint16_t flags;	       /* enum culprit_record_flag */
	uint32_t producers[4]; /* distances back: rs1, rs2, rs3, the store */
};

struct pipeline_code {
	uint64_t pc, offset;
	char text[80];
	const char *function, *object; /* NULL = not known */
	char line[160];		       /* "" = not known */
};

struct pipeline_squash {
	uint64_t seq, fetch, dispatch, until;
	bool dispatched;
	uint8_t why; /* 0 = a mispredicted branch, 1 = a memory-order violation */
};

struct pipeline_window {
	uint64_t first; /* number of the first instruction in the region */
	double off;	/* by how many per cent of the time its stack differs from the whole run's */
	size_t count, squash_count, squash_lost;
	struct pipeline_row *rows;
	struct pipeline_squash *squashed;
};

enum { PIPELINE_WINDOWS_MAX = 8 };

struct pipeline_report {
	uint32_t cause_count;
	const char *causes[24];
	size_t code_count;
	struct pipeline_code *code;			      /* of all windows */
	size_t window_count;				      /* 0 = nothing committed */
	struct pipeline_window windows[PIPELINE_WINDOWS_MAX]; /* by place */
	size_t nearest;
};

void pipeline_report_text(const struct pipeline_report *r, FILE *out);
json_t *pipeline_report_json(const struct pipeline_report *r);

#endif
