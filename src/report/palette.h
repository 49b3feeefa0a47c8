/* The one table of colours: rows of stacks, causes and event classes look the same in the terminal, in pictures and in
 * the interactive report. */
#ifndef CULPRIT_REPORT_PALETTE_H
#define CULPRIT_REPORT_PALETTE_H

#include <stddef.h>
#include <stdint.h>

struct palette_colour {
	const char *name;
	char letter; /* where there is no colour */
	uint8_t red, green, blue;
};

/* By its name; black for a name that is not in the table. */
struct palette_colour palette_find(const char *name);
/* From 0; NULL past the last. */
const struct palette_colour *palette_row(size_t index);

#endif
