/* The code table of a run, from its profile, the program's symbols and lines, and the code in its memory. */
#ifndef CULPRIT_RUN_CODE_H
#define CULPRIT_RUN_CODE_H

#include "analysis/calls.h"
#include "analysis/insn_cycles.h"
#include "guest/guest.h"
#include "report/code/code.h"
#include "report/lines.h"
#include "report/symbols.h"

struct code_parts {
	const struct insn_cycles *insns; /* finished */
	const struct calls *calls;	 /* finished; NULL: none */
	const struct symbols *symbols;
	struct lines *lines;
	struct guest *guest;
	size_t functions;		/* so many, those with most cycles, have their instructions */
	uint64_t outside;		/* cycles of no instruction */
	const char *const *source_dirs; /* NULL-terminated, or NULL: source_fill */
};

bool code_fill(struct code *c, const struct code_parts *parts, struct error *err);
/* source.c: read the lines of the functions that have instructions. A file that is not where the compiler saw it is
 * looked for below the `dirs`: /a/b/c.c as DIR/a/b/c.c, DIR/b/c.c, DIR/c.c. What is not found has no lines. */
bool source_fill(struct code *c, const char *const *dirs, struct error *err);

#endif
