/* Two runs compared: what became of the cycles, by cause, function and line. Functions are matched by their names,
 * lines by their function and their text, instructions without lines by their offset, so that two versions of a
 * program can be compared; what only one of them has is listed with nothing on the other side. The changes of a table
 * sum to the change of the whole, exactly. */
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
	const char *insn;	   /* of an instruction without a line; NULL = it is a line or a function */
	char place[200];	   /* of that: gzip+0x3ade */
	uint32_t line[DIFF_SIDES]; /* 0 = this side has it not */
	struct code_counts n[DIFF_SIDES];
	bool has[DIFF_SIDES];
};

struct diff_table {
	struct diff_row *rows; /* largest change first */
	size_t count;
};

/* Something in which the runs differ: in their machine, region or program. */
struct diff_setting {
	const struct compare_difference *difference;
	bool is_key;	 /* of the machine */
	uint32_t cause;	 /* that it acts on, the one that changed most; UINT32_MAX: none that changed */
	uint64_t change; /* of that cause, cycles, without sign */
	uint32_t row;	 /* of cause_key.def */
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
	bool lines_left_out;	       /* of functions without instructions in a result */
	struct comparison setup;       /* machine, region, program: all that differs */
	struct diff_setting *settings; /* the same; what explains most comes first */
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

/* --- what its parts share --- */

/* Room in a table that grows. NULL: no memory. */
struct diff_row *diff_row_add(struct diff_table *t);
/* Its name, and the key by which it matches. A compiler's copies and parts of a function are that function. The
 * program's own file may have another name in the other run. */
void diff_row_name(struct diff_row *row, const struct code_result *r, const struct code_function *f);
/* Rows of the same key become one. */
void diff_rows_join(struct diff_table *t, uint32_t causes);

/* diff_lines.c: of one side. False: out of memory. */
bool diff_add_lines(struct code_diff *d, unsigned side);
/* diff_setup.c: d->setup and d->settings, of functions that are there. */
bool diff_compare_setups(struct code_diff *d, struct error *err);

/* --- the text, the JSON --- */

struct diff_view {
	unsigned width;
	bool verbose; /* all rows */
};
void code_diff_text(const struct code_diff *d, const struct diff_view *view, FILE *out);
json_t *code_diff_json(const struct code_diff *d);
/* What the page calls the causes. */
json_t *code_diff_legend(const struct code_diff *d);

#endif
