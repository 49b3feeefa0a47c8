/* Which source line an address belongs to, and which addresses a source line has, from the DWARF line tables of the
 * objects a program has mapped. Objects without DWARF know no lines, silently. */
#ifndef CULPRIT_REPORT_LINES_H
#define CULPRIT_REPORT_LINES_H

#include "base/error.h"
#include "report/inlines.h"

#include <stddef.h>
#include <stdint.h>

struct lines;

struct lines *lines_create(struct error *err);
void lines_destroy(struct lines *l);

/* Add an object mapped with load bias `bias` (runtime address minus ELF virtual address). A file that cannot be read
 * or has no line table just adds nothing. False only when out of memory. */
bool lines_add(struct lines *l, const char *path, uint64_t bias, struct error *err);

struct line_place {
	const char *file; /* as the compiler recorded it; NULL = not known. Valid until lines_destroy */
	uint32_t line;	  /* from 1 */
};
struct line_place lines_find(const struct lines *l, uint64_t pc);

/* The calls that the instruction at pc came in by, the innermost first. Writes up to `room` of them and returns their
 * number; false: out of memory. */
bool lines_frames(struct lines *l, uint64_t pc, struct line_frame *frames, size_t room, size_t *count,
		  struct error *err);

/* Runtime addresses first <= pc < end. */
struct line_range {
	uint64_t first, end;
};

/* The ranges of one line, by address, without overlaps: `file` is the recorded path or its end from a slash on
 * ("list.c", "src/list.c"). Writes up to `room` of them and returns how many there are; 0 = no such line. */
size_t lines_ranges(const struct lines *l, const char *file, uint32_t line, struct line_range *ranges, size_t room);

#endif
