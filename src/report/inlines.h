/* Which calls of one compilation unit the compiler replaced by the function's own code, from
 * DW_TAG_inlined_subroutine. */
#ifndef CULPRIT_REPORT_INLINES_H
#define CULPRIT_REPORT_INLINES_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A call that the compiler replaced by the function's own code. Valid until inlines_destroy. */
struct line_frame {
	const char *function; /* whose code it is */
	const char *file;     /* where the call stands; NULL = not known */
	uint32_t line;
};

struct inlined;

/* A unit as found; the rest is read at the first question. */
struct inlines {
	Dwarf_Die unit;
	uint64_t bias; /* runtime address minus address in the file */
	bool read;
	struct inlined *entries;
	size_t count, capacity;
};

/* The calls that the instruction at pc came in by, the innermost first: up to `room` of them, and their number.
 * False: out of memory. */
bool inlines_find(struct inlines *u, uint64_t pc, struct line_frame *frames, size_t room, size_t *count);
void inlines_destroy(struct inlines *u);

#endif
