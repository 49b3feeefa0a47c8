/* Code as text, for readers: a function's source and instructions with what happened there, and the worst sites. */
#ifndef CULPRIT_REPORT_CODE_ANNOTATE_H
#define CULPRIT_REPORT_CODE_ANNOTATE_H

#include "report/code/result.h"

struct code_view {
	unsigned width; /* columns */
	bool colour, verbose;
	bool addresses;	      /* instructions in the order of addresses, not below their source lines */
	const char *function; /* NULL = the one with most cycles */
	const char *sites;    /* "branches" or "loads": these, and no function; NULL = none */
};

/* choose.c: the function that is meant. A name is a function's as written or as in the object, with or without the
 * namespaces and classes in front, or the start of a compiler's copy (horner of horner.constprop.0); or an address
 * in it, or an instruction's offset ("memcpy+0x12"). Of several the one with most cycles; *alike: how many more there
 * are. */
bool code_choose(const struct code *c, const char *name, const struct code_function **f, size_t *alike,
		 struct error *err);
bool code_check_sites(const char *sites, struct error *err);

/* listing.c, sites.c. `f` of code_choose. False: out of memory, and nothing is printed. */
void code_head(const struct code_result *r, FILE *out);
bool code_listing(const struct code_result *r, const struct code_function *f, size_t alike,
		  const struct code_view *view, FILE *out);
bool code_sites(const struct code_result *r, const struct code_view *view, FILE *out);

/* columns.c: the figures of a row in front of its text. */
struct code_row {
	struct code_counts counts; /* executions: of a line those of the instruction that ran most often */
	struct code_criticality criticality;
	bool slack; /* it has one: instructions have */
};
enum { CODE_COLUMNS = 10 };
struct code_columns {
	const struct code_result *result;
	uint32_t used[CODE_COLUMNS], left_out[CODE_COLUMNS];
	size_t count, left_out_count;
	int decimals;  /* of % time */
	unsigned room; /* columns left for the text */
};
/* Those in which the function has something, as many as leave room for text. */
void code_columns_choose(struct code_columns *k, const struct code_result *r, const struct code_function *f,
			 unsigned width);
void code_columns_head(const struct code_columns *k, const char *text, FILE *out);
/* NULL: blanks. No line end. */
void code_columns_row(const struct code_columns *k, const struct code_row *row, FILE *out);
const char *code_column_name(uint32_t column);

/* insn_text.c: " 10760  c.beqz a3,0x10770", of an instruction without a line " +0x3ae2  bne a1,t3,+0x3ab8". */
void code_insn_text(const struct code_function *f, const struct code_insn *n, char *text, size_t size);

void code_row_add(struct code_row *row, const struct code_insn *n, uint32_t causes);
/* At most `room` columns of a text; a cut one ends with "..". */
void code_print_cut(const char *text, size_t room, FILE *out);
/* In at most five columns: 99999, 123k, 4.06M */
const char *code_compact(uint64_t n, char text[32]);
/* The largest cause but committing; committing where there is no other. */
uint32_t code_mostly(const struct code *c, const struct code_counts *n);
const char *code_file_name(const struct code *c, uint32_t file);
const char *code_source(const struct code *c, uint32_t file, uint32_t line); /* NULL = not known */

#endif
