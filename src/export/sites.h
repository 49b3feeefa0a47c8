/* The code of a result as a list of sites, each an instruction with the frames around it and its counts. What is known
 * of a function only as a sum is one site, and so are the cycles after the last commit. */
#ifndef CULPRIT_EXPORT_SITES_H
#define CULPRIT_EXPORT_SITES_H

#include "report/code/result.h"

struct export_frame {
	const char *function;
	const char *file; /* "" = not known */
	uint32_t line;	  /* 0 = not known: of the instruction, or of the call of the next frame */
};

struct export_site {
	const char *object;
	const struct code_insn *insn; /* NULL: a sum */
	uint64_t pc, end;	      /* of a sum: where the function starts and ends; else the instruction alone */
	const struct code_counts *counts;
	struct export_frame frames[CODE_DEEPEST + 1]; /* the outermost first: the function; then inlined calls */
	size_t depth;				      /* at least 1 */
};

/* Every site to which something happened, in the order of the result. Stops at the first false, and returns it. */
typedef bool export_visit(void *context, const struct export_site *site);
bool export_sites(const struct code_result *r, export_visit *visit, void *context);

/* The function at an address, as its first site; false: none. */
bool export_function_at(const struct code *c, uint64_t pc, struct export_site *site);

/* The counts as columns: cycles, executions, misses and so on, then cycles by cause. Those that are 0 everywhere are
 * left out, but for cycles, which come first. */
enum { EXPORT_CYCLES, EXPORT_COLUMNS_MAX = 6 + CODE_CAUSES_MAX };

struct export_columns {
	const struct code *code;
	unsigned kinds[EXPORT_COLUMNS_MAX];
	size_t count;
};

void export_columns(struct export_columns *columns, const struct code *c);
/* A name of letters and digits, as "L1dMisses"; in words. */
void export_column_name(const struct export_columns *columns, size_t i, char name[40]);
const char *export_column_words(const struct export_columns *columns, size_t i);
uint64_t export_column(const struct export_columns *columns, size_t i, const struct code_counts *n);

#endif
