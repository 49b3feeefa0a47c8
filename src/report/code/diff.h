/* Two runs compared: what became of the cycles, by cause, function and line. Functions are matched by their names,
 * lines by their function and their text, so that two versions of a program can be compared; what only one of them
 * has is listed with nothing on the other side. The changes of a table sum to the change of the whole, exactly. */
#ifndef CULPRIT_REPORT_CODE_DIFF_H
#define CULPRIT_REPORT_CODE_DIFF_H

#include "report/code/result.h"
#include "report/compare.h"

enum { DIFF_A, DIFF_B, DIFF_SIDES };

/* A function or a line. */
struct diff_row {
	char key[500];	/* what is matched by */
	char name[200]; /* of the function, without a compiler's suffix */
	const char *object[DIFF_SIDES];
	const char *file, *text;   /* of a line; NULL = not known */
	uint32_t line[DIFF_SIDES]; /* 0 = this side has it not */
	struct code_counts n[DIFF_SIDES];
	bool has[DIFF_SIDES];
};

struct diff_table {
	struct diff_row *rows; /* largest change first */
	size_t count;
};

/* What an event class costs, by a method that both runs have. */
struct diff_cost {
	const char *method, *term;
	double percent[DIFF_SIDES];  /* of each run's time */
	double interval[DIFF_SIDES]; /* +-, of what was sampled; 0 = not sampled */
};
enum { DIFF_COSTS_MAX = 64 };

struct code_diff {
	const char *path[DIFF_SIDES];
	json_t *root[DIFF_SIDES];
	struct code_result r[DIFF_SIDES];
	struct diff_table functions, lines;
	bool lines_left_out;	 /* of functions without instructions in a result */
	struct comparison setup; /* machine, region, program */
	struct diff_cost costs[DIFF_COSTS_MAX];
	size_t cost_count;
};

/* Neither path may go before the result is destroyed. */
bool code_diff_read(struct code_diff *d, const char *a, const char *b, struct error *err);
/* Of d->root that is there already. */
bool code_diff_make(struct code_diff *d, struct error *err);
void code_diff_destroy(struct code_diff *d);
/* b - a */
int64_t diff_change(const struct code_counts n[DIFF_SIDES]);
/* The cause that changed most in the direction of the whole; UINT32_MAX: none. */
uint32_t diff_mostly(const struct code_diff *d, const struct code_counts n[DIFF_SIDES]);
/* All of both runs, what is outside included in their cycles but in no cause. */
void diff_totals(const struct code_diff *d, struct code_counts n[DIFF_SIDES]);
/* Is it no more than sampling may err? */
bool diff_is_noise(const struct code_diff *d, const struct diff_cost *c);

struct diff_view {
	unsigned width;
	bool verbose; /* all rows */
};
void code_diff_text(const struct code_diff *d, const struct diff_view *view, FILE *out);
json_t *code_diff_json(const struct code_diff *d);
/* What the page calls the causes. */
json_t *code_diff_legend(const struct code_diff *d);

#endif
